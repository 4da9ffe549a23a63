# SPDX-License-Identifier: MIT
"""Small Chrome traces with their results, computed by hand.

usage: chrome_cases.py DIRECTORY [CTPROF]

Both trace_counts.py and ctprof must find (ncalls, pcalls, tottime, cumtime) of
each function, times in ns, the launches, and the losses. Truncated files are
for ctprof only.
"""
import collections
import json
import pathlib
import subprocess
import sys

import trace_counts

Case = collections.namedtuple(
    "Case", "name text functions edges losses whole",
    defaults=({}, {}, True))


def x(name, start, dur, **more):
    return dict({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": start,
                 "dur": dur}, **more)


def mark(phase, start, name=None, **more):
    event = dict({"ph": phase, "pid": 1, "tid": 1, "ts": start}, **more)
    if name is not None:
        event["name"] = name
    return event


def call(start, correlation, external=None):
    args = {"correlation": correlation}
    if external is not None:
        args["External id"] = external
    return x("cudaLaunchKernel", start, 1, cat="cuda_runtime", args=args)


def op(name, start, dur, external):
    return x(name, start, dur, cat="cpu_op", args={"External id": external})


def python(name, start, dur):
    return x(name, start, dur, cat="python_function")


def kernel(start, dur, correlation, external=None, **more):
    args = {"device": 0, "stream": 7, "correlation": correlation}
    if external is not None:
        args["External id"] = external
    return x("k", start, dur, **{"cat": "kernel", "pid": 0, "tid": 7,
                                 "args": args, **more})


def total(name, dur, tid):
    return x(f"Total {name}", 0, dur, tid=tid,
             args={"count": 1, "avg ms": dur})


def text_of(events, **more):
    return json.dumps({"traceEvents": events, **more})


def once(total, own=None):
    return (1, 1, total if own is None else own, total)


K = ("k", 0)  # on the device 0

