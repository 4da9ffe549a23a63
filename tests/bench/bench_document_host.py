# SPDX-License-Identifier: MIT
"""Work of the host, for tests/bench/bench_document.py: times of functions,
averages of operators, and times by phase."""
import collections
import re

from bench_document_nest import HALF, find_operators, in_order, nest

LOCATION = re.compile(r"(.*)\((\d+)\): (.*)", re.DOTALL)


def functions(threads, work, top):
    """Calls, calls without recursion, their total time, self time."""
    rows = {}
    for ranges in threads.values():
        time_thread(ranges, rows)
    tables = [("host", name, row) for name, row in rows.items()]
    tables += [("device", name, [len(times), len(times), sum(times),
                                 sum(times)])
               for name, times in by_name(work).items()]
    tables.sort(key=lambda item: -item[2][2])
    return [{"kind": kind, "name": name, "ncalls": row[0], "pcalls": row[1],
             "total": row[2], "self": row[3]}
            for kind, name, row in tables[:top]]


def by_name(work):
    found = collections.defaultdict(list)
    for event in work:
        found[event["name"]].append(event["dur"])
    return found


def time_thread(ranges, rows):
    """The last figure of a row counts its open calls."""
    ranges.sort(key=in_order)
    stack, ends = [], []
    for event in ranges:
        start, length = event["ts"], event["dur"]
        while ends and ends[-1] < start + HALF:
            ends.pop()
            stack.pop()[4] -= 1
        row = rows.get(event["name"])
        if row is None:
            row = rows[event["name"]] = [0, 0, 0, 0, 0]
        row[0] += 1
        row[3] += length
        if stack:
            stack[-1][3] -= length
        if row[4] == 0:
            row[1] += 1
            row[2] += length
        row[4] += 1
        stack.append(row)
        ends.append(start + length)
    for row in stack:
        row[4] -= 1


def names(threads, work, top):
    return average(threads, work, top, lambda event: event["name"])


def shapes(threads, work, top):
    return average(threads, work, top, lambda event: (
        event["name"], str(event["args"].get("Input Dims", ""))
        if "args" in event else ""))


def average(threads, work, top, key):
    """Sums of all ranges with a key, nested ones included, as key_averages()
    adds them up: count, host time and self time, device time with and without
    callees."""
    operators = find_operators(threads)
    caused = collections.defaultdict(float)
    rows = collections.defaultdict(lambda: [0, 0.0, 0.0, 0.0, 0.0])
    for event in work:
        operator = operators.get(event["args"].get("External id"))
        if operator is not None:
            caused[id(operator)] += event["dur"]
    for ranges in threads.values():
        average_thread(ranges, caused, key, rows)
    tables = [("host", *row) for row in rows.items()]
    tables += [("device", name, (len(times), 0.0, 0.0, sum(times), sum(times)))
               for name, times in by_name(work).items()]
    tables.sort(key=lambda item: -item[2][1])
    return [{"kind": kind, "key": key, "count": row[0], "total": row[1],
             "self": row[2], "device": row[3], "self_device": row[4],
             "mean": row[1] / row[0], "device_mean": row[3] / row[0]}
            for kind, key, row in tables[:top]]


def average_thread(ranges, caused, key, rows):
    """Last to first: a range comes after all its callees."""
    parents, own = nest(ranges)
    inside = [0.0] * len(ranges)
    for number in range(len(ranges) - 1, -1, -1):
        event = ranges[number]
        self_device = caused.get(id(event), 0.0)
        device = inside[number] + self_device
        row = rows[key(event)]
        row[0] += 1
        row[1] += event["dur"]
        row[2] += own[number]
        if device:
            row[3] += device
            row[4] += self_device
            if parents[number] >= 0:
                inside[parents[number]] += device


def phases(threads, _work, _top, *paths):
    """Self time by the rules, among all files, that match most of the time."""
    known = collections.Counter()
    for ranges in threads.values():
        for event in ranges:
            known[event["name"], event.get("cat", "")] += event["dur"]
    best, most = {}, 0
    for path in paths:
        phase_of = find_phases(read_rules(path), known)
        time = sum(known[key] for key in phase_of)
        if time > most:
            best, most = phase_of, time
    counts, times = collections.Counter(), collections.Counter()
    for ranges in threads.values():
        phase_thread(ranges, best, counts, times)
    return [{"phase": phase, "count": counts[phase], "self": times[phase]}
            for phase in times]


def phase_thread(ranges, phase_of, counts, times):
    parents, own = nest(ranges)
    phases_of, covered = [], 0
    for number, event in enumerate(ranges):
        around = (phases_of[parents[number]] if parents[number] >= 0
                  else "(unknown)")
        phase, again = phase_of.get((event["name"], event.get("cat", "")),
                                    (None, False))
        if phase is None or again and phase == around:
            phase = around
        else:
            counts[phase] += 1
        phases_of.append(phase)
        times[phase] += own[number]
        covered += own[number]
    last = max(event["ts"] + event["dur"] for event in ranges)
    times["(idle)"] += last - ranges[0]["ts"] - covered


def find_phases(rules, keys):
    """Phase of each name and category that a rule matches."""
    found = {}
    for key in keys:
        name, category = key
        location = LOCATION.fullmatch(name)
        file, name = location.group(1, 3) if location else ("", name)
        for phase, again, names_of, files, categories in rules:
            if (names_of(name) and (files is None or files(file)) and
                    (categories is None or categories(category))):
                found[key] = phase, again
                break
    return found


def read_rules(path):
    """Rules of synchronous ranges: a phase, whether it is an `again`, and the
    patterns for name, file and category."""
    rules, phase, limits = [], None, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            key, _, value = line.strip().partition(" ")
            value = value.strip()
            if key == "phase":
                phase, limits = value, {}
            elif key in ("name", "again"):
                rules.append((phase, key == "again", match(value),
                              limits.get("file"), limits.get("category")))
            elif key in ("file", "category"):
                limits[key] = match(value)
    return rules


def match(pattern):
    parts = re.findall(r"\\.|.", pattern)
    return re.compile("".join(".*" if part == "*" else re.escape(part[-1])
                              for part in parts), re.DOTALL).fullmatch
