# SPDX-License-Identifier: MIT
"""Checks the reader of TORCH_TRACE logs: torch_trace.py TRACES WORK.

The oracle collects the chromium_event records of a log, as tlparse does, and
sums their times up by itself."""
import collections
import csv
import decimal
import gzip
import io
import json
import pathlib
import sys

from checks import check, equal, finish, output, read_json, run, strict_json
from torch_records import torch_records


def chromium_events(text):
    return [json.loads(payload, parse_float=decimal.Decimal)
            for head, payload in torch_records(text)
            if "chromium_event" in head]


def sums(events):
    """{name: (calls, ns)} of pairs; a recursive call is not added again.
    Ranges of one name may overlap others: an end closes the last one of its
    name."""
    calls = collections.Counter()
    times = collections.Counter()
    stack = []
    for event in events:
        if event["ph"] == "B":
            stack.append(event)
        elif event["ph"] == "E":
            at = max(i for i, open_event in enumerate(stack)
                     if open_event["name"] == event["name"])
            begin = stack.pop(at)
            calls[begin["name"]] += 1
            if all(other["name"] != begin["name"] for other in stack):
                times[begin["name"]] += round(
                    (event["ts"] - begin["ts"]) * 1000)
    return {name: (calls[name], times[name]) for name in calls}


def merge_workers(table):
    """Files are compiled by threads, but all events are of one thread: such a
    range may overlap the range that waits for it, and one of them is clipped.
    The sum remains."""
    names = ("compile_file", "async_compile.wait")
    if names[0] in table:
        table["both"] = tuple(map(sum, zip(*(
            table.pop(name) for name in names if name in table))))


def rows(path):
    """The lines of the CSV without instants of ours, which are numbered with
    the others."""
    text = output("convert", "-q", "-t", "csv", "-o", "-", path).decode()
    return [{key: json.loads(value) if key == "args" and value else value
             for key, value in row.items() if key not in ("number", "parent")}
            for row in csv.DictReader(io.StringIO(text))
            if row["category"] != "torch_trace"]


def check_real(path, work):
    text = gzip.open(path, "rt").read()
    events = chromium_events(text)
    stats = json.loads(output("stats", "--json", path))
    found = {row["name"]: (row["ncalls"], row["cumtime_ns"])
             for row in stats["rows"]}
    wanted = sums(events)
    for table in found, wanted:
        merge_workers(table)
    # Each time is rounded to a nanosecond.
    check(found.keys() == wanted.keys() and
          all(found[name][0] == wanted[name][0] and
              abs(found[name][1] - wanted[name][1]) <= wanted[name][0]
              for name in wanted),
          f"{path.name}: sums are those of its chromium events")
    equal("lost", stats["lost"], {})
    chromium = work / "chromium.json"
    chromium.write_text(json.dumps(events, default=float))
    equal(f"{path.name}: times and nesting", rows(path), rows(chromium))

    info = json.loads(output("info", "--json", path))
    equal("format", info["format"], "torch_trace")
    equal("start", info["start_ns"],
          round(1000 * min(event["ts"] for event in events)))
    counts = collections.Counter(next(iter(head))
                                 for head, _ in torch_records(text))
    trace = work / "out.json"
    output("convert", "-q", "--force", "-o", trace, path)
    document = strict_json(trace.read_bytes())
    equal("counts", {kind: row["records"]
                     for kind, row in document["torch_trace"].items()}, counts)
    instants = collections.Counter(
        event["name"] for event in document["traceEvents"]
        if event.get("cat") == "torch_trace")
    names = collections.Counter(
        head["artifact"]["name"] for head, _ in torch_records(text)
        if "artifact" in head)
    equal("instants", dict(instants), {
        name: count for name, count in {
            "compilation_metrics": counts["compilation_metrics"],
            "bwd_compilation_metrics": counts["bwd_compilation_metrics"],
            "dynamo_start": counts["dynamo_start"],
            "graph_break": names["dynamo_graph_break_reason"],
            "recompile": names["recompile_reasons"]}.items() if count})


def prefix(second):
    return f"V1123 18:31:{second:02}.430000 14760 torch/_dynamo/utils.py:2473] "


def chromium(second, phase, name, ts, **more):
    event = {"name": name, "ts": ts, "ph": phase, "cat": "dynamo_timed",
             "tid": 0, "pid": 0, "args": {}}
    head = {"chromium_event": {}, "has_payload": "0", **more}
    return (prefix(second) + json.dumps(head) + "\n" +
            "".join(f"\t{line}\n"
                    for line in json.dumps(event, indent=0).split("\n")))


