# SPDX-License-Identifier: MIT
"""Checks that tests/bench/bench_document.py gives ctprof's answers. These differ
by definition and are not compared:

- totals of operators that call themselves: the script counts the time twice, like
  key_averages(), and ctprof once;
- device times of operators if kernels have wrong ids of operators, so that ctprof uses
  the calls that launched them;
- FLOPs and bytes of single kernels of an operator with helpers: the script gives
  helpers a share, ctprof gives them nothing.

    bench_document_check.py CTPROF DIRECTORY RULES TRACE...

The first trace is also compared with names of phases.
"""
import decimal
import glob
import gzip
import json
import os
import random
import subprocess
import sys
from types import MappingProxyType

from gaps_trace import Program

CTPROF, WORK, RULES = sys.argv[1:4]
PEER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "bench_document.py")
failed = 0


def complain(what, found, wanted):
    global failed
    failed += 1
    if failed <= 20:
        print(f"{what}: {found}, not {wanted}")


def same(what, found, wanted):
    if found != wanted:
        complain(what, found, wanted)


def near(what, found_us, wanted_ns):
    """Sums of floats are nearly those of integers."""
    if abs(found_us * 1000 - wanted_ns) > 1e-6 * abs(wanted_ns) + 0.1:
        complain(what, found_us * 1000, wanted_ns)


def shift(path, names=MappingProxyType({})):
    """The trace with times from 0 on, since a float has only quarters of
    microseconds since 1970; with other names."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        document = json.load(file, parse_float=decimal.Decimal)
    begin = min(event["ts"] for event in document["traceEvents"]
                if event.get("ph") == "X")
    for event in document["traceEvents"]:
        if event.get("ts"):
            event["ts"] -= begin
        event["name"] = names.get(event["name"], event["name"])
    shifted = os.path.join(WORK, os.path.basename(path).removesuffix(".gz"))
    with open(shifted, "w", encoding="utf-8") as file:
        json.dump(document, file, default=float)
    return shifted


def ctprof(path, *words):
    return json.loads(subprocess.run(
        [CTPROF, *words, "-q", "--json", path], check=True,
        stdout=subprocess.PIPE).stdout)


def peer(mode, path, *more):
    return json.loads(subprocess.run(
        [sys.executable, "-B", PEER, mode, "0", path, *more], check=True,
        stdout=subprocess.PIPE).stdout)


def check_functions(path, rows):
    wanted = {}
    for row in ctprof(path, "stats")["rows"]:
        name = row["name"]
        is_device = row["file"].startswith("<")
        if row["file"] and not is_device:
            name = f"{row['file']}({row['line']}): {name}"
        wanted["device" if is_device else "host", name] = row
    found = {(row["kind"], row["name"]): row for row in rows}
    same("functions", sorted(found), sorted(wanted))
    for key in found.keys() & wanted.keys():
        what = f"functions: {key}"
        row, want = found[key], wanted[key]
        same(what, (row["ncalls"], row["pcalls"]),
             (want["ncalls"], want["pcalls"]))
        near(f"{what}: total", row["total"], want["cumtime_ns"])
        near(f"{what}: self", row["self"], want["tottime_ns"])


def check_operators(path, mode, group, key_of):
    """Devices are compared only if External id joins the right events: in some
    traces it counts something else in kernels than in operators."""
    rows = ctprof(path, "stats", "--group", group)["rows"]
    is_joined = rows == ctprof(path, "stats", "--group", group, "--join",
                               "external")["rows"]
    wanted = {}
    for row in rows:
        if row["kind"] == "host":
            wanted["host", *key_of(row)] = row
        else:
            wanted["device", row["name"]] = row
    found = {}
    for row in peer(mode, path):
        key = [row["key"]] if isinstance(row["key"], str) else row["key"]
        found[row["kind"], *key] = row
    same(mode, sorted(found), sorted(wanted))
    for key in found.keys() & wanted.keys():
        row, want = found[key], wanted[key]
        what = f"{mode}: {key}"
        same(what, row["count"], want["ncalls"])
        is_plain = want["ncalls"] == want["pcalls"]
        if want["kind"] == "host":
            near(f"{what}: self", row["self"], want["tottime_ns"])
        if want["kind"] == "host" and is_plain:
            near(f"{what}: total", row["total"], want["cumtime_ns"])
        if is_joined:
            near(f"{what}: self device", row["self_device"],
                 want["self_device_ns"])
        if is_joined and is_plain:
            near(f"{what}: device", row["device"], want["device_ns"])
    return is_joined


def shape_of(row):
    """In Python's form of the list in the trace."""
    shapes = row.get("shapes", "")
    return row["name"], str(json.loads(shapes)) if shapes else ""


