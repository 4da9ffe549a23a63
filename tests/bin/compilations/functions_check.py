# SPDX-License-Identifier: MIT
"""Checks the functions of `ctprof compilations`: functions_check.py WORK.

Programs are trees of calls, as Chrome traces with the events of `record
--compile`. The oracle counts each call by itself, from the rules alone."""
import collections
import csv
import io
import json
import pathlib
import random
import sys

from checks import check, equal, finish, output, run

PID = 14760
TORCH = "/x/torch/_dynamo/output_graph.py"


class Call:
    """A range: kind is "function", "back end" or "other"."""

    def __init__(self, kind, name, own, *inner, id=None, file="/a.py"):
        self.kind, self.name, self.own = kind, name, own
        self.inner, self.id, self.file = inner, id, file
        self.up = None
        for call in inner:
            call.up = self

    @property
    def key(self):
        return self.name, self.file, len(self.name)

    @property
    def size(self):
        return 10 * len(self.name)

    @property
    def whole(self):
        return self.own + sum(call.whole for call in self.inner)

    def ancestors(self):
        """The traced functions around it, innermost first."""
        up = self.up
        while up is not None:
            if up.kind == "function":
                yield up
            up = up.up

    @property
    def owner(self):
        """The function or back end whose time this is."""
        call = self
        while call is not None and call.kind == "other":
            call = call.up
        return call

    def all(self):
        yield self
        for call in self.inner:
            yield from call.all()

    def traced(self, out=()):
        """Its time of tracing, without functions that are taken out."""
        time = self.own if self.owner.kind == "function" else 0
        for call in self.inner:
            inlined = call.kind == "function" and next(
                call.ancestors(), None) is not None
            if not (inlined and call.key in out):
                time += call.traced(out)
        return time

    def events(self, start, thread):
        args = {"function": {"bytecode": self.size, "inline_depth": 0},
                "back end": {"backend": "eager"}, "other": {"x": 1}}[self.kind]
        if self.id is not None:
            args["compile_id"] = self.id
        place = {"file": self.file, "line": len(self.name)}
        # Its own time is before what is in it.
        yield {"ph": "B", "ts": start, "pid": PID, "tid": thread,
               "name": self.name, "args": {**place, **args},
               "cat": "python" if self.kind == "other" else "traced"}
        at = start + self.own
        for call in self.inner:
            yield from call.events(at, thread)
            at += call.whole
        yield {"ph": "E", "ts": at, "pid": PID, "tid": thread}


def function(name, own, *inner, **more):
    return Call("function", name, own, *inner, **more)


def own_tracing(call):
    """The time of a function without the functions and back ends in it."""
    time = call.own
    for inner in call.inner:
        if inner.kind == "other":
            time += own_tracing(inner)
    return time


def wanted_functions(calls):
    """({function: row}, traced time of all)"""
    rows = collections.defaultdict(lambda: {
        "ncalls": 0, "pcalls": 0, "tottime_ns": 0, "cumtime_ns": 0,
        "traced_bytecode": 0, "ids": set(), "callers": {}})
    for call in calls:
        row = rows[call.key]
        up = list(call.ancestors())
        own, whole = 1000 * own_tracing(call), 1000 * call.traced()
        primitive = all(other.key != call.key for other in up)
        count(row, own, whole, primitive)
        row["traced_bytecode"] += call.size
        frame = next((one.id for one in (call, *up) if one.id is not None),
                     None)
        if frame is not None:
            row["ids"].add(frame)
        if up:
            edges = {(one.key, two.key) for one, two in zip(up[1:], up)}
            edge = row["callers"].setdefault(up[0].key, {
                "ncalls": 0, "pcalls": 0, "tottime_ns": 0, "cumtime_ns": 0})
            count(edge, own, whole, (up[0].key, call.key) not in edges)
    return rows


def count(row, own, whole, primitive):
    row["ncalls"] += 1
    row["tottime_ns"] += own
    row["pcalls"] += primitive
    row["cumtime_ns"] += whole if primitive else 0


def saved(calls, key, out):
    time = 0
    for call in calls:
        up = list(call.ancestors())
        if call.key == key and up and not any(
                other.key in out or other.key == key for other in up[:-1]):
            time += 1000 * call.traced(out)
    return time


def wanted_picks(calls, order):
    """[(function, saved, saved alone)] by trying each function."""
    picks = []
    while len(picks) < 10:
        out = {pick[0] for pick in picks}
        found = [(key, saved(calls, key, out)) for key in order
                 if key not in out and "torch" not in key[1]]
        best = max(found, key=lambda pair: pair[1], default=(None, 0))
        if best[1] == 0:
            break
        picks.append((*best, saved(calls, best[0], set())))
    return picks


def write(path, roots):
    at = collections.Counter()
    events = []
    for thread, root in roots:
        events += root.events(at[thread], thread)
        at[thread] += root.whole + 1
    path.write_text(json.dumps({"schemaVersion": 1, "ctprof": "0.1.0",
                                "traceEvents": events}))


