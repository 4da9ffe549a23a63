# SPDX-License-Identifier: MIT
"""The cost of one event under cProfile and under ctprof, on programs that do
nothing but call. bench_times.py does not compare these programs."""

# Each call of a function calls two more, up to this many functions. As in real
# programs, a call is rarely of the function called last.
FUNCTIONS = 127
NATIVE = ("len(x)", "x.copy()", "x.index(1)", "x.count(2)",
          "isinstance(x, int)", "hasattr(x, 'y')", "s.upper()", "s.find('a')",
          "s.encode()", "d.get(1)", "d.keys()", "sum(x)", "repr(1)", "id(x)",
          "ord('a')", "s.split()")
# Short enough that some runs are undisturbed.
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


class PythonCalls:
    def __init__(self):
        inner = FUNCTIONS // 2
        text = "".join(
            f"def f{n}():\n    f{2 * n + 1}()\n    f{2 * n + 2}()\n"
            for n in range(inner))
        text += "".join(f"def f{n}():\n    pass\n"
                        for n in range(inner, FUNCTIONS))
        self.run = repeated(text, "f0")
        self.calls = FUNCTIONS * REPEAT
        self.leaves = {f"f{n}" for n in range(inner, FUNCTIONS)}

    def is_leaf(self, key):
        return key[2] in self.leaves


class NativeCalls:
    def __init__(self):
        body = "".join(f"    {call}\n" for call in 8 * NATIVE)
        self.run = repeated(
            f"def run():\n    x, s, d = [1, 2], 'ab', {{}}\n{body}", "run")
        self.calls = 8 * len(NATIVE) * REPEAT

    @staticmethod
    def is_leaf(key):
        return (key[0] == "~" and "_lsprof" not in key[2]
                and "perf_counter" not in key[2])


class Cost:
    """In nanoseconds: the cost of an event, whichever function it happens in,
    and the part of a call's own two events that is inside its time."""

    def __init__(self, program, passes, alone, rounds):
        calls = passes * program.calls
        self.event = (min(took for _, took in rounds) - alone) / calls / 2
        told = [[functions[key].cumtime for functions, _ in rounds]
                for key in rounds[0][0] if program.is_leaf(key)]
        of = sum(function.ncalls for key, function in rounds[0][0].items()
                 if program.is_leaf(key))
        self.call = sum(map(min, told)) / of - alone / calls


def measure(passes, ways):
    """For each of the ways after the first, which runs without a profiler: the
    Costs of Python and of C. A way runs a program `passes` times, and returns
    its functions and the duration."""
    costs = []
    for program in PythonCalls(), NativeCalls():
        rounds = [[way(program.run) for way in ways] for _ in range(ROUNDS)]
        alone, *others = zip(*rounds)
        shortest = min(took for _, took in alone)
        costs.append([Cost(program, passes, shortest, other)
                      for other in others])
    return list(zip(*costs))