NESTING = [
    Case("a slice in a slice",
         text_of([x("a", 0, 10), x("b", 2, 3)]),
         {"a": once(10000, 7000), "b": once(3000)},
         {("a", "b"): once(3000)}),
    Case("out of order of time",
         text_of([x("b", 2, 3), x("c", 3, 1), x("a", 0, 10)]),
         {"a": once(10000, 7000), "b": once(3000, 2000), "c": once(1000)},
         {("a", "b"): once(3000, 2000), ("b", "c"): once(1000)}),
    Case("one begins where another ends",
         text_of([x("a", 0, 5), x("b", 5, 5), x("c", 5, 0)]),
         {"a": once(5000), "b": once(5000), "c": once(0)},
         {("b", "c"): once(0)}),
    Case("equal ones: the first is the outer",
         text_of([x("a", 0, 5), x("b", 0, 5)]),
         {"a": once(5000, 0), "b": once(5000)}, {("a", "b"): once(5000)}),
    Case("equal ones of clang: the last is the outer",
         text_of([x("b", 1, 5), x("a", 1, 5), x("c", 0, 9)],
                 beginningOfTime=7),
         {"a": once(5000, 0), "b": once(5000), "c": once(9000, 4000)},
         {("a", "b"): once(5000), ("c", "a"): once(5000, 0)}),
    Case("equal ones without a length lie in each other, but not in calls",
         text_of([x("a", 0, 9), x("f", 5, 0), x("g", 5, 0),
                  x("p", 7, 0, cat="cuda_runtime"),
                  x("p", 7, 0, cat="cuda_runtime")]),
         {"a": once(9000), "f": once(0), "g": once(0), "p": (2, 2, 0, 0)},
         {("a", "f"): once(0), ("f", "g"): once(0),
          ("a", "p"): (2, 2, 0, 0)}),
    Case("recursion",
         text_of([x("f", 0, 10), x("f", 1, 8), x("g", 2, 6), x("f", 3, 1)]),
         {"f": (3, 1, 5000, 10000), "g": once(6000, 5000)},
         {("f", "f"): once(8000, 2000), ("f", "g"): once(6000, 5000),
          ("g", "f"): once(1000)}),
    Case("an overlap is a call of its own",
         text_of([x("a", 0, 10), x("b", 5, 10), x("c", 6, 1)]),
         {"a": once(10000, 9000), "b": once(10000), "c": once(1000)},
         {("a", "c"): once(1000)}, {"overlaps": 1}),
    Case("a callee that ends late by rounding ends with its caller",
         text_of([x("a", 0, 100), x("b", 10, 90.001), x("c", 20, 80.001),
                  x("d", 30, 5)]),
         {"a": once(100000, 10000), "b": once(90000, 10000),
          "c": once(80000, 75000), "d": once(5000)},
         {("a", "b"): once(90000, 10000), ("b", "c"): once(80000, 75000),
          ("c", "d"): once(5000)}, {"rounded_ranges": 2}),
    Case("a call that ends late by rounding ends where the next one begins",
         text_of([x("a", 0, 100), x("b", 10, 11), x("c", 15, 6),
                  x("d", 20, 20)]),
         {"a": once(100000, 70000), "b": once(10000, 5000), "c": once(5000),
          "d": once(20000)},
         {("a", "b"): once(10000, 5000), ("b", "c"): once(5000),
          ("a", "d"): once(20000)}, {"rounded_ranges": 2}),
    Case("more than the unit of times is an overlap",
         text_of([x("a", 0.001, 10.001), x("b", 5, 5.004)]),
         {"a": once(10001), "b": once(5004)}, {}, {"overlaps": 1}),
    Case("so it is in microseconds",
         text_of([x("a", 0, 10), x("b", 5, 7)]),
         {"a": once(10000), "b": once(7000)}, {}, {"overlaps": 1}),
    Case("doubles of microseconds since 1970 are a quarter of one apart",
         text_of([x("a", 1712345678901234.2, 10.001),
                  x("b", 1712345678901240.8, 3.802),
                  x("c", 1712345678901254.2, 10.001),
                  x("d", 1712345678901260.8, 3.952)]),
         {"a": once(10001, 6600), "b": once(3401),
          "c": once(10001), "d": once(3952)},
         {("a", "b"): once(3401)}, {"rounded_ranges": 1, "overlaps": 1}),
    Case("nanoseconds since 1970 are not doubles",
         text_of([x("a", "1712345678901234.201", 10.001),
                  x("b", "1712345678901240.801", 3.802)]),
         {"a": once(10001), "b": once(3802)}, {}, {"overlaps": 1}),
    Case("calls in Python that begin or end a range give way to it",
         text_of([python("main", 0, 30), python("enter", 1, 4),
                  python("begin", 2, 2), op("r", 3, 17, 1),
                  python("work", 6, 10), python("exit", 17, 7),
                  python("next", 18, 4), python("early", 19, 1),
                  python("late", 21, 1)]),
         {"main": once(30000, 7000), "enter": once(2000, 1000),
          "begin": once(1000), "r": once(17000, 6000), "work": once(10000),
          "exit": once(4000, 2000), "next": once(2000, 1000),
          "early": once(1000), "late": once(1000)},
         {("main", "enter"): once(2000, 1000), ("enter", "begin"): once(1000),
          ("main", "r"): once(17000, 6000), ("r", "work"): once(10000),
          ("r", "early"): once(1000), ("main", "exit"): once(4000, 2000),
          ("exit", "next"): once(2000, 1000), ("next", "late"): once(1000)},
         {"cut_calls": 4}),
    Case("so do JAX's, which have no category",
         text_of([x("$a.py:3 main", 0, 30), x("$a.py:9 enter", 1, 4),
                  x("train", 3, 17), x("$builtins len", 6, 1),
                  x("$:1 f", 8, 1), x("$<frozen a b>:12 exit", 18, 4)]),
         {"$a.py:3 main": once(30000, 9000), "$a.py:9 enter": once(2000),
          "train": once(17000, 15000), "$builtins len": once(1000),
          "$:1 f": once(1000), "$<frozen a b>:12 exit": once(2000)},
         {("$a.py:3 main", "$a.py:9 enter"): once(2000),
          ("$a.py:3 main", "train"): once(17000, 15000),
          ("train", "$builtins len"): once(1000),
          ("train", "$:1 f"): once(1000),
          ("$a.py:3 main", "$<frozen a b>:12 exit"): once(2000)},
         {"cut_calls": 2}),
    Case("a call that ends several ranges begins after the last",
         text_of([python("main", 0, 30), op("a", 1, 20, 1), op("b", 2, 18, 2),
                  python("exit", 10, 15)]),
         {"main": once(30000, 6000), "a": once(20000, 2000),
          "b": once(18000), "exit": once(4000)},
         {("main", "a"): once(20000, 2000), ("a", "b"): once(18000),
          ("main", "exit"): once(4000)}, {"cut_calls": 1}),
    Case("a call that begins late and ends early is counted once",
         text_of([op("a", 0, 10, 1), python("exit", 5, 25),
                  op("b", 15, 25, 2)]),
         {"a": once(10000), "exit": once(5000), "b": once(25000)}, {},
         {"cut_calls": 1}),
    Case("it begins behind what else ends with the range",
         text_of([mark("B", 0, "r", cat="cpu_op"), python("exit", 5, 10),
                  mark("B", 10, "last"), mark("E", 10), mark("E", 10)]),
         {"r": once(10000), "last": once(0), "exit": once(5000)},
         {("r", "last"): once(0)}, {"cut_calls": 1}),
    Case("it begins in what begins when the range ends, and never does itself",
         text_of([op("r", 0, 10, 1), python("exit", 5, 10),
                  mark("B", 10, "open"), x("a", 20, 1)]),
         {"r": once(10000), "open": once(11000, 5000), "exit": once(5000),
          "a": once(1000)},
         {("open", "exit"): once(5000), ("open", "a"): once(1000)},
         {"cut_calls": 1, "open_ranges": 1}),
    Case("neither does where ranges, or calls, overlap each other",
         text_of([op("a", 0, 10, 1), python("f", 2, 6), op("b", 5, 7, 2),
                  python("g", 20, 10), python("h", 25, 10)]),
         {"a": once(10000, 4000), "f": once(6000), "b": once(7000),
          "g": once(10000), "h": once(10000)},
         {("a", "f"): once(6000)}, {"overlaps": 2}),
    Case("threads and processes do not nest",
         text_of([x("a", 0, 10), x("b", 1, 2, tid=2), x("c", 1, 3, pid=2),
                  x("d", 1, 4, tid="main"), x("e", 1, 5, pid=-1)]),
         {"a": once(10000), "b": once(2000), "c": once(3000),
          "d": once(4000), "e": once(5000)}),
    Case("a thread's number may be text",
         text_of([x("a", 0, 10), x("b", 1, 2, tid="1")]),
         {"a": once(10000, 8000), "b": once(2000)},
         {("a", "b"): once(2000)}),
]

