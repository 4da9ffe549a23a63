# SPDX-License-Identifier: MIT
"""The output for SQL and spreadsheets matches Chrome traces.

Usage: sqlite_write.py DIRECTORY TRACE...: works in DIRECTORY.
"""

import collections
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys

from checks import FAILED, equal, run
import sqlite_read

COLUMNS = ("kind number parent cause depth start_ns duration_ns self_ns pid "
           "tid process track device stream name category file line id bytes "
           "value args").split()

SLICES = """
SELECT s.name, p.start_ns, p.duration_ns FROM slices p JOIN sites s USING (site)
UNION ALL
SELECT s.name, a.start_ns, a.duration_ns FROM activities a
JOIN sites s USING (site)
"""

# Where a range begins and ends in the one around it; own times add up.
MISFITS = """
SELECT count(*) FROM slices c JOIN slices p ON p.slice = c.parent
WHERE c.start_ns < p.start_ns OR c.depth <> p.depth + 1
   OR c.start_ns + c.duration_ns > p.start_ns + p.duration_ns
   OR c.track <> p.track
"""
OWN = """
SELECT count(*) FROM slices p WHERE self_ns <> duration_ns -
 (SELECT ifnull(sum(duration_ns), 0) FROM slices c WHERE c.parent = p.slice)
"""


def read_csv(name, path, *options):
    result = run("convert", "-t", "csv", *options, path)
    equal(name + ": csv", result.returncode, 0)
    rows = list(csv.reader(io.StringIO(result.stdout.decode(), newline=""),
                           strict=True))
    equal(name + ": columns", rows[0], COLUMNS)
    equal(name + ": width", {len(row) for row in rows}, {len(COLUMNS)})
    return [dict(zip(COLUMNS, row)) for row in rows[1:]]


def same(name, found, trace):
    """Every slice; those that came as two events have the same begin."""
    whole = collections.Counter((e["name"], e["ts"], e["dur"])
                                for e in sqlite_read.slices(trace))
    begun = collections.Counter((e["name"], e["ts"])
                                for e in trace["traceEvents"]
                                if e["ph"] == "B")
    found = collections.Counter(found)
    equal(name + ": missing", whole - found, collections.Counter())
    rest = collections.Counter()
    for (text, start, _), count in (found - whole).items():
        rest[text, start] += count
    equal(name, rest, begun)


def compare(work, path):
    name = os.path.basename(path)
    trace = sqlite_read.convert(path)
    rows = read_csv(name, path, "--csv-raw")
    timed = [row for row in rows if row["duration_ns"] != ""]
    same(name + ": rows", [
        (row["name"], int(row["start_ns"]), int(row["duration_ns"]))
        for row in timed], trace)
    equal(name + ": numbers", len({row["number"] for row in rows}), len(rows))
    out = os.path.join(work, "out.sqlite")
    equal(name + ": sqlite", run(
        "convert", "--force", path, "-o", out).returncode, 0)
    c = sqlite3.connect(out)
    equal(name + ": whole", c.execute("PRAGMA integrity_check").fetchall(),
          [("ok",)])
    same(name + ": tables", c.execute(SLICES).fetchall(), trace)
    equal(name + ": nesting", c.execute(MISFITS).fetchone()[0], 0)
    equal(name + ": own times", c.execute(OWN).fetchone()[0], 0)
    equal(name + ": events", collections.Counter(
        dict(c.execute("SELECT kind, count(*) FROM events GROUP BY kind"))),
        collections.Counter(row["kind"] for row in rows if row["kind"] not in (
            "range", "slice", "activity", "counter")))
    args = {}
    for row in rows:
        if row["args"]:
            args[int(row["number"])] = json.loads(row["args"])
    equal(name + ": arguments", c.execute(
        "SELECT count(*) FROM args").fetchone()[0],
        sum(map(len, args.values())))
    equal(name + ": losses", dict(c.execute("SELECT * FROM losses")).get(
        "bad_events"), trace["otherData"]["losses"].get("bad_events"))
    return c


def test_causes(work):
    """A kernel's cause is the call; SQL finds the range around that."""
    path = os.path.join(work, "made.sqlite")
    made = sqlite_read.make_nsys(path, "nsys 3.25.0")
    made.execute("INSERT INTO NVTX_EVENTS (start, end, eventType, text, "
                 "globalTid) VALUES (70000, 70001, 59, ?, ?)",
                 ("a,\"b\"\r\n\u00e9", sqlite_read.global_id(100, 7)))
    made.commit()
    c = compare(work, path)
    found = c.execute(
        "SELECT k.start_ns, k.duration_ns, n.name, k.id, k.cause IS NOT NULL, "
        "o.name FROM activities k JOIN sites n USING (site) "
        "LEFT JOIN slices r ON r.slice = k.cause "
        "LEFT JOIN slices p ON p.slice = r.parent "
        "LEFT JOIN sites o ON o.site = p.site "
        "WHERE n.category = 'kernel'").fetchall()
    equal("causes", sorted(found, key=repr), sorted(made.execute(
        sqlite_read.KERNELS).fetchall(), key=repr))
    equal("awkward name", [row["name"] for row in read_csv("made", path, "--csv-raw")
                           if row["start_ns"] == "70000"],
          ["a,\"b\"\r\n\u00e9"])
    equal("functions", c.execute(
        "SELECT calls FROM functions WHERE name = 'cudaLaunchKernel'"
    ).fetchall(), [(60,)])
    c.close()
    made.close()


def test_arguments(work):
    """A cell of arguments is JSON, however the trace had it."""
    path = os.path.join(work, "lines.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write('[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"x",'
                   '"args":{"a":[\n1,\t"=\\n\u202e"],\r\n"b":{\n}}}]')
    for option in ((), ("--csv-raw",)):
        equal(f"arguments on lines {option}",
              [json.loads(row["args"])
               for row in read_csv("lines", path, *option)],
              [{"a": [1, "=\n\u202e"], "b": {}}])


def test_errors(work):
    """A full disk is an error, and leaves nothing behind."""
    path = os.path.join(work, "made.sqlite")
    result = run("convert", "-t", "sqlite", path,
                 env=dict(os.environ, CTPROF_TMPDIR=work + "/missing"))
    equal("no place", (result.returncode, result.stdout), (5, b""))
    with open("/dev/full", "wb") as full:
        for name in ("csv", "sqlite"):
            status = subprocess.run(
                [os.environ["CTPROF"], "convert", "-t", name, path], stdout=full,
                stderr=subprocess.DEVNULL).returncode
            equal("full disk: " + name, status, 5)


def main(work, *traces):
    test_causes(work)
    for path in traces:
        compare(work, path).close()
    test_arguments(work)
    test_errors(work)
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