def key_of(row):
    return row["function"], row["file"], row["line"]


def report(*arguments):
    return json.loads(output("compilations", "-q", "--json", *arguments))


def check_program(name, work, roots):
    path = work / "case.json"
    write(path, roots)
    found = report(path)
    calls = [call for _, root in roots for call in root.all()
             if call.kind == "function"]
    wanted = wanted_functions(calls)
    rows = {key_of(row): row for row in found["functions"]}
    equal(f"{name}: functions", sorted(rows), sorted(wanted))
    for key, row in rows.items():
        want = wanted[key]
        for part in ("ncalls", "pcalls", "tottime_ns", "cumtime_ns",
                     "traced_bytecode"):
            equal(f"{name} {key}: {part}", row[part], want[part])
        equal(f"{name} {key}: compile ids", sorted(row["compile_ids"]),
              sorted(want["ids"]))
        callers = {key_of(caller): {part: caller[part] for part in (
            "ncalls", "pcalls", "tottime_ns", "cumtime_ns")}
            for caller in row["callers"]}
        equal(f"{name} {key}: callers", callers, want["callers"])
    order = sorted(wanted, key=lambda key: (
        -wanted[key]["cumtime_ns"], -wanted[key]["tottime_ns"], key))
    equal(f"{name}: order", list(rows), order)
    equal(f"{name}: most worth taking out", [
        (key_of(row), row["saved_ns"], row["alone_ns"])
        for row in found["take_out"]], wanted_picks(calls, order))
    times = sum(row["tottime_ns"] for row in rows.values())
    equal(f"{name}: the whole", found["tracing_ns"], times)
    check(sum(row["saved_ns"] for row in found["take_out"]) <= times,
          f"{name}: savings do not exceed the whole")
    return found


def check_by_hand(work):
    """forward inlines block (which inlines leaf twice), rec (which inlines
    itself) and leaf; the first attempt stops after block."""
    def block():
        return function("block", 3, function("leaf", 1), function("leaf", 2))
    roots = [
        (1, function("forward", 5, block(), id="0/0")),
        (1, function("forward", 6, block(), function(
            "rec", 4, function("rec", 7, function("leaf", 8))),
            Call("back end", "back end eager", 100, file=TORCH),
            Call("other", "run", 9), id="0/0")),
        (1, function("forward", 2, function("leaf", 1), id="0/1"))]
    found = check_program("by hand", work, roots)
    equal("by hand", [
        (row["function"], row["ncalls"], row["pcalls"],
         row["tottime_ns"] // 1000, row["cumtime_ns"] // 1000,
         row["bytecode"], row["compilations"])
        for row in found["functions"]], [
            ("forward", 3, 3, 22, 54, 70, 2), ("rec", 2, 1, 11, 19, 30, 1),
            ("leaf", 6, 6, 15, 15, 40, 2), ("block", 2, 2, 6, 12, 50, 1)])
    equal("share of bytecode", [row["bytecode_percent"]
                                for row in found["functions"]],
          [34.43, 9.84, 39.34, 16.39])
    # rec saves most; the last leaf is the one that forward inlines itself.
    equal("taken out by hand", [
        (row["function"], row["saved_ns"] // 1000, row["alone_ns"] // 1000,
         row["saved_percent"]) for row in found["take_out"]],
        [("rec", 19, 19, 35.19), ("block", 12, 12, 22.22),
         ("leaf", 1, 15, 1.85)])
    equal("compilations by hand", [
        (row["id"], row["function"], row["line"], row["attempt"],
         row["total_ns"] // 1000, row["dynamo_ns"] // 1000,
         row.get("aot_autograd_ns"), row["restarts_ns"] // 1000,
         row["traced_functions"], row["recompile_reason"])
        for row in found["compilations"]], [
            ("0/0", "forward", 7, 1, 151, 51, 100000, 11, 4, None),
            ("0/1", "forward", 7, 0, 3, 3, None, 0, 2, "unknown")])
    check_forms(work, found)
    return found


def check_forms(work, found):
    """CSV, text, and callers."""
    path = work / "case.json"
    lines = list(csv.DictReader(io.StringIO(output(
        "compilations", "--csv", "--table=functions", path).decode())))
    equal("CSV", [(row["function"], int(row["cumtime_ns"])) for row in lines],
          [(row["function"], row["cumtime_ns"])
           for row in found["functions"]])
    lines = list(csv.DictReader(io.StringIO(output(
        "compilations", "--csv", "--callers", "--table=functions",
        path).decode())))
    equal("CSV with callers", [
        (row["relation"], row["function"], row["ncalls"])
        for row in lines if row["relation"] == "function" or
        row["function"] == "rec"], [
            ("function", "forward", "3"), ("function", "rec", "2"),
            ("caller", "rec", "1"), ("function", "leaf", "6"),
            ("caller", "rec", "1"), ("function", "block", "2")])
    text = output("compilations", "--callers", path).decode()
    for line in ("Functions: 4, traced 13 times; 54.0 us",
                 "Most worth taking out of the compiled region:",
                 "<- rec (a.py:3)"):
        check(line in text, f"text has {line}", text)
    text = output("compilations", "--top=1", path).decode()
    check("3 more not shown" in text, "--top", text)
    equal("--table=functions",
          report("--table=functions", path)["take_out"], found["take_out"])


