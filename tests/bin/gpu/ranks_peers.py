#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints ctprof ranks beside HTA's temporal breakdown and the rule of TraceLens'
NcclAnalyser, for the traces of a job by PyTorch. It is not a test: it needs HTA
(pip install HolisticTraceAnalysis), whose rows are left out without it.

    ranks_peers.py CTPROF DIRECTORY
"""
import gzip
import json
import pathlib
import re
import subprocess
import sys

CTPROF, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
# NCCL's kernel of an all-to-all is SendRecv; TraceLens reads only recorded names.
WAITS = "allreduce", "reducescatter", "allgather", "alltoall", "sendrecv"


def load(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        return json.load(lines)


def ours():
    text = subprocess.run([CTPROF, "ranks", "-q", "--json", str(FOLDER)],
                          check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text)


def peers():
    """HTA's times by rank, in microseconds."""
    try:
        from hta.trace_analysis import TraceAnalysis
    except ImportError:
        print("HolisticTraceAnalysis is not installed")
        return {}
    analysis = TraceAnalysis(trace_dir=str(FOLDER))
    times = analysis.get_temporal_breakdown(visualize=False)
    overlap = analysis.get_comm_comp_overlap(visualize=False)
    found = {int(row["rank"]): row for row in times.to_dict("records")}
    for row in overlap.to_dict("records"):
        found[int(row["rank"])]["overlap"] = row["comp_comm_overlap_pctg"]
    return found


def operation(event):
    """The operation that TraceLens would read, or else that of the kernel."""
    name = event["args"].get("Collective name") or event["name"].split("(")[0]
    return re.sub("[^a-z]", "", name.lower())


def group_instances(traces):
    """TraceLens: the n-th kernel of a process group on each rank, in order of
    time, is the n-th one on the others."""
    instances = {}
    for rank, trace in traces.items():
        numbers = {}
        kernels = [event for event in trace["traceEvents"]
                   if event.get("cat") == "kernel"
                   and "nccl" in event["name"].lower()]
        for event in sorted(kernels, key=lambda event: event["ts"]):
            group = event["args"].get("Process Group Name")
            numbers[group] = numbers.get(group, -1) + 1
            instances.setdefault((group, numbers[group]), {})[rank] = event
    return instances


def waits(traces):
    """Waiting by rank: up to the last start, and above the shortest."""
    starts = dict.fromkeys(traces, 0)
    durations = dict.fromkeys(traces, 0)
    for ranks in group_instances(traces).values():
        first = next(iter(ranks.values()))
        if len(ranks) < 2 or not any(
                name in operation(first) for name in WAITS):
            continue
        latest = max(event["ts"] for event in ranks.values())
        least = min(event["dur"] for event in ranks.values())
        for rank, event in ranks.items():
            starts[rank] += latest - event["ts"]
            durations[rank] += event["dur"] - least
    return starts, durations


def overlap_percent(row):
    hidden = row["comm_ns"] - row["exposed_comm_ns"]
    return 100 * hidden / row["comm_ns"] if row["comm_ns"] else 0


def main():
    paths = [path for path in sorted(FOLDER.iterdir())
             if path.name.endswith((".json", ".json.gz"))]
    traces = {}
    for path in paths:
        trace = load(path)
        traces[trace["distributedInfo"]["rank"]] = trace
    starts, durations = waits(traces)
    found = peers()
    print("us: ctprof / HTA; waiting: ctprof / TraceLens, by durations / by "
          "starts")
    print(f"{'rank':>4} {'compute':>15} {'busy':>15} {'idle':>15} "
          f"{'overlap %':>13} {'waiting':>23}")
    for row in sorted(ours()["rows"], key=lambda row: row["rank"]):
        rank = row["rank"]
        peer = found.get(rank)
        columns = [("compute_ns", lambda one: one["compute_time(us)"]),
                   ("busy_ns", lambda one: one["kernel_time(us)"] -
                    one["idle_time(us)"]),
                   ("idle_ns", lambda one: one["idle_time(us)"])]
        cells = [f"{row[key] // 1000:>7}/" +
                 (f"{value(peer):>7.0f}" if peer else f"{'-':>7}")
                 for key, value in columns]
        cells.append(f"{overlap_percent(row):>6.2f}/" + (
            f"{peer['overlap']:>6.2f}" if peer else f"{'-':>6}"))
        cells.append(f"{(row['wait_ns'] or 0) // 1000:>7}/"
                     f"{durations[rank]:>7.0f}/{starts[rank]:>7.0f}")
        print(f"{rank:>4}", *cells)


main()
