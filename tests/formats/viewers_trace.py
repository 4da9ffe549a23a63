# SPDX-License-Identifier: MIT
"""Prints a Chrome trace of difficult cases for viewers: arrows, slices that
overlap or nest deep, nested arguments, negative times, and names of any kind.

    viewers_trace.py [--deep-argument]
"""
import json
import sys


def slice_(name, tid, ts, dur, **args):
    return {"ph": "X", "name": name, "cat": "cpu_op", "pid": 1, "tid": tid,
            "ts": ts, "dur": dur, "args": args}


def flow(phase, number, tid, ts):
    return {"ph": phase, "name": "arrow", "cat": "arrows", "id": number,
            "pid": 1, "tid": tid, "ts": ts, "bp": "e"}


def launch(number, ts):
    call = slice_("cudaLaunchKernel", 1, ts, 2, correlation=number)
    call["cat"] = "cuda_runtime"
    return call


def kernel(name, number, ts, dur):
    found = slice_(name, 7, ts, dur, correlation=number, device=0, stream=7)
    found.update(cat="kernel", pid=0)
    return found


def nested(depth):
    value = ["innermost"]
    for i in range(depth):
        value = {"next": value} if i % 2 else [value, i]
    return value


def main():
    names = ["", "\0", "\x1b[2J", "a\nb", "\"\\", "\u2028", "\U0001f600",
             "\ud800", "x" * 5000, "</script>", "%s%n"]
    values = [{}, [], None, True, 0, -1, 2**63 - 1, -2**63, 2**64 - 1, 1e300,
              -2.5, "", "text", names, {"": {"": []}}, nested(28)]
    if sys.argv[1:] == ["--deep-argument"]:
        values = [nested(300)]
    events = [
        slice_("outer", 1, 0, 100), slice_("inner", 1, 10, 5),
        flow("s", 7, 1, 20), flow("s", 8, 1, 10),
        slice_("target", 2, 30, 10), flow("f", 7, 2, 30),
        flow("f", 8, 2, 30),
        slice_("placed", 2, 50, 1, file="a.py", line=3, call_line=5),
        slice_("over", 3, 0, 10), slice_("lap", 3, 5, 10),
        slice_("before zero", 3, -7.5, 2.5),
        launch(11, 40), kernel("k1", 11, 45, 10),
        launch(12, 43), kernel("k2", 12, 50, 20),
        {"ph": "C", "name": "two", "pid": 1, "tid": 1, "ts": 1,
         "args": {"a": 1}},
        {"ph": "C", "name": "two", "pid": 1, "tid": 1, "ts": 2,
         "args": {"a": 2.5}},
        {"ph": "b", "name": "later", "cat": "c", "id": 1, "pid": 1,
         "tid": 1, "ts": 5},
        {"ph": "e", "name": "later", "cat": "c", "id": 1, "pid": 1,
         "tid": 2, "ts": 60},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "ts": 0,
         "args": {"name": "main \ud800"}},
    ]
    for i, name in enumerate(names):
        events.append(slice_(name, 4, 100 * i, 50, **{f"arg {i}": i}))
    for i, value in enumerate(values):
        events.append(slice_("args", 5, 100 * i, 50, value=value))
    for i in range(1500):
        events.append(slice_("deep", 6, i, 5000 - 2 * i))
    json.dump({"traceEvents": events}, sys.stdout)


main()
