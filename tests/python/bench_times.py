# SPDX-License-Identifier: MIT
"""The difference between ctprof's times and cProfile's, with real clocks, on
the programs of programs/real.py. Times are not asserted, since the machine may
have been busy. Counts must be equal.

"in log": the share of the program's time that is in the sum of all functions'
own times. A function's cumulative times are near if they differ by at most 5 %
of cProfile's, or by 40 ns for each of its calls:

"as told": the two profilers' times, each with the cost of its own work at the
           events inside
"less own": without that cost. It is the number of events of Python and of C
           inside, and of its own begins and ends, times their cost in
           bench_cost.py's programs
"at once": both in the same execution. A disturbance is in the times of both,
           and each one's work in the other's; the cost of a call between the
           two readings of the clock is subtracted. Not before 3.12, which has
           one profile function only

Each has the number of near functions, and their share of all own time. The
three heaviest functions that are not near by "less own" follow.

    bench_times.py [ROUNDS]      CTPROF is the program
"""

import cProfile
import gc
import importlib
import pathlib
import statistics
import sys
import tempfile
import time

import bench_cost
import exact
import replay
import support

# The largest difference between near times: as a share, or per call.
SHARE, CALL_NS = 0.05, 40
# Runs of a program in each round; they reduce the weight of first-time work in
# either profiler.
REPEAT = 5
MEASURING = ("timed", "<built-in method time.perf_counter_ns>")
TOGETHER = sys.version_info >= (3, 12)


def is_native(key):
    return key[0] == "~"


def is_python(key):
    return not is_native(key)


def clocked(run):
    """The time of REPEAT runs."""
    begin = time.perf_counter_ns()
    for _ in range(REPEAT):
        run()
    return time.perf_counter_ns() - begin


def by_cprofile(run):
    """The functions, and the program's duration."""
    profile = cProfile.Profile()
    profile.enable()
    try:
        took = clocked(run)
    finally:
        profile.disable()
    return exact.functions_of(profile, 1e9), took


def recorded(function, log):
    exact.by_ctprof(function, log, "auto")
    functions = support.stats(log)
    log.unlink()
    return functions


def by_ctprof(run, log):
    took = 0

    def timed():
        nonlocal took
        took = clocked(run)

    return recorded(timed, log), took


def by_both(run, log):
    """cProfile's functions and ours, of the same execution."""
    profile = cProfile.Profile()

    def timed():
        profile.enable()
        clocked(run)
        profile.disable()

    ours = recorded(timed, log)
    return exact.functions_of(profile, 1e9), ours


def counts(functions):
    """Calls and primitive calls, without the measuring itself."""
    return {key: function[:2] for key, function in functions.items()
            if key[2] not in MEASURING + ("clocked",)
            and "_lsprof" not in key[2]}


def is_near(one, other, calls):
    return abs(one - other) <= max(SHARE * other, CALL_NS * calls)


