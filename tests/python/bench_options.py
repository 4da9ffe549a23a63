# SPDX-License-Identifier: MIT
"""The cost of a call under ctprof with --last and with --args, in nanoseconds of
processor time, beside the cost without these options. Nothing is asserted.

usage: bench_options.py [CASE]   without CASE: all, one process for each run
environment: BENCH_ROUNDS        rounds (7)

A call is that of a function with one argument, and its end. All cases run once
before any runs again, and the least time of all rounds counts.
"""
import os
import platform
import subprocess
import sys
import tempfile
import time

CALLS = 20000
PIECES = 20


class Point:
    def __init__(self, x):
        self.x = x

    def __repr__(self):
        return f"Point({self.x})"


def called(value):
    pass


def other(value):
    pass


# The options of start(), and the argument.
CASES = {
    "not recorded": (None, 1),
    "recorded": ({}, 1),
    "--last=100000": ({"last": 100000}, 1),
    "--args of another function": ({"args": "other"}, 1),
    "--args, an int": ({"args": "called"}, 1),
    "--args, a text of 1,000 characters": ({"args": "called"}, 1000 * "x"),
    "--args, a list of 1,000 ints": ({"args": "called"}, list(range(1000))),
    "--args, an object with __repr__": ({"args": "called"}, Point(1)),
}


def measure(function, value, count):
    """The least time of a piece, for each call."""
    least = None
    for _ in range(PIECES):
        before = time.thread_time_ns()
        for _ in range(count // PIECES):
            function(value)
        took = time.thread_time_ns() - before
        least = took if least is None else min(least, took)
    return least / (count // PIECES)


def run(case):
    import ctprof

    options, value = CASES[case]
    with tempfile.TemporaryDirectory() as directory:
        if options is not None:
            ctprof.start(os.path.join(directory, "run.ctp"), depth=0,
                         **options)
        measure(called, value, CALLS)
        print(measure(called, value, CALLS))
        if options is not None:
            ctprof.stop()


def main():
    times = {case: [] for case in CASES}
    for _ in range(int(os.environ.get("BENCH_ROUNDS", "7"))):
        for case in CASES:
            done = subprocess.run([sys.executable, "-B", __file__, case],
                                  check=True, text=True,
                                  stdout=subprocess.PIPE)
            times[case].append(float(done.stdout))
    base = min(times["not recorded"])
    print(f"{'CPython ' + platform.python_version():<40}ns per call")
    for case in CASES:
        print(f"{case:<40}{min(times[case]) - base:>11.0f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(sys.argv[1])
    else:
        main()