MARKS = [
    Case("begin and end",
         text_of([mark("B", 0, "a"), x("b", 1, 2), mark("E", 5)]),
         {"a": once(5000, 3000), "b": once(2000)}, {("a", "b"): once(2000)}),
    Case("not ended: until the last event",
         text_of([mark("B", 0, "a"), mark("B", 2, "b"), x("c", 3, 4)]),
         {"a": once(7000, 2000), "b": once(5000, 1000), "c": once(4000)},
         {("a", "b"): once(5000, 1000), ("b", "c"): once(4000)},
         {"open_ranges": 2}),
    Case("ended, and never begun",
         text_of([mark("E", 1, "z"), mark("B", 2, "a"), mark("E", 3, "a"),
                  mark("E", 4, "a"), mark("B", 5, "b"),
                  mark("E", 6, "z"), mark("E", 8)]),
         {"a": once(1000), "b": once(3000)}, {}, {"stray_ends": 3}),
    Case("a range in a slice that begins with it",
         text_of([mark("B", 0, "b"), mark("E", 5, "b"), x("x", 0, 10),
                  x("y", 2, 6)]),
         {"x": once(10000, 5000), "b": once(5000), "y": once(6000)},
         {("x", "b"): once(5000)}, {"overlaps": 1}),
    Case("ended crosswise",
         text_of([mark("B", 0, "a"), mark("B", 1, "b"), mark("E", 7, "a"),
                  mark("E", 9, "b")]),
         {"a": once(9000, 3000), "b": once(6000)}, {("a", "b"): once(6000)}),
    Case("equal slices and ranges: the first in the file is the outer",
         text_of([x("call", 0, 9), x("f", 1, 7), mark("B", 1, "a"),
                  x("g", 1, 7), mark("B", 1, "b"), x("h", 1, 7),
                  mark("E", 8, "b"), mark("E", 8, "a")]),
         {"call": once(9000, 2000), "f": once(7000, 0), "a": once(7000, 0),
          "g": once(7000, 0), "b": once(7000, 0), "h": once(7000)},
         {("call", "f"): once(7000, 0), ("f", "a"): once(7000, 0),
          ("a", "g"): once(7000, 0), ("g", "b"): once(7000, 0),
          ("b", "h"): once(7000)}),
    Case("equal ranges: the one that is begun first is the outer",
         text_of([mark("B", 0, "a"), mark("B", 0, "b"), mark("E", 7, "b"),
                  mark("E", 7, "a")]),
         {"a": once(7000, 0), "b": once(7000)}, {("a", "b"): once(7000)}),
    Case("the end comes first in the file",
         text_of([mark("E", 9, "a"), mark("B", 0, "a"), x("b", 9, 0)]),
         {"a": once(9000), "b": once(0)}),
]