def random_call(source, depth, has_id):
    kind = "function" if has_id else source.choices(
        ("function", "back end", "other"), (8, 1, 2))[0]
    inner = [random_call(source, depth + 1, source.random() < 0.05)
             for _ in range(source.choice((0, 1, 2, 3)))
             if depth < 7 and source.random() < 0.8]
    return Call(kind, kind if kind != "function" else
                "f" * source.randint(1, 8), source.randrange(5), *inner,
                id=f"{source.randint(0, 3)}/0" if has_id else None,
                file=TORCH if kind == "back end" else source.choice(
                    ("/a.py", "/b.py", "/x/torch/nn.py")))


def check_random(work):
    for seed in range(25):
        source = random.Random(seed)
        check_program(f"seed {seed}", work, [
            (source.randint(1, 2), random_call(source, 0, True))
            for _ in range(3)])


def metrics(compile_id, pid=PID, **members):
    head = {"compilation_metrics": {
        "co_name": "forward", "co_filename": "/a.py", "co_firstlineno": 7,
        "compile_id": compile_id, **members}, "frame_id": 0}
    return (f"V1123 18:31:12.430000 {pid} torch/_dynamo/utils.py:2473] " +
            json.dumps(head) + "\n")


def check_join(work):
    """By process and compile id; older versions have a thread's address."""
    path, log = work / "case.json", work / "trace.log"
    check_by_hand(work)
    for pid, rows in (PID, 2), (140321067091904, 2), (PID + 1, 3):
        log.write_text(metrics("0/0", pid, duration_us=200,
                               dynamo_cumulative_compile_time_us=200))
        for order in (path, log), (log, path):
            found = report(*order)["compilations"]
            equal(f"rows of process {pid}", len(found), rows)
            joined = rows == 2
            equal(f"joined, process {pid}", (
                found[0]["total_ns"], found[0].get("tracing_ns"),
                found[0].get("traced_functions")),
                (200000, 51000 if joined else None, 4 if joined else None))
    # Two logs of unknown processes: neither is joined.
    log.write_text(metrics("0/0", 2 ** 40, duration_us=9))
    other = work / "other.log"
    other.write_text(log.read_text())
    equal("ambiguous", len(report(path, log, other)["compilations"]), 4)


def check_hostile(work):
    """Arguments and ends that do not fit, and sums that are too large."""
    path = work / "case.json"

    def begin(name, at, **args):
        return {"ph": "B", "ts": at, "pid": 1, "tid": 1, "name": name,
                "cat": "traced", "args": args}
    end = {"ph": "E", "ts": 4 * 10 ** 15, "pid": 1, "tid": 1}
    long = [{**begin("long", -9 * 10 ** 15, bytecode=1, compile_id="9/9"),
             "tid": thread} for thread in range(2, 5)]
    ends = [{**end, "ts": 9 * 10 ** 15, "tid": thread}
            for thread in range(2, 5)]
    path.write_text(json.dumps({"traceEvents": [
        end, begin("a", 0, bytecode=2 ** 63 - 1, compile_id=""),
        begin("b", 0, bytecode=-1, compile_id="\n"),
        begin("c", 1, bytecode="x"), begin("d", 1, backend=1),
        end, end, end, end, end, *long, *ends,
        *(begin("deep", 5 * 10 ** 15, bytecode=2 ** 63 - 1) for _ in range(5000))]}))
    found = report(path)
    rows = {row["function"]: row for row in found["functions"]}
    equal("hostile functions", sorted(rows),
          ["a", "b", "deep", "long"])
    equal("hostile bytecode", (rows["deep"]["traced_bytecode"],
                               rows["b"]["bytecode"]), (2 ** 64 - 1, 0))
    equal("hostile depth", (rows["deep"]["ncalls"], rows["deep"]["pcalls"]),
          (5000, 1))
    equal("hostile times", (rows["b"]["tottime_ns"],
                            rows["long"]["tottime_ns"], found["tracing_ns"]),
          (4 * 10 ** 18, 2 ** 64 - 1, 2 ** 64 - 1))
    path.write_text('{"traceEvents": []}')
    done = run("compilations", path)
    check(done.returncode == 0 and b"record --compile" in done.stderr,
          "an input without compilations", done)


def main():
    work = pathlib.Path(sys.argv[1])
    check_by_hand(work)
    check_random(work)
    check_join(work)
    check_hostile(work)
    finish()


main()