def check_kernels(path, rows):
    report = ctprof(path, "kernels")
    wanted = {(row["device"], row["name"]): row for row in report["rows"]}
    found = {(row["device"], row["name"]): row for row in rows}
    same("kernels", sorted(found), sorted(wanted))
    helpers = sum(one["helpers_ns"] for one in report["devices"])
    for key in found.keys() & wanted.keys():
        row, want = found[key], wanted[key]
        same(f"kernels: {key}", row["count"], want["count"])
        for field in ("total", "min", "max"):
            near(f"kernels: {key}: {field}", row[field],
                 want[f"{field}_ns"])
        for field in ("flops", "bytes") if helpers == 0 else ():
            near(f"kernels: {key}: {field}", row[field] / 1000, want[field])
            near(f"kernels: {key}: {field} a second",
                 row[f"{field}_per_s"] / 1000, want[f"{field}_per_s"] or 0)
    for field in ("flops", "bytes"):
        near(f"kernels: {field}", sum(row[field] for row in rows) / 1000,
             sum(row[field] for row in report["rows"]))


def check_gaps(path, rows):
    report = ctprof(path, "gaps")
    same("gaps", [row["device"] for row in rows],
         [row["device"] for row in report["rows"]])
    for row, want in zip(rows, report["rows"]):
        for field in ("span", "busy", "idle", "kernel"):
            near(f"gaps: {field}", row[field], want[f"{field}_ns"])
        same("gaps: depth", row["depth_max"], want["queue_depth_max"])
        if abs(row["depth_mean"] - want["queue_depth_mean"]) > 0.0011:
            complain("gaps: mean depth", row["depth_mean"],
                     want["queue_depth_mean"])
        places = {}
        for place in report["places"]:
            name = place["name"]
            if place["file"]:
                name = f"{place['file']}({place['line']}): {name}"
            if place["device"] == want["device"]:
                key = place["cause"], name, place["call"]
                places[key] = places.get(key, 0) + place["idle_ns"]
        found = {tuple(place[:3]): place[3] for place in row["places"]}
        same("gaps: places", sorted(found), sorted(places))
        for key in found.keys() & places.keys():
            near(f"gaps: {key}", found[key], places[key])


def check_optimize(path):
    wanted = ctprof(path, "gaps", "--optimize", "1000000")["rows"]
    found = peer("optimize", path)
    same("optimize", len(found), len(wanted))
    begin = min((row["start_ns"] for row in wanted), default=0)
    first = min((row["start"] for row in found), default=0)
    rows = {(round((row["start"] - first) * 1000),
             round(row["duration"] * 1000), row["name"]): row
            for row in found}
    for want in wanted:
        key = want["start_ns"] - begin, want["duration_ns"], want["name"]
        row = rows.get(key)
        if row is None:
            complain("optimize", "none", key)
            continue
        near(f"optimize: {key}: idle", row["idle"], want["idle_ns"])
        near(f"optimize: {key}: self", row["self"], want["self_ns"])
        same(f"optimize: {key}", row["location"], want["location"])
        if abs(row["score"] - want["score"]) > 1e-5:
            complain(f"optimize: {key}: score", row["score"], want["score"])
    return len(wanted)


def check_phases(path):
    report = ctprof(path, "phases")
    found = {row["phase"]: row for row in peer(
        "phases", path, *sorted(glob.glob(RULES + "/*.rules")))}
    for row in report["rows"]:
        got = found.pop(row["phase"], {"count": 0, "self": 0})
        same(f"phases: {row['phase']}", got["count"], row["count"])
        near(f"phases: {row['phase']}", got["self"], row["self_ns"])
    for phase, row in found.items():
        near(f"phases: {phase}", row["self"], 0)
    return report["sets"][0]["rules"]


def check(path):
    shifted = shift(path)
    report = peer("report", shifted)
    check_functions(shifted, report["functions"])
    check_kernels(shifted, report["kernels"])
    check_gaps(shifted, report["gaps"])
    for mode in ("functions", "kernels", "gaps"):
        same(mode, peer(mode, shifted), report[mode])
    is_joined = check_operators(shifted, "names", "name",
                                lambda row: (row["name"],))
    check_operators(shifted, "shapes", "shape", shape_of)
    ranked = check_optimize(shifted)
    rules = check_phases(shifted)
    print(f"{os.path.basename(path)}: {len(report['functions'])} functions, "
          f"{len(report['kernels'])} kernels, {ranked} ranges ranked, "
          f"phases of {rules}, {'' if is_joined else 'not '}joined by id")


def check_named(path):
    """Names of torch.compile's phases, some of them nested; and one of clang's,
    which has less of the time."""
    rules = check_phases(shift(path, {
        "aten::linear": "bytecode_tracing (dynamo_timed)",
        "aten::addmm": "aot_collect_metadata",
        "aten::to": "build_guards (dynamo_timed)",
        "aten::clone": "Frontend",
        "torch/nn/modules/module.py(204): f204": "entire_frame_compile"}))
    same("phases: rules", rules, "dynamo")


def check_random(seed):
    """Programs that wait for devices, copy, and load data."""
    trace = Program(random.Random(seed)).make()
    if not trace.work:
        return 0
    path = os.path.join(WORK, "random.json")
    trace.write(path)
    check_gaps(path, peer("gaps", path))
    return check_optimize(path)


def main():
    for path in sys.argv[4:]:
        check(path)
    check_named(sys.argv[4])
    ranked = sum(check_random(seed) for seed in range(10))
    print(f"random programs: {ranked} ranges ranked")
    sys.exit(failed != 0 or ranked == 0)


main()