def case(work, what, text, calls, lost, status=0):
    """A log of ours: the calls by name, and the losses."""
    path = work / "case.log"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = run("stats", "--json", path)
    if not check(done.returncode == status, f"{what}: status",
                 (done.returncode, done.stderr)):
        return
    if status:
        return
    report = json.loads(done.stdout)
    equal(what, ({row["name"]: row["ncalls"] for row in report["rows"]},
                 report["lost"]), (calls, lost))


def check_cases(work):
    begin = chromium(1, "B", "outer", 1795458672429924.25)
    end = chromium(2, "E", "outer", 1795458672429934.5)
    case(work, "a pair", begin + end, {"outer": 1}, {})
    case(work, "lines that are no records are counted",
         begin + "Warning: x\n" + end, {"outer": 1}, {"skipped_bytes": 11})
    case(work, "a broken payload costs its record alone",
         begin + prefix(1) + '{"chromium_event": {}}\n\t{"name": \n' + end,
         {"outer": 1}, {"bad_events": 1})
    case(work, "so does a broken object",
         begin + prefix(1) + '{"chromium_event": {\n' + end,
         {"outer": 1}, {"bad_events": 1})
    case(work, "a payload that is no object", begin + prefix(1) +
         '{"chromium_event": {}}\n\t1\n' + end, {"outer": 1}, {"bad_events": 1})
    case(work, "a payload may contain no events", begin + prefix(1) +
         '{"artifact": {"name": "x"}}\n\t{"ph": "B"}\n' + end,
         {"outer": 1}, {})
    case(work, "an unfinished log",
         begin + end + chromium(3, "B", "more", 1795458672429990)[:-30],
         {"outer": 1}, {"truncated": 1})
    case(work, "zero bytes end it", (begin + end).encode() + b"\0\0\0\n",
         {"outer": 1}, {"truncated": 1})
    case(work, "numbers of names may be wrong", begin +
         prefix(1) + '{"str": ["a.py", 4294967296]}\n' +
         prefix(1) + '{"str": ["a.py", -1]}\n' +
         prefix(1) + '{"str": ["a.py", 7]}\n' +
         prefix(1) + '{"dynamo_start": {"stack": [{"name": "f", "line": 3, '
         '"filename": 7}, {"filename": 8}, {"filename": -1}, 5, '
         '{"filename": "b.py"}]}, "frame_id": 0, "frame_compile_id": 1, '
         '"attempt": 1}\n' + end, {"outer": 1}, {})
    trace = work / "start.json"
    output("convert", "-q", "--force", "-o", trace, work / "case.log")
    start = next(event for event in read_json(trace)["traceEvents"]
                 if event["name"] == "dynamo_start")
    frame = {"name": "", "file": "", "line": 0}
    equal("the stack of a start", start["args"], {
        "compile_id": "0/1_1", "stack": [
            {"name": "f", "file": "a.py", "line": 3}, frame, frame, frame,
            {"name": "", "file": "b.py", "line": 0}]})
    case(work, "metrics that are no object", begin + prefix(1) +
         '{"compilation_metrics": 5}\n' + end, {"outer": 1}, {})
    case(work, "only other records", prefix(1) + '{"str": ["a", 0]}\n', {}, {})
    case(work, "many kinds", begin + "".join(
        f'{prefix(1)}{{"kind{i}": {{}}}}\n\tx\n' for i in range(300)) + end,
         {"outer": 1}, {})
    output("convert", "-q", "--force", "-o", trace, work / "case.log")
    kinds = read_json(trace)["torch_trace"]
    equal("kinds beyond the limit are summed up",
          (len(kinds), kinds["other"]["records"],
           sum(row["records"] for row in kinds.values())), (256, 46, 302))


def check_directory(work):
    """A file for each rank."""
    logs = work / "ranks"
    logs.mkdir()
    for rank in range(3):
        name = f"dedicated_log_torch_trace_rank_{rank}_x.log"
        (logs / name).write_text(
            chromium(1, "B", "outer", 1795458672429924.0 + rank, rank=rank) +
            chromium(2, "E", "outer", 1795458672429934.5 + rank, rank=rank))
    report = json.loads(output("stats", "--json", logs))
    equal("a directory of ranks",
          [(row["name"], row["ncalls"], row["cumtime_ns"])
           for row in report["rows"]], [("outer", 3, 31500)])
    merged = work / "merged.json"
    output("merge", "-q", "-o", merged, *sorted(logs.iterdir()))
    names = sorted(event["args"]["name"]
                   for event in read_json(merged)["traceEvents"]
                   if event["ph"] == "M" and event["name"] == "process_name")
    check(len(names) == 3 and all(f"rank {rank}" in name for rank, name in
                                  enumerate(names)), "ranks have names", names)


def main():
    traces, work = map(pathlib.Path, sys.argv[1:])
    for path in sorted(traces.glob("torch_trace_*.log.gz")):
        check_real(path, work)
    check_cases(work)
    check_directory(work)
    finish()


main()
