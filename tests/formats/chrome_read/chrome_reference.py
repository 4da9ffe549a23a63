# SPDX-License-Identifier: MIT
"""Compares ctprof's results for Chrome traces with trace_counts.py, exactly.

usage: chrome_reference.py CTPROF DIRECTORY FILE...

Output goes to DIRECTORY. For each file: every row of `ctprof stats` with its
callers, the device activities and their launches, and the losses. The same
again with --join=external and --join=correlation, and from the pstats, the log
and the Chrome trace that ctprof converts it to. A strict parser must read that
trace, with the same number of slices of each name on the same number of host
rows.
"""
import collections
import json
import marshal
import pathlib
import re
import subprocess
import sys

from checks import strict_json
import trace_counts

FIELDS = ("ncalls", "pcalls", "tottime_ns", "cumtime_ns")
ROOT = ("~", 0, "<all threads>")  # of our own making
SHOWN = 8  # most differences of one kind


class Names:
    """A function's name in the trace, which may contain its file: we show "f
    (a.py:1)" of VizTracer, "a.py(1): f" of PyTorch and "$a.py:1 f" of JAX as f
    of a.py:1."""

    def __init__(self, known):
        self.known = known

    def find(self, name, file, line):
        for way in (f"{name} ({file}:{line})", f"{file}({line}): {name}",
                    f"${file}:{line} {name}"):
            if file and way in self.known:
                return way
        return name


class Report:
    """Differences; only some are printed."""

    def __init__(self, path):
        self.path = path
        self.failed = 0

    def same(self, what, found, wanted):
        if found == wanted:
            return
        self.failed += 1
        if not isinstance(wanted, dict):
            print(f"{self.path}: {what}: {found}, counted {wanted}")
            return
        keys = [key for key in {**found, **wanted}
                if found.get(key) != wanted.get(key)]
        for key in sorted(keys, key=repr)[:SHOWN]:
            print(f"{self.path}: {what}: {key}: {found.get(key)}, "
                  f"counted {wanted.get(key)}")
        if len(keys) > SHOWN:
            print(f"{self.path}: {what}: and {len(keys) - SHOWN} more")


def run(ctprof, *arguments):
    done = subprocess.run([ctprof, *map(str, arguments)],
                          stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"ctprof {' '.join(map(str, arguments))}: "
                 f"status {done.returncode}")
    return done.stdout


def costs(table):
    return {key: cost.as_tuple() for key, cost in table.items()}