class Costs:
    """The cost of an event under either profiler; and, in one execution, the
    difference between ours and cProfile's time of a call. In nanoseconds: (of
    Python, of C)."""

    def __init__(self, log):
        self.theirs, self.ours = bench_cost.measure(
            REPEAT, (lambda run: ({}, clocked(run)), by_cprofile,
                     lambda run: by_ctprof(run, log)))
        self.longer = TOGETHER and [
            self.between(program, log) for program in
            (bench_cost.PythonCalls(), bench_cost.NativeCalls())]

    @staticmethod
    def between(program, log):
        rounds = [by_both(program.run, log)
                  for _ in range(bench_cost.ROUNDS // 4)]
        keys = filter(program.is_leaf, rounds[0][0])
        return statistics.median(
            min(ours[key].cumtime - theirs[key].cumtime
                for theirs, ours in rounds) / rounds[0][0][key].ncalls
            for key in keys)


class Program:
    """One program's measurements, and the functions that are near by each
    comparison."""

    def __init__(self, run, log, rounds):
        events = replay.Recorder().run(run)
        self.inside = [replay.Replay(events, counted).functions
                       for counted in (is_python, is_native)]
        self.theirs, self.ours, self.both, share = [], [], [], []
        for _ in range(rounds):
            self.theirs.append(by_cprofile(run)[0])
            functions, took = by_ctprof(run, log)
            self.ours.append(functions)
            share.append(sum(each.tottime for key, each in functions.items()
                             if key[2] not in ("timed", "clocked")) / took)
            if TOGETHER:
                self.both.append(by_both(run, log))
        self.in_log = statistics.fmean(share)
        self.counts = counts(self.ours[0])
        if self.counts != counts(self.theirs[0]):
            raise SystemExit(f"{run.__name__}: the counts differ")

    def told(self, key):
        """The least times, ours and cProfile's: the least disturbed."""
        return [min(functions[key].cumtime for functions in rounds)
                for rounds in (self.ours, self.theirs)]

    def less_own(self, key, costs):
        inside = [REPEAT * functions[key].cumtime for functions in self.inside]
        calls = self.counts[key][1]
        # One of its own begin and end each is outside.
        inside[is_native(key)] -= calls
        return [told - calls * of[is_native(key)].call
                - sum(cost.event * events for cost, events in zip(of, inside))
                for told, of in zip(self.told(key),
                                    (costs.ours, costs.theirs))]

    def at_once(self, key, costs):
        """The times in the execution in which they were the nearest."""
        calls = self.counts[key][0] * costs.longer[is_native(key)]
        return min(([ours[key].cumtime - calls, theirs[key].cumtime]
                    for theirs, ours in self.both if key in theirs),
                   key=lambda pair: abs(pair[0] - pair[1]))

    def own_time(self, key):
        return min(functions[key].tottime for functions in self.ours)

    def cell(self, near):
        """The number of near functions, and their share of the time."""
        whole = sum(map(self.own_time, self.counts))
        return f"{len(near):>6}{sum(map(self.own_time, near)) / whole:>7.1%}"

    def row(self, costs):
        def near(times):
            return [key for key, (calls, _) in self.counts.items()
                    if is_near(*times(key), calls)]

        less_own = near(lambda key: self.less_own(key, costs))
        row = f"{self.in_log:>8.1%}{len(self.counts):>7}" + self.cell(
            near(self.told)) + self.cell(less_own)
        if TOGETHER:
            row += self.cell(near(lambda key: self.at_once(key, costs)))
        return row + "".join(
            self.line(key, *self.less_own(key, costs)) for key in sorted(
                set(self.counts) - set(less_own), key=self.own_time)[:-4:-1])

    def line(self, key, ours, theirs):
        calls = self.counts[key][0]
        return (f"\n{'':6}{key[2][:34]:<36}{calls:>7} calls,"
                f"{theirs / 1e3:>9.1f} us,"
                f"{(ours - theirs) / calls:>+7.0f} ns a call")


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    real = importlib.import_module("programs.real")
    gc.disable()
    with tempfile.TemporaryDirectory() as work:
        log = pathlib.Path(work, "run.ctp")
        costs = Costs(log)
        print(f"\n{sys.version.split()[0]}, {rounds} rounds, the least "
              "counts; an event of Python and of C costs cProfile "
              "%.0f and %.0f ns, ctprof %.0f and %.0f ns\n"
              % tuple(each.event for each in costs.theirs + costs.ours)
              + f"{'program':<22}{'in log':>8}{'funcs':>7}"
              f"{'as told':>13}{'less own':>13}"
              + (f"{'at once':>13}" if TOGETHER else ""))
        for name, run in list(vars(real).items()):
            if not name.startswith("run_"):
                continue
            for _ in range(2):
                run()
            gc.collect()
            print(f"{name[4:]:<22}{Program(run, log, rounds).row(costs)}",
                  flush=True)


if __name__ == "__main__":
    main()
