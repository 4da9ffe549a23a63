#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares ctprof diff with independent sums: traces are counted by
trace_counts.py, pstats are read by marshal, names are joined by diff_names.py.

    diff_check.py CTPROF DIRECTORY trace|pstats BASE NEW
    diff_check.py CTPROF DIRECTORY random ROUNDS
"""
import csv
import io
import json
import marshal
import os
import random
import re
import sys

from checks import equal, finish, output
import trace_counts
from diff_names import moved_files, normal_file, normal_name

CTPROF, WORK = sys.argv[1:3]
KINDS = ("function", "kernel", "gpu_memcpy", "gpu_memset")
KEYS = ("total", "self", "count", "ratio", "name")
PYTHON = re.compile(r"(.+)\(([0-9]{1,9})\): (.+)", re.DOTALL)


def function_of(name):
    place = PYTHON.fullmatch(name)
    if place:
        return place[3], place[1], int(place[2]), "function"
    return name, "", 0, "function"


def read_trace(path, match):
    """{(name, file, line, kind): (count, total, self)}; the time of joined
    functions is that of the outermost call."""
    trace = trace_counts.Trace(path, details=True)
    calls = trace_counts.Calls(
        trace, lambda name: key_of(match, function_of(name)))
    work = trace_counts.Work(trace, calls)
    costs = {}
    for name, cost in calls.functions.items():
        costs[function_of(name)] = (cost.ncalls, cost.cumtime_ns,
                                    cost.tottime_ns)
    for slice_ in work.work:
        key = (slice_.name, "", 0, slice_.category)
        count, total, _ = costs.get(key, (0, 0, 0))
        total += slice_.dur
        costs[key] = (count + 1, total, total)
    return costs


def nanoseconds(time):
    return round(time * 1e9)


def from_outside(match, key, functions, stats):
    """The time of these functions' calls by other functions."""
    time = 0
    for function in functions:
        _, ncalls, _, cumtime, callers = stats[function]
        root = nanoseconds(cumtime)
        for caller, (_, count, _, spent) in callers.items():
            ncalls -= count
            root -= nanoseconds(spent)
            if key_of(match, in_pstats(caller)) != key:
                time += nanoseconds(spent)
        if ncalls > 0:
            time += max(root, 0)
    return time


def in_pstats(function):
    file, line, name = function
    return (name, "", 0, "function") if file == "~" else (
        name, file, line, "function")


def read_pstats(path, match):
    """The same; the time of joined functions is at most the sum of theirs, and
    at most their time for callers outside."""
    with open(path, "rb") as file:
        stats = marshal.load(file)
    costs, joined = {}, {}
    for function, (_, ncalls, tottime, cumtime, _) in stats.items():
        costs[in_pstats(function)] = (
            ncalls, nanoseconds(cumtime), nanoseconds(tottime))
        joined.setdefault(key_of(match, in_pstats(function)),
                          []).append(function)
    for key, functions in joined.items():
        if len(functions) > 1:
            times = [costs[in_pstats(one)][1] for one in functions]
            total = min(sum(times), max(
                max(times), from_outside(match, key, functions, stats)))
            for one in map(in_pstats, functions):
                costs[one] = costs[one][0], total, costs[one][2]
                total = 0
    return costs


def median(values):
    values = sorted(values)
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    return (low + high) // 2


def side(runs):
    """The figures of a row, which a run may lack."""
    found = sum(run is not None for run in runs)
    if found == 0:
        return None
    figures = list(zip(*(run or (0, 0, 0) for run in runs)))
    middle = [median(values) for values in figures]
    spread = [median([abs(value - middle[i]) for value in figures[i]])
              for i in range(3)]
    return {"count": middle[0], "total_ns": middle[1], "self_ns": middle[2],
            "runs": found, "count_mad": spread[0], "total_mad_ns": spread[1],
            "self_mad_ns": spread[2]}


def change(base, new):
    ratio = None
    if base and new and base["total_ns"]:
        ratio = new["total_ns"] / base["total_ns"]

    def delta(key):
        return (new or {}).get(key, 0) - (base or {}).get(key, 0)

    return {"base": base, "new": new, "delta_ns": delta("total_ns"),
            "ratio": ratio, "delta_self_ns": delta("self_ns"),
            "delta_count": delta("count")}


def key_of(match, function):
    name, file, line, kind = function
    if match == "name" or kind != "function":
        file = ""
    if match != "exact":
        name, file = normal_name(name), normal_file(file)
    return name, file, line if match in ("line", "exact") else None, kind


def moved_keys(match, sides):
    """Maps a key of the base side to that of the new one."""
    if match not in ("file", "line"):
        return lambda key: key
    files = moved_files(*({key_of(match, function)[1] for run in runs
                           for function in run} for runs in sides))
    return lambda key: (key[0], files.get(key[1], key[1]), *key[2:])


def join(match, sides):
    """The rows, unordered, and the two sums."""
    rows, lines = {}, {}
    counts = [len(runs) for runs in sides]
    moved = moved_keys(match, sides)
    for number, runs in enumerate(sides):
        for run, costs in enumerate(runs):
            for function, cost in costs.items():
                host = function[3] == "function"
                own = (cost[0], cost[2], cost[2])
                key = key_of(match, function)
                if number == 0:
                    key = moved(key)
                lines.setdefault((key, number), []).append(function[2])
                for key, cost in ((key, cost), ((host,), own)):
                    row = rows.setdefault(
                        key, [[None] * count for count in counts])
                    old = row[number][run] or (0, 0, 0)
                    row[number][run] = tuple(map(sum, zip(old, cost)))
    nothing = [[None] * count for count in counts]
    sums = [change(*(side(runs) for runs in rows.pop((host,), nothing)))
            for host in (True, False)]
    out = []
    for key, row in rows.items():
        line = min(lines.get((key, 1)) or lines[key, 0])
        out.append(dict({"name": key[0], "file": key[1], "line": line,
                         "kind": key[3]}, **change(*map(side, row))))
    return out, sums