class Check:
    """One file, and ctprof's results for it."""

    def __init__(self, ctprof, directory, path):
        self.ctprof = ctprof
        self.directory = directory
        self.path = path
        self.plain = trace_counts.Trace(path)
        # Timelines have a range's detail separately.
        self.options = ()
        self.count(self.plain)
        self.names = Names(set(self.trace.slices_by_name()))
        self.report = Report(pathlib.Path(path).name)

    def count(self, trace):
        self.trace = trace
        self.calls = trace_counts.Calls(trace)
        self.work = trace_counts.Work(trace, self.calls)

    def function(self, row):
        """The key of a row's function: a name, or a device activity."""
        device = re.match(r"<gpu:(\d+)", row["file"])
        if device is not None:
            return (row["name"], int(device[1]))
        if self.trace.details and row["file"]:
            line = f":{row['line']}" if row["line"] else ""
            return f"{row['name']} {row['file']}{line}"
        return self.names.find(row["name"], row["file"], row["line"])

    def all(self):
        if self.plain.of_clang or self.plain.of_nvcc:
            self.count(trace_counts.Trace(self.path, details=True))
            self.options = ("--names=mangled",)
        report = self.stats(self.path)
        self.losses(report)
        self.devices(report)
        if self.work.work:
            self.joins()
        self.pstats()
        self.log(report)
        self.count(self.plain)
        self.options = ()
        self.info()
        self.chrome()
        return self.report.failed

    def stats(self, path, *options):
        report = json.loads(run(self.ctprof, "stats", "-q", "--json",
                                "--callers", *self.options, *options,
                                path))
        functions = collections.defaultdict(lambda: (0,) * len(FIELDS))
        edges = {}
        for row in report["rows"]:
            key = self.function(row)
            cost = tuple(row[field] for field in FIELDS)
            functions[key] = tuple(map(sum, zip(functions[key], cost)))
            for caller in row["callers"]:
                edges[self.function(caller), key] = tuple(
                    caller[field] for field in FIELDS)
        self.report.same("functions", functions, {
            **costs(self.calls.functions), **costs(self.work.functions)})
        self.report.same("edges", edges, {
            **costs(self.calls.edges), **costs(self.work.edges)})
        return report

    def joins(self):
        """The launches, by one of the two numbers only."""
        auto = self.work
        for join in ("external", "correlation"):
            self.work = trace_counts.Work(self.trace, self.calls, join)
            report = self.stats(self.path, f"--join={join}")
            self.devices(report)
            self.report.same(
                f"unmatched by {join}",
                {**report["lost"], **report["notes"]}.get("unmatched", 0),
                self.work.unmatched)
        self.work = auto

    def losses(self, report):
        lost = {**report["lost"], **report["notes"]}
        for loss, wanted in (
                ("bad_events", self.trace.bad),
                ("left_out", self.trace.left_out +
                 sum(s.is_span() for s in self.trace.host)),
                ("stray_ends", self.trace.stray_ends),
                ("open_ranges", sum(s.open for s in self.trace.host)),
                ("overlaps", self.calls.overlaps),
                ("cut_calls", self.calls.cut),
                ("rounded_ranges", self.calls.rounded),
                ("unmatched", self.work.unmatched)):
            self.report.same(loss, lost.get(loss, 0), wanted)

    def devices(self, report):
        below = collections.Counter()
        for row in report["rows"]:
            if not row["file"].startswith("<gpu:"):
                below[self.function(row)] += row.get("device_ns", 0)
        self.report.same("device_ns", +below, +self.work.below)

    def info(self):
        report = json.loads(run(self.ctprof, "info", "--json", self.path))
        counts = report["counts"]
        for what, wanted in (
                ("ranges", len(self.trace.host)),
                ("device", len(self.work.work)),
                ("device_other",
                 len(self.trace.device) - len(self.work.work)),
                ("counters", self.trace.kinds["C"])):
            self.report.same(what, counts[what], wanted)
        self.report.same("instants", counts["instants"] + counts["memory"],
                         self.trace.points())

    def pstats(self):
        path = self.directory / "out.pstats"
        run(self.ctprof, "convert", "-q", "--force", "-t", "pstats",
            *self.options, "-o", path, self.path)
        functions = collections.Counter()
        seconds = collections.Counter()
        for key, value in marshal.loads(path.read_bytes()).items():
            if key == ROOT:
                continue
            function = self.function({
                "file": "" if key[0] == "~" else key[0], "line": key[1],
                "name": key[2]})
            functions[function, "ncalls"] += value[1]
            functions[function, "pcalls"] += value[0]
            seconds[function] += value[2]
        wanted = {**self.calls.functions, **self.work.functions}
        self.report.same("pstats", dict(functions), {
            (key, field): getattr(cost, field)
            for key, cost in wanted.items() for field in FIELDS[:2]})
        # A double has only 53 bits for them.
        self.report.same("pstats, tottime", {
            key: round(value, 6) for key, value in seconds.items()}, {
            key: round(cost.tottime_ns / 1e9, 6)
            for key, cost in wanted.items()})

    def log(self, report):
        path = self.directory / "out.ctp"
        run(self.ctprof, "convert", "-q", "--force", "-t", "log", "-o", path,
            self.path)
        again = self.stats(path)
        for part in ("rows", "total_ns", "functions"):
            if again[part] != report[part]:
                self.report.same(f"{part} of the log", part, "the same")

    def chrome(self):
        path = self.directory / "out.json"
        run(self.ctprof, "convert", "-q", "--force", "-t", "chrome",
            "-o", path, self.path)
        strict_json(path.read_bytes())
        written = trace_counts.Trace(path)
        found = collections.Counter()
        for slice_ in written.host + written.device:
            found[self.names.find(slice_.name, slice_.args.get("file"),
                                  slice_.args.get("line"))] += 1
        self.report.same("slices", dict(found),
                         dict(self.trace.slices_by_name()))


def main():
    ctprof, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = 0
    for path in sys.argv[3:]:
        if Check(ctprof, directory, path).all():
            print(f"not ok {path}")
            failed += 1
        else:
            print(f"ok {path}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