NUMBERS = [
    Case("19 digits, and no double between",
         '[{"ph":"X","name":"a","pid":1,"tid":1,'
         '"ts":1712345678901234.567,"dur":0.002},'
         '{"ph":"X","name":"b","pid":1,"tid":1,'
         '"ts":1712345678901234.568,"dur":0.001}]',
         {"a": once(2, 1), "b": once(1)}, {("a", "b"): once(1)}),
    Case("numbers as text, with exponents, and half a nanosecond",
         '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":"1.5","dur":"2.25"},'
         '{"ph":"X","name":"b","pid":1,"tid":1,"ts":1e1,"dur":2.5E-1},'
         '{"ph":"X","name":"c","pid":1,"tid":1,"ts":20,"dur":0.0005},'
         '{"ph":"X","name":"d","pid":1,"tid":1,"ts":30,"dur":0.00049}]',
         {"a": once(2250), "b": once(250), "c": once(1), "d": once(0)}),
    Case("for want of a duration, that of the thread",
         '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"tdur":2}]',
         {"a": once(2000)}),
    Case("before zero",
         text_of([x("a", -10, 20), x("b", -5, 5)]),
         {"a": once(20000, 15000), "b": once(5000)},
         {("a", "b"): once(5000)}),
    Case("what makes no sense is counted",
         text_of([x("a", 0, 10), x("b", 1, -2), x("c", "soon", 1),
                  x("d", None, 1), {"ph": "X", "name": "e", "dur": 1},
                  {"name": "f", "ts": 1}, x("g", 10**30, 1)]),
         {"a": once(10000)}, {}, {"bad_events": 6}),
    Case("what is no number is no time, and does not end the reading",
         '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":NaN,"dur":1},'
         '{"ph":"X","name":"b","pid":1,"tid":1,"ts":1,"dur":Infinity},'
         '{"ph":"X","name":"c","pid":1,"tid":1,"ts":2,"dur":3}]',
         {"c": once(3000)}, {}, {"bad_events": 2}),
    Case("rows of clang's totals are left out",
         text_of([x("a", 5, 10), total("a", 10, 2), total("b", 99, 3)], beginningOfTime=7),
         {"a": once(10000)}, {}, {"left_out": 2}),
]

TEXT = [
    Case("one name, however it is escaped",
         '[{"ph":"X","name":"\\u00e9\\"","pid":1,"tid":1,"ts":0,"dur":1},'
         '{"dur":2,"ts":2,"tid":1,"pid":1,"name":"é\\u0022","ph":"X"}]',
         {"é\"": (2, 2, 3000, 3000)}),
    Case("events anywhere in the file, and not everywhere",
         '{"otherData":{"traceEvents":[{"ph":"X","name":"z","pid":1,"tid":1,'
         '"ts":0,"dur":1}]},"displayTimeUnit":"ns","traceEvents":[{"args":'
         '{"ph":"B","ts":5,"x":[{"ph":"X"}]},"ph":"X","name":"a","pid":1,'
         '"tid":1,"ts":0,"dur":1}],"more":[{"ph":"X","ts":1,"dur":1}]}',
         {"a": once(1000)}),
    # Python's json uses the last one.
    Case("of equal keys the first counts",
         text_of([op("a", 0, 4, 1), call(1, 9), op("b", 5, 5, 2), call(6, 8),
                  kernel(8, 3, 9)]).replace(
                      '"stream": 7, "correlation": 9',
                      '"stream": 7, "correlation": 9, "correlation": 8'),
         {"a": once(4000, 3000), "b": once(5000, 4000),
          "cudaLaunchKernel": (2, 2, 2000, 2000), K: once(3000)},
         {("a", "cudaLaunchKernel"): once(1000),
          ("b", "cudaLaunchKernel"): once(1000), ("a", K): once(3000)},
         {}, False),
    Case("an array that is not ended",
         '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1},\n',
         {"a": once(1000)}),
    Case("a file cut off in an event",
         '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,'
         '"dur":1},{"ph":"X","name":"b","pid":1,"ti',
         {"a": once(1000)}, {}, {"truncated": 1}, False),
]

