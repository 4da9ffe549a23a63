# SPDX-License-Identifier: MIT
"""Answers the questions of ctprof's reports in the way of PyTorch's own tools:
with Python's json, dictionaries, lists and floats. It is as fast as such a
program easily gets, for comparison with ctprof. Nesting takes one sort and a
stack, joining takes a dictionary. tests/bench/bench_document.sh checks the
answers. Prints JSON; times are microseconds, as in the trace.

usage: bench_document.py MODE TOP TRACE [RULES...]
environment: BENCH_GC  off: without Python's garbage collector

MODE is functions, names, shapes, kernels, gaps, optimize, report, or phases,
by the files RULES. TOP is how many rows are printed at most; 0: all.
"""
import collections
import gc
import gzip
import json
import os
import sys

import bench_document_device as device
import bench_document_host as host
from bench_document_kernels import kernels

NO_RANGES = frozenset(("Trace", "gpu_user_annotation", "cuda_sync"))


def read(path):
    """The ranges of each thread, and the activities of devices."""
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rb") as file:
        document = json.load(file)
    if isinstance(document, dict):
        document = document["traceEvents"]
    threads, work = collections.defaultdict(list), []
    for event in document:
        if event.get("ph") != "X":
            continue
        category = event.get("cat")
        if category in device.WORK:
            work.append(event)
        elif category not in NO_RANGES:
            threads[event["pid"], event["tid"]].append(event)
    return threads, work


def report(threads, work, top):
    return {"functions": host.functions(threads, work, top),
            "kernels": kernels(threads, work, top),
            "gaps": device.gaps(threads, work, top)}


MODES = {
    "functions": host.functions, "names": host.names, "shapes": host.shapes,
    "phases": host.phases, "kernels": kernels, "gaps": device.gaps,
    "optimize": device.optimize, "report": report,
}


def main():
    mode, top, path, *rules = sys.argv[1:]
    if os.environ.get("BENCH_GC") == "off":
        gc.disable()
    print(json.dumps(MODES[mode](*read(path), int(top) or None,
                                 *rules)))


main()
