# SPDX-License-Identifier: MIT
"""Checks `ctprof compilations`: compilations_check.py TRACES WORK.

The oracle reads the records of a log by itself."""
import collections
import csv
import decimal
import gzip
import io
import json
import pathlib
import re
import sys

from checks import check, equal, finish, output, run
from torch_records import torch_records


def ns(microseconds):
    return None if microseconds is None else 1000 * microseconds


def note_cache(caches, event):
    """The times of an event, by the keys of a row. A miss of AOTAutograd's
    cache lasts until the call of the back end ends."""
    arguments = event.get("args") or {}
    times = caches[arguments.get("compile_id")]
    if (event["name"] == "backend_compile" and event["ph"] == "E" and
            arguments.get("cache_state") == "miss" and
            "cache_event_time" in arguments):
        times["outer"] += (round(event["ts"] * 1000) -
                           arguments["cache_event_time"])
    elif (event["name"] == "fx_graph_cache_miss" and
          "time_taken_ns" in arguments):
        times["inner"] += arguments["time_taken_ns"]
    elif (event["name"] == "autograd_cache_hit" and
          "time_saved_ms" in arguments):
        times["saved"] += round(arguments["time_saved_ms"] * 1000000)


def wanted_rows(text):
    """{(id, direction): values} by the metrics alone."""
    rows = {}
    attempts = {}
    caches = collections.defaultdict(collections.Counter)
    for head, payload in torch_records(text):
        if "chromium_event" in head:
            note_cache(caches, json.loads(
                payload, parse_float=decimal.Decimal))
        if "dynamo_start" in head:
            attempts[f"{head['frame_id']}/{head['frame_compile_id']}"] = head[
                "attempt"]
        for kind, direction in ("compilation_metrics", "forward"), (
                "bwd_compilation_metrics", "backward"):
            if kind in head:
                metrics = head[kind]
                key = metrics["compile_id"], direction
                backward = direction == "backward"
                rows[key] = {
                    "total_ns": ns(metrics["duration_us"]),
                    "waiting_ns": ns(metrics["triton_compile_time_us"]),
                    "inductor": ns(
                        metrics["inductor_cumulative_compile_time_us"]),
                    "back_end": ns(metrics[
                        "backward_cumulative_compile_time_us" if backward else
                        "aot_autograd_cumulative_compile_time_us"]),
                    "restarts_ns": ns(metrics.get(
                        "dynamo_compile_time_before_restart_us")),
                    "attempt": (None if backward
                                else attempts[metrics["compile_id"]]),
                    "graph_ops": metrics["graph_op_count"],
                    "guards": metrics["guard_count"],
                    "misses": sum(
                        value or 0 for name, value in metrics.items()
                        if name.endswith("cache_miss_count")),
                    "reason": metrics["recompile_reason"],
                    "fail_type": metrics["fail_type"],
                    "caches": dict(caches.pop(metrics["compile_id"], {})),
                }
    return rows


def check_row(name, row, wanted):
    parts = [row.get(part) or 0 for part in (
        "dynamo_ns", "aot_autograd_ns", "inductor_ns", "waiting_ns")]
    equal(f"{name}: the parts add up", sum(parts), row["total_ns"])
    for key in ("total_ns", "waiting_ns", "restarts_ns", "attempt", "graph_ops",
                "guards"):
        equal(f"{name}: {key}", row.get(key), wanted[key])
    if wanted["inductor"] is not None:
        equal(f"{name}: Inductor", parts[2] + parts[3], wanted["inductor"])
    equal(f"{name}: the back end", sum(parts[1:]), wanted["back_end"] or 0)
    equal(f"{name}: misses", row.get("cache_misses") or 0, wanted["misses"])
    caches = wanted["caches"]
    equal(f"{name}: cost of misses", row.get("cache_miss_ns"),
          caches.get("outer", caches.get("inner")))
    equal(f"{name}: saved by hits", row.get("cache_saved_ns"),
          caches.get("saved"))
    reason = wanted["reason"]
    equal(f"{name}: reason", row["recompile_reason"],
          reason and re.sub(" +", " ", reason.split("\n")[0]))
    check(wanted["fail_type"] in (None, row["outcome"]), f"{name}: outcome")


def check_breaks(text, breaks):
    """Counts by place; each break has a stack that ends there."""
    places = collections.Counter()
    for head, payload in torch_records(text):
        if head.get("artifact", {}).get("name") == "dynamo_graph_break_reason":
            place = re.search("user code at (.*):(\\d+)", payload)
            places[place[1], int(place[2])] += 1
    found = collections.Counter()
    for row in breaks:
        place = row["file"], row["line"]
        found[place] += row["count"]
        frames = re.findall('File "(.*)", line (\\d+)', row["stack"])
        equal("the stack ends there", frames[-1], (place[0], str(place[1])))
        check(row["reason"] in row["details"] and ":" not in row["reason"],
              f"{place}: the reason is one of its lines")
    equal("graph breaks", found, places)