SPANS = [
    Case("the span of a recording is no call, but a step of it is",
         text_of([x("PyTorch Profiler (0)", 0, 99, pid="Spans",
                    tid="PyTorch Profiler", cat="Trace"),
                  x("ProfilerStep#3", 0, 9, cat="user_annotation"),
                  x("PyTorch Profiler", 1, 2, cat="Trace")]),
         {"ProfilerStep#3": once(9000, 7000),
          "PyTorch Profiler": once(2000)},
         {("ProfilerStep#3", "PyTorch Profiler"): once(2000)},
         {"left_out": 1}),
]

JOINS = [
    Case("by correlation, where External id is another name for it",
         text_of([op("wrong", 0, 4, 9), op("right", 5, 5, 4), call(6, 9, 9),
                  kernel(8, 3, 9, 9)]),
         {"wrong": once(4000), "right": once(5000, 4000),
          "cudaLaunchKernel": once(1000), K: once(3000)},
         {("right", "cudaLaunchKernel"): once(1000),
          ("right", K): once(3000)}),
    Case("by External id, where the call is not there",
         text_of([op("a", 0, 4, 3), op("b", 5, 5, 4), kernel(8, 3, 9, 4)]),
         {"a": once(4000), "b": once(5000), K: once(3000)},
         {("b", K): once(3000)}),
    Case("the call was made where no op was open",
         text_of([call(6, 9), kernel(8, 3, 9)]),
         {"cudaLaunchKernel": once(1000), K: once(3000)},
         {("cudaLaunchKernel", K): once(3000)}),
    Case("one launch of a graph owns many kernels",
         text_of([op("a", 0, 9, 1), call(1, 5)] +
                 [kernel(10 + at, 1, 5) for at in range(4)]),
         {"a": once(9000, 8000), "cudaLaunchKernel": once(1000),
          K: (4, 4, 4000, 4000)},
         {("a", "cudaLaunchKernel"): once(1000),
          ("a", K): (4, 4, 4000, 4000)}),
    Case("kernels without a launch",
         text_of([op("a", 0, 9, 1), kernel(3, 2, 77), kernel(6, 1, 78)]),
         {"a": once(9000), K: (2, 2, 3000, 3000)}, {}, {"unmatched": 2}),
    Case("names of 2020, in an array",
         json.dumps([
             x("a", 0, 9, cat="Operator", args={"External id": 2}),
             x("cudaLaunchKernel", 1, 1, cat="Runtime",
               args={"correlation": 5, "external id": 2}),
             kernel(4, 3, 5, cat="Kernel", tid="stream 7",
                    args={"device": 0, "stream": 7, "correlation": 5,
                          "external id": 2})]),
         {"a": once(9000, 8000), "cudaLaunchKernel": once(1000),
          K: once(3000)},
         {("a", "cudaLaunchKernel"): once(1000), ("a", K): once(3000)}),
    Case("the call is slower than what it launched",
         text_of([op("a", 0, 9, 1),
                  x("cudaLaunchKernel", 1, 7, cat="cuda_runtime",
                    args={"correlation": 5}), kernel(2, 1, 5)]),
         {"a": once(9000, 2000), "cudaLaunchKernel": once(7000),
          K: once(1000)},
         {("a", "cudaLaunchKernel"): once(7000), ("a", K): once(1000)}),
    Case("a call of no length is before what it launched, where B and E are",
         text_of([mark("B", 0, "a"), kernel(1, 4, 5),
                  x("cudaLaunchKernel", 5, 0, cat="cuda_runtime",
                    args={"correlation": 5}), mark("E", 9)]),
         {"a": once(9000), "cudaLaunchKernel": once(0), K: once(4000)},
         {("a", "cudaLaunchKernel"): once(0), ("a", K): once(4000)}),
]

