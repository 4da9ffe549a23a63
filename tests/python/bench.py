# SPDX-License-Identifier: MIT
"""Measures the cost of recording a Python program, beside hooks that do nothing
and other profilers, and prints a table for each interpreter; doc/BENCHMARKS.md
explains it. Nothing is asserted. Run in the build directory.

usage: bench.py PYTHON...
environment: BENCH_ROUNDS       rounds (7)
             BENCH_LOADS        "fib json": only these loads
             BENCH_CPU          the processor that loads run on (the last)
             BENCH_TIME         wall (the default), or cpu: of the thread
             BENCH_PYTHON_OUT   all figures as JSON (bench-python.json)
             BENCH_PEERS        where ./bootstrap bench has put other profilers
                                (bench-peers)

Every run is a separate process. All loads run once before any runs again, so
that a machine that slows down slows all of them. For each piece of a load, the
least time of all rounds counts.
"""
import json
import os
import subprocess
import sys
import tempfile

import bench_table
from bench_loads import LOADS

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.environ.get("BENCH_PEERS", os.path.abspath("bench-peers"))
MODES = ("none", "floor", "ctprof", "no-c-calls", "cProfile", "viztracer",
         "yappi")
# The load that runs once and eight times, to see memory grow.
LONG = ("fib", "fib*8")


def say(text):
    print("bench: " + text, file=sys.stderr, flush=True)


def output(command, **options):
    """The output of a command; or None, after printing the reason."""
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False, **options)
    if result.returncode == 0:
        return result.stdout
    lines = result.stderr.strip().splitlines() or ["no reason given"]
    say("%s: %s" % (" ".join(command[-4:-1]), lines[-1]))
    return None


class Interpreter:
    """One interpreter, and its measurements."""

    def __init__(self, path, cpu):
        self.path = path
        self.cpu = cpu
        self.version = output([path, "-c", "import platform, sys\nprint("
                               "platform.python_version() + sys.abiflags)"])
        self.version = (self.version or "?").strip()
        self.peers = output([
            os.path.join(PEERS, path.replace("/", "_"), "bin", "python"),
            "-c", "import sysconfig\nprint(sysconfig.get_path('platlib'))"],
        ) if os.path.isdir(os.path.join(PEERS, path.replace("/", "_"))) \
            else None
        self.runs = {}
        self.missing = set()

    def environment(self):
        paths = [os.path.abspath("python/package"),
                 os.path.abspath("python/bench")]
        if self.peers:
            paths.append(self.peers.strip())
        return dict(os.environ, PYTHONPATH=":".join(paths),
                    LD_LIBRARY_PATH=os.path.abspath(".libs"),
                    PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1")

    def run(self, load, mode, directory):
        if mode in self.missing:
            return
        log = os.path.join(directory, "run.ctp")
        text = output([self.path, os.path.join(HERE, "bench_loads.py"),
                       load, mode, self.cpu, log], env=self.environment())
        if os.path.exists(log):
            os.remove(log)
        if text is None:
            say("%s: no %s" % (self.version, mode))
            self.missing.add(mode)
        else:
            self.runs.setdefault((load, mode), []).append(json.loads(text))

    def state(self):
        """The cost of push and pop of the state for Dynamo."""
        text = output([self.path, os.path.join(HERE, "bench_state.py")],
                      env=self.environment())
        return text.strip() if text else None


def measure(interpreters, loads, rounds, directory):
    for interpreter in interpreters:
        for load in loads:
            interpreter.run(load, "count", directory)
        for load in LONG:
            interpreter.run(load, "ctprof", directory)
    for number in range(rounds):
        say("round %d of %d" % (number + 1, rounds))
        for load in loads:
            for mode in MODES:
                for interpreter in interpreters:
                    interpreter.run(load, mode, directory)


def main(paths):
    for name in list(os.environ):
        if name.startswith(("CTPROF", "PYTHON")):
            del os.environ[name]
    os.environ.setdefault("BENCH_TIME", "wall")
    cpu = os.environ.get("BENCH_CPU", str(max(os.sched_getaffinity(0))))
    loads = os.environ.get("BENCH_LOADS", " ".join(LOADS)).split()
    interpreters = [Interpreter(path, cpu) for path in paths]
    with tempfile.TemporaryDirectory() as directory:
        measure(interpreters, loads, int(os.environ.get("BENCH_ROUNDS", "7")),
                directory)
    results = []
    for interpreter in interpreters:
        figures = bench_table.figures_of(interpreter, loads)
        bench_table.print_figures(figures, loads)
        results.append(figures)
    with open(os.environ.get("BENCH_PYTHON_OUT", "bench-python.json"), "w",
              encoding="utf-8") as file:
        json.dump({"schema": "ctprof/bench-python/1", "results": results},
                  file, indent=1, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
