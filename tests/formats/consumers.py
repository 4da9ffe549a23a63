#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Passes ctprof's output to its usual readers.

    consumers.py pstats FILE STATS.json   pstats and snakeviz load the profile,
                                          and every number in it is that of
                                          `ctprof stats --json --callers`
    consumers.py gprof2dot FORMAT FILE [NAME...]
                                          gprof2dot draws the file without a
                                          warning, and all functions named
    consumers.py json FILE                the file is strict JSON

Exit status 1, with what differs on stderr, if one of them is not so. Needs
gprof2dot and snakeviz from PyPI, beside Python itself.
"""

import pstats
import re
import subprocess
import sys

from checks import strict_json

# Prefix of the root's name.
ROOT = "<all threads"

# A node of a dot file by gprof2dot, with its label.
QUOTED = r'"(?:[^"\\]|\\.)*"'
NODE = re.compile(
    rf'^\t(?:{QUOTED}|[^\s"]+) \[(?:\w+=(?:{QUOTED}|[^\s",]+), )*'
    r'label="((?:[^"\\]|\\.)*)"', re.M)


def fail(*words):
    sys.exit("consumers.py: " + " ".join(str(word) for word in words))


def same(what, found, expected):
    if found != expected:
        fail(what, "is", found, "but should be", expected)


def no_duplicates(pairs):
    found = {}
    for key, value in pairs:
        if key in found:
            fail("the key", repr(key), "is there twice")
        found[key] = value
    return found


def load_json(path):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8")
    return strict_json(text, object_pairs_hook=no_duplicates)


def key_of(row):
    """The key of a statistics row in a pstats file."""
    def safe(text):
        return re.sub(r"<(?=/script|!--)", r"<\\", text, flags=re.ASCII | re.I)
    return safe(row["file"]) or "~", row["line"], safe(row["name"])


def add_costs(table, row):
    costs = [row["ncalls"], row["pcalls"], row["tottime_ns"],
             row["cumtime_ns"]]
    old = table.setdefault(key_of(row), [0, 0, 0, 0])
    table[key_of(row)] = [a + b for a, b in zip(old, costs)]


def expected_tables(rows):
    """Costs by key, and by caller for each key; equal keys are summed."""
    functions, callers = {}, {}
    for row in rows:
        add_costs(functions, row)
        for caller in row["callers"]:
            add_costs(callers.setdefault(key_of(row), {}), caller)
    return functions, callers


def check_snakeviz(stats):
    from snakeviz.stats import json_stats, table_rows

    same("snakeviz's number of rows", len(table_rows(stats)), len(stats.stats))
    page = repr(table_rows(stats)) + repr(json_stats(stats))
    if re.search(r"</script|<!--", page, re.ASCII | re.I):
        fail("a name would end snakeviz's script")


def check_root(key, entry, stats):
    cc, nc, tt, ct, callers = entry
    same("the root's file and line", key[:2], ("~", 0))
    same("the root's name", key[2][:len(ROOT)], ROOT)
    same("the root's costs", (cc, nc, tt, callers), (1, 1, 0, {}))
    edges = [row[4][key] for row in stats.values() if key in row[4]]
    same("the root's time in ns", round(ct * 1e9),
         sum(round(edge[3] * 1e9) for edge in edges))


def pstats_command(path, statistics):
    stats = pstats.Stats(path)
    functions, callers = expected_tables(load_json(statistics)["rows"])
    roots = [key for key in stats.stats if key not in functions]
    same("the number of roots", len(roots), 1)
    check_root(roots[0], stats.stats[roots[0]], stats.stats)
    same("the number of functions", len(stats.stats), len(functions) + 1)
    for key, (ncalls, pcalls, tottime, cumtime) in functions.items():
        entry = stats.stats[key]
        same(key, entry[:4], (pcalls, ncalls, tottime / 1e9, cumtime / 1e9))
        found = dict(entry[4])
        from_root = found.pop(roots[0], (0,))[0]
        expected = {caller: (costs[0], costs[1], costs[2] / 1e9,
                             costs[3] / 1e9)
                    for caller, costs in callers.get(key, {}).items()}
        same(f"callers of {key}", found, expected)
        same(f"calls of {key} by its callers",
             from_root + sum(caller[0] for caller in found.values()), ncalls)
        for caller in found:
            if caller not in stats.stats:
                fail("the caller", caller, "has no entry")
    check_snakeviz(stats)


def gprof2dot_command(kind, path, *names):
    run = subprocess.run(
        [sys.executable, "-m", "gprof2dot", "-n0", "-e0", "-f", kind, path],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if run.returncode != 0 or run.stderr != "":
        fail("gprof2dot:", run.stderr, "status", run.returncode)
    shown = set()
    for label in NODE.findall(run.stdout):
        lines = re.sub(r"\\n|\\(.)", lambda m: m.group(1) or "\n", label)
        shown.update(lines.split("\n"))
    # In a pstats file, the name is "module:line:name"; there are modules like
    # "<gpu:0>".
    shown.update([re.sub(r"^(<.*?>|[^:]*):\d+:", "", line) for line in shown])
    for name in names:
        if name not in shown:
            fail("gprof2dot shows no", repr(name))


def json_command(path):
    load_json(path)


COMMANDS = {"pstats": pstats_command, "gprof2dot": gprof2dot_command,
            "json": json_command}

if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
