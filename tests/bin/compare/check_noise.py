#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ctprof check on measured noise: twenty runs a side, a quarter of the noise.
test_regression.c makes many more such pairs.

    check_noise.py CTPROF DIRECTORY TIMES
"""
import os
import random
import subprocess
import sys

CTPROF, WORK, TIMES = sys.argv[1:4]
RUNS = 20
SHARE = 0.25


def read_times():
    times = {}
    with open(TIMES, encoding="ascii") as file:
        for line in file:
            name, *values = line.rstrip("\n").split("\t")
            if not name.startswith("("):
                times[name] = sorted(map(int, values))
    return times


def make_run(chance, times, slow, path):
    """Functions that call nothing: the measured times include callees."""
    place = chance.random()
    with open(path, "w", encoding="ascii") as out:
        for name, values in times.items():
            low, part = divmod(place * (len(values) - 1), 1)
            low = int(low)
            time = values[low] * (1 - part) + values[low + 1] * part
            middle = (values[9] + values[10]) / 2
            time = middle + (time - middle) * SHARE
            if name in slow:
                time *= 1.1
            out.write(f"{name} {round(time * 1000)}\n")


def check(seed, times, slow):
    chance = random.Random(seed)
    sides = []
    for side, names in (("base", ()), ("new", slow)):
        paths = [os.path.join(WORK, f"{side}{i}.folded") for i in range(RUNS)]
        for path in paths:
            make_run(chance, times, names, path)
        sides.append(paths)
    done = subprocess.run(
        [CTPROF, "check", "-q", "--csv", "--min-time=0", "--runs", *sides[0], "--",
         *sides[1]], capture_output=True, check=False, text=True)
    found = [line.split(",")[0] for line in done.stdout.splitlines()
             if ",slower," in line]
    wanted = (1 if slow else 0, sorted(slow))
    if (done.returncode, sorted(found)) == wanted:
        return True
    print(f"pair {seed}: status {done.returncode}, slower {found}, "
          f"not {wanted}: {done.stderr}")
    return False


TIMES_OF = read_times()
NAMES = list(TIMES_OF)
good = all([check(seed, TIMES_OF, [NAMES[seed * 5]] if seed % 2 else [])
            for seed in range(4)])
sys.exit(not good)
