# SPDX-License-Identifier: MIT
"""How far the times of ctprof are from cProfile's, with real clocks, on the
programs of programs/real.py. Nothing is asserted of them: the machine may have
been busy. What is counted must be equal.

"in log": the sum of all functions' own times, of the time that the program
took. "near": functions whose cumulative time is within 5 % of cProfile's, or
40 ns for each call. cProfile costs more than that for each call inside these,
which is in its times: "inside" allows 40 ns for each event inside, "below"
counts the functions that took no longer than under cProfile.

    bench_times.py [ROUNDS]      CTPROF is the program
"""

import cProfile
import gc
import importlib
import pathlib
import sys
import tempfile
import time

import exact
import support

# Times may differ by so much, or by so much for each call.
SHARE, CALL_NS = 0.05, 40
# How often a program runs in each round: what is seen for the first time, by
# either, is then of little weight.
REPEAT = 10
MEASURING = ("timed", "<built-in method time.perf_counter_ns>")


def by_cprofile(run):
    profile = cProfile.Profile()
    profile.enable()
    try:
        for _ in range(REPEAT):
            run()
    finally:
        profile.disable()
    return exact.functions_of(profile, 1e9)


def by_ctprof(run, log):
    """The functions, and how long the program took."""
    took = 0

    def timed():
        nonlocal took
        begin = time.perf_counter_ns()
        for _ in range(REPEAT):
            run()
        took = time.perf_counter_ns() - begin

    exact.by_ctprof(timed, log, "auto")
    functions = support.stats(log)
    log.unlink()
    return functions, took


def counts(functions):
    """Calls and primitive calls, without the measuring itself."""
    return {key: function[:2] for key, function in functions.items()
            if key[2] not in MEASURING and "_lsprof" not in key[2]}


def nearest(rounds, key):
    """The shortest time of all rounds: the least disturbed."""
    return min(functions[key].cumtime for functions in rounds)


def measure(run, log, rounds):
    """Measures in turns: cProfile's functions and ours, of each round, and how
    much of the program's time is in the log."""
    theirs, ours, share = [], [], []
    for _ in range(rounds):
        theirs.append(by_cprofile(run))
        functions, took = by_ctprof(run, log)
        ours.append(functions)
        inside = sum(each.tottime for key, each in functions.items()
                     if key[2] != "timed")
        share.append(inside / took)
    if counts(ours[0]) != counts(theirs[0]):
        raise SystemExit(f"{run.__name__}: the counts differ")
    return theirs, ours, sum(share) / rounds


def row(run, log, rounds):
    """How much is in the log; of how many functions; how many are near, by
    their calls, and by all events inside these; and how many took no longer
    than under cProfile."""
    events = exact.by_cprofile(run)[0]
    theirs, ours, share = measure(run, log, rounds)
    keys = counts(ours[0])
    near = inside = below = 0
    for key in keys:
        one, other = nearest(ours, key), nearest(theirs, key)
        away = abs(one - other)
        near += away <= max(SHARE * other, CALL_NS * keys[key][0])
        inside += away <= max(SHARE * other,
                              CALL_NS * REPEAT * events[key].cumtime)
        below += one <= other
    return f"{share:>8.1%}{len(keys):>11}{near:>6}{inside:>8}{below:>7}"


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    real = importlib.import_module("programs.real")
    gc.disable()
    print(f"{sys.version.split()[0]}, {rounds} rounds, the shortest counts\n"
          f"{'program':<22}{'in log':>8}{'functions':>11}{'near':>6}"
          f"{'inside':>8}{'below':>7}")
    with tempfile.TemporaryDirectory() as work:
        for name, run in list(vars(real).items()):
            if not name.startswith("run_"):
                continue
            for _ in range(2):
                run()
            gc.collect()
            line = row(run, pathlib.Path(work, "run.ctp"), rounds)
            print(f"{name[4:]:<22}{line}", flush=True)


if __name__ == "__main__":
    main()