PROCESSES = [
    Case("two processes work on one row of a device",
         text_of([op("a", 0, 9, 1), call(1, 5), x("b", 0, 9, pid=2),
                  call(1, 6) | {"pid": 2}, kernel(4, 3, 5), kernel(8, 1, 6),
                  kernel(9, 2, 6)]),
         {"a": once(9000, 8000), "b": once(9000, 8000),
          "cudaLaunchKernel": (2, 2, 2000, 2000), K: (3, 3, 6000, 6000)},
         {("a", "cudaLaunchKernel"): once(1000),
          ("b", "cudaLaunchKernel"): once(1000),
          ("a", K): once(3000), ("b", K): (2, 2, 3000, 3000)}),
    # Processes that number from 1 have equal numbers.
    Case("two processes with equal numbers, and a row each for a device",
         text_of([op("a", 0, 9, 1), call(1, 5), x("b", 0, 9, pid=2),
                  call(1, 5) | {"pid": 2},
                  kernel(4, 3, 5, pid=100), kernel(8, 1, 5, pid=101)]),
         {"a": once(9000, 8000), "b": once(9000, 8000),
          "cudaLaunchKernel": (2, 2, 2000, 2000), K: (2, 2, 4000, 4000)},
         {("a", "cudaLaunchKernel"): once(1000),
          ("b", "cudaLaunchKernel"): once(1000),
          ("a", K): once(3000), ("b", K): once(1000)}, {}, False),
    Case("of equal numbers, the process that made more of the calls",
         text_of([op("a", 0, 9, 1), call(1, 5), x("b", 0, 9, pid=2),
                  call(1, 5) | {"pid": 2}, call(3, 6) | {"pid": 2},
                  kernel(4, 3, 5), kernel(8, 1, 6)]),
         {"a": once(9000, 8000), "b": once(9000, 7000),
          "cudaLaunchKernel": (3, 3, 3000, 3000), K: (2, 2, 4000, 4000)},
         {("a", "cudaLaunchKernel"): once(1000),
          ("b", "cudaLaunchKernel"): (2, 2, 2000, 2000),
          ("b", K): (2, 2, 4000, 4000)}, {}, False),
]



def late(case):
    """The same case, but of each event only the phase and name precede the
    arguments."""
    def turned(event):
        first = {key: event[key] for key in ("ph", "name", "args")
                 if key in event}
        return {**first, **event}

    trace = json.loads(case.text)
    if isinstance(trace, list):
        trace = [turned(event) for event in trace]
    else:
        trace["traceEvents"] = [turned(event)
                                for event in trace["traceEvents"]]
    return case._replace(name=case.name + ", told late",
                         text=json.dumps(trace))


CASES = NESTING + MARKS + NUMBERS + TEXT + SPANS + JOINS + PROCESSES + [
    late(case) for case in SPANS + JOINS + PROCESSES]


def counted(path):
    """The results of trace_counts.py: functions, edges, losses."""
    trace = trace_counts.Trace(path)
    calls = trace_counts.Calls(trace)
    work = trace_counts.Work(trace, calls)
    losses = {"bad_events": trace.bad, "left_out":
              trace.left_out + sum(s.is_span() for s in trace.host),
              "stray_ends": trace.stray_ends, "unmatched": work.unmatched,
              "open_ranges": sum(s.open for s in trace.host),
              "overlaps": calls.overlaps, "cut_calls": calls.cut,
              "rounded_ranges": calls.rounded}
    return tuple({key: cost.as_tuple() for key, cost in {**host, **device}
                  .items()} for host, device in (
        (calls.functions, work.functions), (calls.edges, work.edges))) + (
        {key: value for key, value in losses.items() if value},)


def key_of(row):
    if row["line"]:  # JAX's
        return f"${row['file']}:{row['line']} {row['name']}"
    return (row["name"], 0) if row["file"].startswith("<gpu:0") \
        else row["name"]


def cost_of(row):
    return (row["ncalls"], row["pcalls"], row["tottime_ns"],
            row["cumtime_ns"])


def read(ctprof, path):
    """The same from `ctprof stats`."""
    report = json.loads(subprocess.run(
        [ctprof, "stats", "-q", "--json", "--callers", path],
        stdout=subprocess.PIPE, check=True).stdout)
    functions = {key_of(row): cost_of(row) for row in report["rows"]}
    edges = {(key_of(caller), key_of(row)): cost_of(caller)
             for row in report["rows"] for caller in row["callers"]}
    return functions, edges, {**report["lost"], **report["notes"]}


def check(case, who, found):
    failed = False
    for what, ours, wanted in zip(("functions", "edges", "losses"), found,
                                  case[2:5]):
        if ours != wanted:
            print(f"{who}: {case.name}: {what}: {ours}, not {wanted}")
            failed = True
    return failed


def main():
    directory = pathlib.Path(sys.argv[1])
    failed = 0
    for number, case in enumerate(CASES):
        path = directory / f"case{number}.json"
        path.write_text(case.text, encoding="utf-8")
        if case.whole:
            failed += check(case, "trace_counts.py", counted(path))
        if len(sys.argv) > 2:
            failed += check(case, "ctprof", read(sys.argv[2], path))
    print(f"{len(CASES)} cases, {failed} wrong")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