def order(sort):
    def figures(row):
        field = {"self": "self_ns", "count": "count"}.get(sort, "total_ns")
        return ((row["base"] or {}).get(field, 0),
                (row["new"] or {}).get(field, 0))

    def place(row):
        base, new = figures(row)
        text = (row["name"], row["file"], row["line"],
                KINDS.index(row["kind"]))
        size = -abs(new - base)
        if sort == "name":
            return text
        if sort == "ratio":
            low, high = sorted((base, new))
            by = 1 if high == 0 else high / low if low else float("inf")
            return (-by, size) + text
        return (size,) + text
    return place


def check_csv(what, text, rows):
    found = list(csv.DictReader(io.StringIO(text)))
    wanted = []
    for row in rows:
        line = {key: row[key] for key in ("name", "file", "line", "kind")}
        for name in ("base", "new"):
            for field in ("count", "total_ns", "self_ns", "total_mad_ns",
                          "self_mad_ns"):
                line[f"{name}_{field}"] = row[name][field] if row[name] else ""
        for field in ("delta_ns", "ratio", "delta_self_ns", "delta_count"):
            line[field] = "" if row[field] is None else row[field]
        wanted.append(line)
    for line, want in zip(found, wanted):
        if line["ratio"]:
            line["ratio"] = float(line["ratio"])
        equal(f"{what}: a line", line, {
            key: value if key == "ratio" else str(value)
            for key, value in want.items()})
    equal(f"{what}: lines", len(found), len(wanted))


def check_diff(what, read, files, options=()):
    """With every way to match, each in another order."""
    base, new = files
    names = [*base, *new]
    if len(base) > 1:
        names = ["--runs", *base, "--", *new]
    for number, match in enumerate(("file", "name", "line", "exact")):
        sort = KEYS[(number + len(what)) % len(KEYS)]
        arguments = [*options, f"--match={match}", f"--sort={sort}", *names]
        report = json.loads(output("diff", "-q", "--json", *arguments))
        rows, sums = join(match, [[read(path, match) for path in paths]
                                  for paths in files])
        rows.sort(key=order(sort))
        title = f"{what}, {match}, {sort}"
        equal(f"{title}: functions", [row["name"] for row in report["rows"]],
              [row["name"] for row in rows])
        for row, wanted in zip(report["rows"], rows):
            equal(f"{title}: {wanted['name']}", row, wanted)
        equal(f"{title}: sums", [report["host"], report["device"]], sums)
        equal(f"{title}: counts",
              (report["common"], report["added"], report["removed"]),
              (sum(1 for row in rows if row["base"] and row["new"]),
               sum(1 for row in rows if not row["base"]),
               sum(1 for row in rows if not row["new"])))
        equal(f"{title}: runs", (report["base_runs"], report["new_runs"]),
              (len(base), len(new)))
        text = output("diff", "-q", "--csv-raw", *arguments).decode()
        check_csv(title, text, rows)


NAMES = ("main", "f.isra.0", "f", "g<int>", "g<float>", "step#1", "step#2",
         "k_0d1d2", "k", "triton_poi_add_0", "triton_poi_add_1", "h, \"i\"",
         "<lambda>", "f at 0x7fffabcd", "f at 0x7fff1234", "ä\n")
FILES = ("", "a.c", "/x/b.py", "/t/ab/" + "cab0123456789" * 4 + ".py")
PLACES = {"b": ("/v/1/c.c", "/v/1/d/c.c", "/v/1/d/e.h", "/u/k.h", "/w/k.h"),
          "n": ("/v/2/c.c", "/v/2/d/c.c", "d/e.h", "/i/f/k.h", "/t/c.h")}


def random_run(chance, path, places):
    stats = {}
    for _ in range(chance.randrange(30)):
        name = chance.choice(NAMES)
        file = chance.choice(FILES + places)
        line = chance.randrange(1, 4) if file else 0
        own = chance.choice((0, 1, 1000, chance.randrange(10**10)))
        total = own + chance.choice((0, 1, chance.randrange(10**10)))
        calls = chance.randrange(1, 50)
        callers = {}
        for caller in chance.sample(sorted(stats), min(len(stats), 3)):
            count = chance.randrange(1, 20)
            time = chance.randrange(total + 1) / 1e9
            callers[caller] = count, count, time, time
        stats[file or "~", line, name] = (calls, calls, own / 1e9,
                                          total / 1e9, callers)
    with open(path, "wb") as out:
        marshal.dump(stats, out)


def check_random(seed):
    chance = random.Random(seed)
    counts = (1, 1) if seed % 2 else (chance.randrange(2, 6),
                                      chance.randrange(1, 6))
    files = []
    for letter, count in zip("bn", counts):
        files.append([os.path.join(WORK, f"{letter}{i}.pstats")
                      for i in range(count)])
        for path in files[-1]:
            random_run(chance, path, PLACES[letter])
    check_diff(f"random {seed}", read_pstats, files)


def main():
    kind = sys.argv[3]
    if kind == "random":
        for seed in range(int(sys.argv[4])):
            check_random(seed)
    else:
        paths = sys.argv[4:6]
        read = read_trace if kind == "trace" else read_pstats
        check_diff(os.path.basename(paths[0]), read,
                   [[path] for path in paths], ["--across-devices"])


main()
finish()
