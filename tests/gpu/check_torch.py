# SPDX-License-Identifier: MIT
"""Compares PyTorch's own trace of some work with ctprof's of the same work in
another process: kernels, copies and memsets, and their summed times."""

import collections
import json

# Sums of names shorter than this are not compared: they are noise.
LEAST_NS = 1_000_000
SLACK = 0.02

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_driver", "cuda_runtime")


def read(path):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    return [e for e in trace["traceEvents"] if e.get("ph") == "X"]


def measured(events, span):
    """The work launched within the range `span`, by any thread."""
    start = span["ts"]
    end = start + span["dur"]
    launched = {
        e["args"]["correlation"]
        for e in events
        if e.get("cat") in CALLS and start <= e["ts"] <= end
    }
    return [
        e
        for e in events
        if e.get("cat") in DEVICE and e["args"].get("correlation") in launched
    ]


def shape(event):
    args = event["args"]
    if event["cat"] == "kernel":
        return (event["name"], tuple(args["grid"]), tuple(args["block"]))
    return (event["name"], args.get("bytes"))


def compare(ours_path, theirs_path):
    """The differences, a list of lines; and the number of compared
    activities."""
    events = read(ours_path)
    spans = [e for e in events if e["name"] == "measured"]
    if len(spans) != 1:
        return [f'{len(spans)} ranges are called "measured"'], 0
    ours = measured(events, spans[0])
    theirs = [e for e in read(theirs_path) if e.get("cat") in DEVICE]
    lines = []
    got = collections.Counter(map(shape, ours))
    wanted = collections.Counter(map(shape, theirs))
    for key in sorted(set(got) | set(wanted), key=str):
        if got[key] != wanted[key]:
            lines.append(f"{key}: {got[key]}, PyTorch has {wanted[key]}")
    times = [collections.Counter(), collections.Counter()]
    for total, events in zip(times, (ours, theirs)):
        for event in events:
            total[event["name"]] += round(event["dur"] * 1000)
    for name, theirs_ns in times[1].items():
        if theirs_ns > LEAST_NS:
            ratio = times[0][name] / theirs_ns
            if abs(ratio - 1) > SLACK:
                lines.append(f"{name}: {ratio:.3f} of PyTorch's time")
    return lines, len(theirs)
