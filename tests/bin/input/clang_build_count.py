# SPDX-License-Identifier: MIT
"""Sums clang's -ftime-trace files below a directory, by another method than
ctprof's, and compares the sums with a report of ctprof stats.

usage: clang_build_count.py [--whole] REPORT DIRECTORY...
       --whole: clang has left nothing out (its granularity is 0)

Each file is a tree of ranges, found by sorting; each group is the tree with
only its ranges left in it.
"""
import collections
import gzip
import json
import os
import sys

PHASES = {
    "ExecuteCompiler": "compiler", "Frontend": "frontend",
    "Source": "headers", "PerformPendingInstantiations": "templates",
    "InstantiateClass": "templates", "InstantiateFunction": "templates",
    "CodeGen Function": "IR generation", "DebugType": "IR generation",
    "DebugGlobalVariable": "IR generation",
    "DebugConstGlobalVariable": "IR generation", "Backend": "backend",
    "Optimizer": "optimizer", "PerFunctionPasses": "optimizer",
    "PerModulePasses": "optimizer", "CodeGenPasses": "machine code"}
PLACES = ("ParseDeclarationOrFunctionDefinition", "EvaluateAsConstantExpr")


def fail(text):
    sys.exit("clang_build_count.py: " + text)


def load(path):
    """Events of a trace, or None if the file holds something else."""
    opener = gzip.open if path.endswith(".gz") else open
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            document = json.load(file)
    except (ValueError, OSError):
        return None
    if not isinstance(document, dict) or "traceEvents" not in document:
        return None
    return document["traceEvents"]


def ranges_of(events):
    """(row, start, end, name, detail, index) of ranges that nest; asynchronous
    headers have their own row."""
    ranges = []
    begun = None
    for index, event in enumerate(events):
        name = event["name"]
        row = (event["pid"], event["tid"])
        detail = event.get("args", {}).get("detail", "")
        if event["ph"] == "X" and not name.startswith("Total "):
            ranges.append((row, event["ts"], event["ts"] + event["dur"],
                           name, detail, index))
        elif event["ph"] == "b":
            begun = event
        elif event["ph"] == "e":
            ranges.append((row + ("headers",), begun["ts"], event["ts"],
                           name, begun["args"]["detail"], index))
    return ranges


def group_keys(name, detail, on_row):
    """A range's key in each group: {group: (name, file)}."""
    whole = name + " " + detail if detail else name
    keys = {}
    if not on_row:
        return {"header": (name, os.path.normpath(detail))}
    keys["name"] = (name, "")
    if name in PHASES:
        keys["phase"] = (PHASES[name], "")
    if name == "Source":
        keys["header"] = (name, os.path.normpath(detail))
    if name in ("InstantiateClass", "InstantiateFunction"):
        keys["template"] = (whole, "")
    if name in ("OptFunction", "CodeGen Function"):
        keys["function"] = (whole, "")
    return keys


class Cost:
    def __init__(self):
        self.ncalls = self.pcalls = self.tottime = self.cumtime = 0

    def figures(self):
        return (self.ncalls, self.pcalls, self.tottime * 1000,
                self.cumtime * 1000)


def add_group(costs, edges, ranges):
    """Adds ranges (row, start, end, key, order), the outer ones first, to the
    costs."""
    stacks = collections.defaultdict(list)
    for row, start, end, key in ranges:
        stack = stacks[row]
        # A range that begins where another ends comes after it, unless that is
        # empty.
        while stack and not (end <= stack[-1][1] and (
                start < stack[-1][1] or stack[-1][0] == start)):
            stack.pop()
        cost = costs[key]
        cost.ncalls += 1
        cost.tottime += end - start
        if stack:
            costs[stack[-1][2]].tottime -= end - start
            edges[(stack[-1][2], key)] += 1
        if all(above[2] != key for above in stack):
            cost.pcalls += 1
            cost.cumtime += end - start
        stack.append((start, end, key))


def add_file(groups, edges, path, events):
    ranges = ranges_of(events)
    # Children come before their parents in the file.
    ranges.sort(key=lambda r: (r[1], -r[2], -r[5]))
    by_group = collections.defaultdict(list)
    for row, start, end, name, detail, _ in ranges:
        for group, key in group_keys(name, detail, len(row) == 2).items():
            by_group[group].append((row, start, end, key))
    for group, chosen in by_group.items():
        add_group(groups[group], edges[group], chosen)
    unit = groups["unit"][(path, "")]
    unit.ncalls = unit.pcalls = 1
    unit.tottime = unit.cumtime = sum(
        r[2] - r[1] for r in ranges if r[3] == "ExecuteCompiler")
    # Since clang 19, where headers are asynchronous, it counts only a few.
    return sum(event["args"]["count"] for event in events
               if event["name"] == "Total Source" and
               not any(len(r[0]) > 2 for r in ranges))


def count(directories):
    groups = collections.defaultdict(lambda: collections.defaultdict(Cost))
    edges = collections.defaultdict(collections.Counter)
    units = aliens = told = 0
    for directory in directories:
        for root, _, files in os.walk(directory):
            for name in files:
                path = os.path.join(root, name)
                if not name.endswith((".json", ".json.gz")):
                    continue
                if os.path.islink(path) or os.path.getsize(path) == 0:
                    continue
                events = load(path)
                if events is None:
                    aliens += 1
                    continue
                unit = os.path.relpath(path, directory)
                unit = unit.replace(".gz", "").replace(".json", "")
                units += 1
                told += add_file(groups, edges, unit, events)
    return groups, edges, units, aliens, told


def compare(report, group, costs, edges):
    found = {}
    for row in report["rows"]:
        if row["group"] != group:
            continue
        key = (row["name"], row["file"])
        found[key] = (row["ncalls"], row["pcalls"], row["tottime_ns"],
                      row["cumtime_ns"])
        for caller in row.get("callers", []) if group == "header" else []:
            edge = ((caller["name"], caller["file"]), key)
            if edges.pop(edge, 0) != caller["ncalls"]:
                fail("header: %s: not included so often by %s" %
                     (key[1], caller["file"]))
    for key in sorted(set(found) | set(costs)):
        want = costs[key].figures() if key in costs else None
        if found.get(key) != want:
            fail("%s: %s: %s, not %s" % (group, key, found.get(key), want))
    total = sum(cost.tottime for cost in costs.values()) * 1000
    if report["groups"][group]["total_ns"] != total:
        fail("%s: %d, not %d" % (
            group, report["groups"][group]["total_ns"], total))
    if group == "header" and edges:
        fail("header: %d edges are missing" % len(edges))


def main():
    arguments = sys.argv[1:]
    whole = arguments[0] == "--whole"
    report_path, *directories = arguments[whole:]
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    groups, edges, units, aliens, told = count(directories)
    if report["schema"] != "ctprof/build/1" or report["truncated"]:
        fail("not a whole report")
    if report["units"] != units or units == 0:
        fail("%d units, not %d" % (report["units"], units))
    if report["skipped"].get("no_trace", 0) != aliens:
        fail("%s skipped, not %d" % (report["skipped"], aliens))
    names = {row["group"] for row in report["rows"]}
    for group in sorted(names - {"template-set"}):
        compare(report, group, groups[group], edges[group])
    # clang counts only the outermost of nested ranges of the same name.
    outer = groups["name"][("Source", "")].pcalls
    if whole and outer != told:
        fail("clang counts %d headers, not %d" % (told, outer))
    print("%d units, %d inclusions, %d aliens" % (units, sum(
        cost.ncalls for cost in groups["header"].values()), aliens))


main()