def check_real(path):
    text = gzip.open(path, "rt").read()
    report = json.loads(output("compilations", "--json", path))
    wanted = wanted_rows(text)
    rows = {(row["id"], row["direction"]): row
            for row in report["compilations"]}
    equal(f"{path.name}: compilations", sorted(rows), sorted(wanted))
    for key, row in rows.items():
        check_row(f"{path.name} {key}", row, wanted[key])
    times = [row["total_ns"] for row in report["compilations"]]
    equal("the longest first", times, sorted(times, reverse=True))
    equal("total", report["total_ns"], sum(times))
    for key in "cache_miss_ns", "cache_saved_ns":
        equal(f"the sum of {key}", report.get(key) or 0,
              sum(row.get(key) or 0 for row in rows.values()))
    equal("recompilations", report["recompilation_count"],
          sum(row["count"] for row in report["recompilations"]))
    check(all(row["function"] for row in rows.values()),
          "a backward has the forward's function")
    check_breaks(text, report["graph_breaks"])
    equal("lost time is that of the restarts",
          sum(row["lost_ns"] for row in report["graph_breaks"]),
          report["restarts_ns"])
    for table, key in ("breaks", "graph_breaks"), ("again", "recompilations"):
        one = json.loads(output("compilations", "--json", "--table", table,
                                path))
        equal(f"--table={table}", one[key], report[key])
        lines = list(csv.DictReader(io.StringIO(output(
            "compilations", "--csv", "--table", table, path).decode())))
        equal(f"--table={table} as CSV", len(lines), len(report[key]))
    return report


def prefix():
    return "V1123 18:31:12.430000 14760 torch/_dynamo/utils.py:2473] "


def metrics(kind="compilation_metrics", **members):
    head = {kind: {"co_name": "f", "co_filename": "/a.py",
                   "co_firstlineno": 3, **members},
            "frame_id": 0, "frame_compile_id": 0, "attempt": 0}
    return prefix() + json.dumps(head) + "\n"


def graph_break(reason):
    head = {"artifact": {"name": "dynamo_graph_break_reason",
                         "encoding": "string"},
            "frame_id": 0, "frame_compile_id": 0, "attempt": 0}
    return prefix() + json.dumps(head) + "\n" + "".join(
        f"\t{line}\n" for line in reason.split("\n"))


def compilations(work, text, *options):
    path = work / "case.log"
    path.write_text(text)
    return json.loads(output("compilations", "--json", "-q", *options, path))


def check_bypass(work):
    """An event shows that a cache does not take a graph."""
    event = {"name": "fx_graph_cache_bypass", "ts": 1795458672429924, "ph": "i",
             "s": "p", "cat": "dynamo_timed", "tid": 0, "pid": 0,
             "args": {"compile_id": "0/0"}}
    text = (prefix() + '{"chromium_event": {}, "has_payload": "0"}\n\t' +
            json.dumps(event) + "\n")
    report = compilations(
        work, text + metrics(compile_id="0/0", duration_us=1) +
        text + text + metrics("bwd_compilation_metrics", compile_id="0/0"))
    equal("bypassed caches", [row["cache_bypasses"]
                              for row in report["compilations"]], [1, 2])


def start(**members):
    return prefix() + json.dumps(
        {"dynamo_start": {"stack": []}, **members}) + "\n"


def check_attempts(work):
    """Numbers of any size; each id has its own."""
    report = compilations(work, "".join((
        start(frame_id=0, frame_compile_id=0, attempt=2 ** 62),
        start(frame_id=1, frame_compile_id=0, attempt=-1),
        start(), start(compiled_autograd_id=0),
        *(metrics(compile_id=name, duration_us=time)
          for name, time in (("0/0", 4), ("1/0", 3), ("!0", 2), ("", 1))))))
    equal("attempts", [row["attempt"] for row in report["compilations"]],
          [2 ** 62, None, 0, None])


def check_limit(work):
    """PyTorch does not name the function that ran into the limit."""
    rows = compilations(work, metrics(
        compile_id="0/0", duration_us=5) + metrics(
            compile_id="0/1", duration_us=1, co_name=None, co_filename=None,
            co_firstlineno=None, fail_type="Unsupported",
            fail_reason="Dynamo recompile limit exceeded"))["compilations"]
    equal("the recompile limit", [
        (row["function"], row["line"], row["outcome"]) for row in rows],
        [("f", 3, None), ("f", 3, "recompile limit")])


