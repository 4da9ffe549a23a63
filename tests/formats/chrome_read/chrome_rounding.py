# SPDX-License-Identifier: MIT
"""Checks that rounded times of a Chrome trace do not count time twice.

usage: chrome_rounding.py CTPROF DIRECTORY

Random calls nest exactly. Their starts and durations are rounded separately,
as producers do: to nanoseconds, to microseconds, and to doubles of microseconds
since 1970. No call may be counted outside its caller, own times must not exceed
the threads' spans, and a function's own time must be right but for the rounding.
"""
import collections
import json
import pathlib
import random
import subprocess
import sys

import trace_counts

PS = 10**6  # picoseconds in a microsecond
SINCE_1970 = 1_712_345_678_901_234 * PS
SEEDS = 25


def rounded(digits):
    def text(time):
        unit = PS // 10**digits
        return f"{(time + unit // 2) // unit / 10**digits:.{digits}f}"
    return text


def floored(time):
    return str(time // PS)


def double(time):
    return repr(time / PS)


def printed(time):
    return f"{time / PS:.3f}"


# The time of the first event, and the text of a number.
CLOCKS = {"ns": (0, rounded(3)), "us": (0, rounded(0)),
          "whole us": (SINCE_1970, floored),
          "100 ns": (0, rounded(1)),
          "double": (SINCE_1970, double),
          "double, three decimals": (SINCE_1970, printed)}


class Calls:
    """Random calls, with the own time of each function, in picoseconds."""

    def __init__(self, rng, clock):
        self.rng = rng
        self.base, self.text = CLOCKS[clock]
        self.events = []
        self.own = collections.Counter()
        self.ends = collections.Counter()  # of a function and its callees
        self.spans = 0

    def thread(self, tid):
        # The ends of the recording are not rounded away.
        start = self.rng.randrange(PS) + self.base
        self.call(tid, start, start + self.rng.randrange(50, 20000) * PS, 0)

    def call(self, tid, start, end, depth):
        name = f"f{self.rng.randrange(12)}"
        self.events.append(
            f'{{"ph":"X","pid":1,"tid":{tid},"name":"{name}",'
            f'"ts":{self.text(start)},"dur":{self.text(end - start)}}}')
        self.own[name] += end - start
        self.ends[name] += 2
        at = start
        while depth < 8 and at < end and self.rng.random() < 0.8:
            # Often callees touch each other, or the ends of their caller.
            if self.rng.random() < 0.5:
                at += self.rng.randrange(end - at)
            to = at + self.rng.randrange(end - at) // self.rng.choice((1, 4)) \
                if self.rng.random() < 0.7 else end
            if to == at:
                break
            self.own[name] -= to - at
            self.ends[name] += 2
            self.call(tid, at, to, depth + 1)
            at = to


def check(ctprof, path, calls, who):
    report = json.loads(subprocess.run(
        [ctprof, "stats", "-q", "--json", path],
        stdout=subprocess.PIPE, check=True).stdout)
    failed = []
    trace = trace_counts.Trace(path)
    rows = collections.defaultdict(list)
    for slice_ in trace.host:
        rows[slice_.row].append(slice_)
    spans = sum(max(s.end for s in row) - min(s.start for s in row)
                for row in rows.values())
    overlaps = report["notes"].get("overlaps", 0)
    if overlaps or report["total_ns"] > spans:
        failed.append(f"{overlaps} overlaps, own times are "
                      f"{report['total_ns']} ns of {spans} ns")
    found = collections.Counter()
    for row in report["rows"]:
        found[row["name"]] += row["tottime_ns"]
    for name, own in calls.own.items():
        off = abs(found[name] - own / 1000)
        # Calls that a unit holds are not ordered by it.
        if off > (calls.ends[name] + 2) * 2 * trace.rounding:
            failed.append(f"{name}: {found[name]} ns, not {own / 1000}")
    for line in failed:
        print(f"not ok {who}: {line}")
    return len(failed), report["notes"].get("rounded_ranges", 0)


def main():
    ctprof, path = sys.argv[1], pathlib.Path(sys.argv[2]) / "rounded.json"
    failed = 0
    for clock in CLOCKS:
        total = 0
        for seed in range(SEEDS):
            calls = Calls(random.Random(f"{clock} {seed}"), clock)
            for tid in range(3):
                calls.thread(tid)
            path.write_text("[" + ",\n".join(calls.events) + "]")
            wrong, count = check(ctprof, path, calls, f"{clock}, seed {seed}")
            failed += wrong
            total += count
        if total == 0:
            print(f"not ok {clock}: nothing was rounded")
            failed += 1
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
