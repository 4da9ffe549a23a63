# SPDX-License-Identifier: MIT
"""What one event costs under cProfile and under ctprof: on programs that do
nothing but call, and are no part of what bench_times.py compares."""

# Each call of a function calls two more, to this many: as a program has them,
# so many that each is not the one that was called last.
FUNCTIONS = 127
NATIVE = ("len(x)", "x.copy()", "x.index(1)", "x.count(2)",
          "isinstance(x, int)", "hasattr(x, 'y')", "s.upper()", "s.find('a')",
          "s.encode()", "d.get(1)", "d.keys()", "sum(x)", "repr(1)", "id(x)",
          "ord('a')", "s.split()")
# So short that often enough nothing disturbs it.
REPEAT, ROUNDS = 4, 60


def repeated(text, name):
    """run(), which calls the function of this name REPEAT times."""
    names = {}
    exec(compile(text, "calls.py", "exec"), names)
    function = names[name]

    def run():
        for _ in range(REPEAT):
            function()

    return run


def python_calls():
    """The program, and how many events it is."""
    inner = FUNCTIONS // 2
    text = "".join(f"def f{n}():\n    f{2 * n + 1}()\n    f{2 * n + 2}()\n"
                   for n in range(inner))
    text += "".join(f"def f{n}():\n    pass\n"
                    for n in range(inner, FUNCTIONS))
    return repeated(text, "f0"), 2 * FUNCTIONS * REPEAT


def native_calls():
    body = "".join(f"    {call}\n" for call in 8 * NATIVE)
    text = f"def run():\n    x, s, d = [1, 2], 'ab', {{}}\n{body}"
    return repeated(text, "run"), 2 * 8 * len(NATIVE) * REPEAT


def per_event(program, ways):
    """Nanoseconds of an event in each of the ways after the first, which is to
    run alone; a way runs it, and gives how long that took."""
    run, events = program
    took = [[way(run) for way in ways] for _ in range(ROUNDS)]
    alone, *others = map(min, zip(*took))
    return [(other - alone) / events for other in others]


def measure(ways):
    """For each of the ways after the first, of Python and of C."""
    return list(zip(per_event(python_calls(), ways),
                    per_event(native_calls(), ways)))