def check_old(work):
    """Versions before 2.6 have seconds."""
    row = compilations(work, metrics(
        entire_frame_compile_time_s=1.5, backend_compile_time_s=1.25,
        inductor_compile_time_s=0.1, fail_type=None,
        has_guarded_code=True))["compilations"][0]
    equal("seconds", [row[key] for key in (
        "total_ns", "dynamo_ns", "aot_autograd_ns", "inductor_ns")],
        [1500000000, 250000000, 1150000000, 100000000])
    # No double has these exactly.
    row = compilations(work, metrics(
        entire_frame_compile_time_s=0.09742093086242676,
        backend_compile_time_s=0.00021791458129882812))["compilations"][0]
    equal("fractions", [row["total_ns"], row["aot_autograd_ns"]],
          [97420931, 217915])


def check_hostile(work):
    report = compilations(work, metrics(
        duration_us=-5, aot_autograd_cumulative_compile_time_us=2 ** 63,
        dynamo_cumulative_compile_time_us=1e300, guard_count="x",
        compile_id=[1], co_name=None) + metrics(
            duration_us=7, dynamo_cumulative_compile_time_us=7,
            aot_autograd_cumulative_compile_time_us=9) + metrics(
                "bwd_compilation_metrics", duration_us=3) +
        graph_break("") + graph_break("Graph break in user code at x:-1") +
        graph_break("Graph Break Reason: a:\n\n\nb\n  c\n\n"
                    "User code traceback:\n  stack"))
    equal("impossible times are unknown",
          [(row["total_ns"], row["dynamo_ns"])
           for row in report["compilations"]
           if row["direction"] == "forward"], [(7000, None), (0, None)])
    equal("a reason in any form", [
        (row["reason"], row["stack"]) for row in report["graph_breaks"]
        if row["reason"]], [("Graph break in user code at x:-1", None),
                            ("b", "  stack")])
    (work / "case.log").write_text(prefix() + '{"str": ["a", 0]}\n')
    done = run("compilations", work / "case.log")
    check(done.returncode == 0 and b"TORCH_TRACE" in done.stderr,
          "a log without compilations", done)


def cache_event(name, **arguments):
    event = {"name": name, "ts": 1795458672429924, "ph": "i", "s": "p",
             "cat": "dynamo_timed", "tid": 0, "pid": 0,
             "args": {"compile_id": "0/0", **arguments}}
    return (prefix() + '{"chromium_event": {}, "has_payload": "0"}\n\t' +
            json.dumps(event) + "\n")


def check_hostile_sums(work):
    """Sums of times of any size saturate; negative ones are unknown."""
    huge = 2 ** 63 - 1
    text = "".join(cache_event(name, **{key: value}) for name, key, value in (
        *3 * [("fx_graph_cache_miss", "time_taken_ns", huge)],
        *3 * [("fx_graph_cache_hit", "time_saved_ns", huge)],
        ("fx_graph_cache_miss", "time_taken_ns", -5),
        ("autograd_cache_hit", "time_saved_ms", 1e300),
        ("fx_graph_cache_miss", "time_taken_ns", "x")))
    report = compilations(work, (text + metrics(
        compile_id="0/0", duration_us=huge // 1000,
        recompile_reason="a",
        dynamo_compile_time_before_restart_us=huge // 1000)) * 3)
    equal("sums saturate", [
        report[key] for key in ("total_ns", "restarts_ns", "cache_miss_ns",
                                "cache_saved_ns")], 4 * [2 ** 64 - 1])
    equal("a sum by reason", report["recompilations"][0]["total_ns"],
          2 ** 64 - 1)
    output("compilations", work / "case.log")


def check_directory(work, traces):
    """The ranks of a job; one unreadable file costs only itself."""
    logs = work / "ranks"
    logs.mkdir()
    text = gzip.open(traces / "torch_trace_inductor.log.gz").read()
    for rank in range(2):
        (logs / f"dedicated_log_torch_trace_rank_{rank}_x.log").write_bytes(
            text)
    report = json.loads(output("compilations", "--json", logs))
    equal("a directory", (report["compilation_count"],
                          len({row["input"]
                               for row in report["compilations"]})), (4, 2))
    done = run("compilations", "--json", logs, work / "missing.log")
    equal("a missing file", (
        done.returncode, json.loads(done.stdout)["compilation_count"]), (3, 4))


def main():
    traces, work = map(pathlib.Path, sys.argv[1:])
    for path in sorted(traces.glob("torch_trace_*.log.gz")):
        check_real(path)
    check_bypass(work)
    check_limit(work)
    check_attempts(work)
    check_old(work)
    check_hostile(work)
    check_hostile_sums(work)
    check_directory(work, traces)
    finish()


main()
