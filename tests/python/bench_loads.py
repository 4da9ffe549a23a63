# SPDX-License-Identifier: MIT
"""One run of one load under one profiler, in a separate process, for bench.py.
A load is a list of pieces, each of which is timed. Prints its figures as one
JSON object.

usage: bench_loads.py LOAD MODE CPU LOG      BENCH_TIME is wall or cpu
"""
import gc
import importlib
import json
import os
import sys
import time

UNPARSED = ("bisect", "calendar", "colorsys", "csv", "fnmatch", "fractions",
            "glob", "heapq", "queue", "reprlib", "shlex", "textwrap")
PYDOC = ("argparse", "csv", "string")
PATTERNS = (r"(?P<key>\w+)\s*=\s*(?P<value>.*)", r"^[a-z]{2,5}(\d+|x)*$",
            r"a|bc|d[^e]f(?:g|h)?|(?=i)j*")


# A piece takes a millisecond or less, so that some run of it is undisturbed by
# the rest of the machine.
PIECES = 50


def load_fib():
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def opened(n):
        """The calls of fib(n), as pieces."""
        if n < 19:
            return [lambda: fib(n)]
        return opened(n - 1) + opened(n - 2)

    return opened(27)


def load_ccalls():
    def ccalls():
        items = []
        append = items.append
        for i in range(500000 // PIECES):
            append(i)
            len(items)

    return [ccalls] * PIECES


def load_methods():
    class Point:
        def __init__(self, x):
            self.x = x

        @property
        def twice(self):
            return 2 * self.x

        @staticmethod
        def add(a, b):
            return a + b

        def inner(self):
            return self.add(self.twice, 1)

        def outer(self):
            return self.inner()

    def step(i):
        return Point(i).outer()

    def methods():
        for i in range(100000 // PIECES):
            step(i)

    return [methods] * PIECES


def load_gen():
    def numbers(n):
        for i in range(n):
            yield i

    def gen():
        for _ in numbers(500000 // PIECES):
            pass

    return [gen] * PIECES


def statements(tree):
    """The statements of a module and of its classes."""
    ast = importlib.import_module("ast")
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from statements(node)
        else:
            yield node


def load_unparse():
    ast = importlib.import_module("ast")
    pieces = []
    for name in UNPARSED:
        with open(importlib.import_module(name).__file__,
                  encoding="utf-8") as source:
            tree = ast.parse(source.read())
        pieces.extend(lambda text=ast.unparse(node):
                      ast.unparse(ast.parse(text))
                      for node in statements(tree))
    return pieces


def load_pydoc():
    pydoc = importlib.import_module("pydoc")
    modules = [importlib.import_module(name) for name in PYDOC]
    things = [getattr(module, name)
              for module in modules for name in module.__all__]
    return [lambda thing=thing: pydoc.render_doc(thing)
            for thing in things if callable(thing) and thing.__doc__]


def load_json():
    encoder = importlib.import_module("json.encoder")
    encoder.c_make_encoder = None
    data = [{"name": "item %d" % i, "tags": ["a", "b", i], "size": i / 3,
             "inner": {"on": True, "none": None, "list": list(range(20))}}
            for i in range(2150 // PIECES)]

    def encode():
        for _ in encoder.JSONEncoder().iterencode(data):
            pass

    return [encode] * PIECES


def load_re():
    compiler = importlib.import_module("re._compiler")

    def compile_patterns():
        for pattern in PATTERNS:
            compiler.compile(pattern)

    return [compile_patterns] * 200


CLOCKS = {"wall": time.perf_counter_ns, "cpu": time.thread_time_ns}
LOADS = {name[5:]: function for name, function in list(globals().items())
         if name.startswith("load_")}


class Nothing:
    """The code of a mode before and after the load."""

    def start(self):
        pass

    def stop(self):
        pass


class Floor(Nothing):
    """The hook of this version's protocol, with an empty function."""

    def __init__(self, hook="nothing"):
        self.floor = importlib.import_module("bench_floor")
        self.hook = hook

    def start(self):
        if self.hook == "count" or not hasattr(sys, "monitoring"):
            self.floor.set_profile(self.hook)
            return
        monitoring = sys.monitoring
        events = monitoring.events
        monitoring.use_tool_id(4, "bench_floor")
        chosen = 0
        for event in (events.PY_START, events.PY_RESUME, events.PY_THROW,
                      events.PY_RETURN, events.PY_YIELD, events.PY_UNWIND,
                      events.CALL, events.C_RETURN, events.C_RAISE):
            monitoring.register_callback(4, event, self.floor.callback())
            chosen |= event
        # These two come with CALL, and must not be requested.
        monitoring.set_events(4, chosen & ~events.C_RETURN & ~events.C_RAISE)

    def stop(self):
        if self.hook == "count" or not hasattr(sys, "monitoring"):
            self.floor.set_profile("none")
        else:
            sys.monitoring.set_events(4, 0)
            sys.monitoring.free_tool_id(4)


class Ours(Nothing):
    def __init__(self, log, **options):
        self.module = importlib.import_module("ctprof")
        self.log = log
        self.options = options

    def start(self):
        self.module.start(self.log, **self.options)

    def stop(self):
        self.module.stop()


class Deterministic(Nothing):
    def __init__(self):
        self.profile = importlib.import_module("cProfile").Profile()

    def start(self):
        self.profile.enable()

    def stop(self):
        self.profile.disable()


class VizTracer(Nothing):
    def __init__(self):
        self.tracer = importlib.import_module("viztracer").VizTracer(verbose=0)

    def start(self):
        self.tracer.start()

    def stop(self):
        self.tracer.stop()


class Yappi(Nothing):
    def __init__(self):
        self.yappi = importlib.import_module("yappi")
        self.yappi.set_clock_type("wall")

    def start(self):
        self.yappi.start(builtins=True)

    def stop(self):
        self.yappi.stop()


def mode_of(name, log):
    return {
        "none": Nothing,
        "count": lambda: Floor("count"),
        "floor": Floor,
        "ctprof": lambda: Ours(log),
        "no-c-calls": lambda: Ours(log, c_calls=False),
        "cProfile": Deterministic,
        "viztracer": VizTracer,
        "yappi": Yappi,
    }[name]()


def memory_kib(field):
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise OSError("no %s in /proc/self/status" % field)


def timed(pieces, clock):
    """The time of each piece, one after the other."""
    times = [0] * len(pieces)
    before = clock()
    for i, piece in enumerate(pieces):
        piece()
        after = clock()
        times[i] = after - before
        before = after
    return times


def run(pieces, mode, cpu, clock):
    """Background threads were started before the load, so they are not bound to
    its processor."""
    timed(pieces, clock)
    gc.collect()
    before_kib = memory_kib("VmRSS")
    mode.start()
    os.sched_setaffinity(0, {cpu})
    times = timed(pieces, clock)
    end = time.perf_counter_ns()
    mode.stop()
    stopped = time.perf_counter_ns()
    return {"times_ns": times, "complete_ns": stopped - end,
            "growth_kib": memory_kib("VmHWM") - before_kib}


def main(name, mode_name, cpu, log):
    name, _, repeats = name.partition("*")
    pieces = LOADS[name]() * int(repeats or 1)
    mode = mode_of(mode_name, log)
    figures = run(pieces, mode, int(cpu), CLOCKS[os.environ["BENCH_TIME"]])
    if mode_name == "count":
        figures["events"] = mode.floor.events()
    if mode_name == "floor":
        figures["rdtsc_ns"] = min(mode.floor.rdtsc_ns() for _ in range(5))
    if os.path.exists(log):
        figures["log_bytes"] = os.path.getsize(log)
    print(json.dumps(figures))


if __name__ == "__main__":
    main(*sys.argv[1:])
