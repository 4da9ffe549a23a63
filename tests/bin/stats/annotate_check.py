#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares ctprof annotate with a slow implementation of its rules: each
operation examines every marker.

    annotate_check.py CTPROF DIRECTORY [ROUNDS]
"""
import json
import os
import random
import sys

from checks import equal, finish, output

CTPROF, WORK = sys.argv[1:3]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
NO_TRACE = "No model stack trace available"


def path(name):
    return os.path.join(WORK, name)


def run(*words):
    return output(*words, silent=True)


# ---- the rules ------------------------------------------------------------

def content(event):
    """The text in "## X ##"; None for other names."""
    name = event["name"]
    if name.startswith("## ") and name.endswith(" ##"):
        return name[3:-3]
    return None


def integer(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        return None


def is_marker(event):
    return event["cat"] == "cpu_op" and content(event) is not None


def innermost(events, event, accept):
    """The last begun of the open ones on the thread."""
    found = None
    for other in events:
        if (other is event or other["tid"] != event["tid"] or
                other["pid"] != event["pid"] or not accept(other) or
                not other["key"] < event["key"] or
                event["ts"] >= other["ts"] + other["dur"]):
            continue
        if found is None or found["key"] < other["key"]:
            found = other
    return found


def metadata(events, registry, node):
    inside = innermost(events, node, lambda other: is_marker(other) and
                       content(other).endswith(".py"))
    if inside is None:
        return None
    nodes = (registry.get(content(inside)) or {}).get("node_metadata") or {}
    return {int(key): value
            for key, value in nodes.items()}.get(integer(content(node)))


def expect(events, registry):
    """Arguments by the name of the operation."""
    for event in events:
        # If two begin together, the longer one is outside.
        event["key"] = (event["ts"], -event["dur"])
    for event in events:
        if is_marker(event) and integer(content(event)) is not None:
            event["metadata"] = metadata(events, registry, event)
    wanted = {}
    for event in events:
        if content(event) is not None:
            continue
        args = dict(event["args"])
        node = innermost(events, event, lambda other: other.get("metadata"))
        if node is not None:
            trace = node["metadata"].get("stack_trace", NO_TRACE)
            if trace:
                args["stack_trace"] = trace
            if node["metadata"].get("name"):
                args["node_name"] = node["metadata"]["name"]
        wanted[event["name"]] = args
    return wanted


# ---- ctprof ---------------------------------------------------------------

def slices(events):
    return [{key: event[key] for key in
             ("name", "cat", "pid", "tid", "ts", "dur", "args")} |
            {"ph": "X"} for event in events]


def write(name, value):
    with open(path(name), "w", encoding="utf-8") as out:
        json.dump(value, out)


def found_args(text):
    return {event["name"]: event.get("args", {})
            for event in json.loads(text)["traceEvents"]
            if event["ph"] == "X" and content(event) is None}


def without(text):
    """All except members that may have been added."""
    document = json.loads(text)
    for event in document["traceEvents"]:
        args = event.get("args", {})
        args.pop("stack_trace", None)
        args.pop("node_name", None)
        if not args:
            event.pop("args", None)
    document["otherData"].pop("title", None)
    return document


def compare(what, events, registry):
    wanted = expect(events, registry)
    write("t.json", {"traceEvents": slices(events)})
    write("fx.json", registry)
    got = run("annotate", "-q", "--registry", path("fx.json"), "-t", "chrome",
              path("t.json"))
    equal(what, found_args(got), wanted)
    plain = run("convert", "-q", "-t", "chrome", path("t.json"))
    equal(f"{what}: all else", without(got), without(plain))
    return got, wanted


def compare_log(what, wanted):
    """By way of a log, annotated twice."""
    run("convert", "-q", "--force", path("t.json"), "-o", path("t.ctp"))
    for source, to in (("t.ctp", "once.ctp"), ("once.ctp", "twice.json")):
        run("annotate", "-q", "--force", "--registry", path("fx.json"),
            path(source), "-o", path(to))
    with open(path("twice.json"), "rb") as file:
        equal(f"{what}, twice", found_args(file.read()), wanted)


# ---- cases ----------------------------------------------------------------

def event(name, start, dur, **more):
    return {"name": name, "cat": "cpu_op", "pid": 1, "tid": 1, "ts": start,
            "dur": dur, "args": {}} | more


REGISTRY = {
    "a.py": {"node_metadata": {
        "0": {"name": "x", "stack_trace": "File \"a\", line 1\n  é;"},
        "1": {"name": "y"},
        "2": {"stack_trace": "only"},
        "3": {},
        "4": None,
        "5": {"name": "", "stack_trace": None},
        "-6": {"name": "minus", "stack_trace": ""},
        "7": {"op": "call", "name": "seven"}},
        "source": 3},
    "dir/b.py": {"node_metadata": {"0": {"name": "b0", "stack_trace": "b"}}},
    "none.py": {},
    "null.py": None,
}
NAMES = ["## a.py ##", "## dir/b.py ##", "## none.py ##", "## null.py ##",
         "## other.py ##", "## 0 ##", "## 1 ##", "## 2 ##", "## 3 ##",
         "## 4 ##", "## 5 ##", "## -6 ##", "## 007 ##", "## 8 ##",
         "## 123456789012345678901234567890 ##", "## forward ##", "## ##",
         "##  ##", "## 1.5 ##", "## a.py  ##"]


def by_hand():
    """The messages for one example with a known result."""
    node = event("## 0 ##", 20, 40)
    events = [
        event("## a.py ##", 10, 100),
        node,
        event("inside", 25, 5, args={"stack_trace": "old", "n": 1}),
        event("other thread", 25, 5, tid=2),
        event("## 1 ##", 40, 10),
        event("nested", 42, 1),
        event("between", 51, 1),
        event("## forward ##", 52, 3, cat="user_annotation"),
        event("within it", 53, 1),
        event("over the end", 55, 20),
        event("after", 60, 1),
        event("## 1 ##", 200, 10, cat="user_annotation"),
        event("no marker", 201, 1),
    ]
    x = {"stack_trace": "File \"a\", line 1\n  é;", "node_name": "x"}
    y = {"stack_trace": NO_TRACE, "node_name": "y"}
    _, wanted = compare("by hand", events, REGISTRY)
    equal("the oracle", wanted, {
        "inside": {"n": 1} | x, "other thread": {}, "nested": y,
        "between": x, "within it": x, "over the end": x, "after": {},
        "no marker": {}})
    compare_log("by hand", wanted)


def random_events(rng):
    events = []
    taken = set()
    for i in range(rng.randrange(1, 80)):
        name = rng.choice(NAMES) if rng.random() < 0.6 else f"op {i}"
        # An overlap of 1 us may be rounding, and is cut.
        start = 2 * rng.randrange(60)
        dur = 2 * rng.choice((1, 2, 5, 20, 60, 60, 100))
        tid = rng.randrange(1, 3)
        # Equal ones are in the producer's order.
        if (tid, start, dur) in taken:
            continue
        taken.add((tid, start, dur))
        args = {"stack_trace": "mine"} if rng.random() < 0.1 else {}
        cat = "user_annotation" if rng.random() < 0.1 else "cpu_op"
        events.append(event(name, start, dur, tid=tid, args=args, cat=cat))
    if rng.random() < 0.5:
        rng.shuffle(events)
    return events


def chain():
    """Each ends within the next, so that none is inside another."""
    events = [event("## a.py ##", 0, 3000)]
    for i in range(300):
        events.append(event(f"## {i % 9} ##", 10 * i + 1, 12))
        events.append(event(f"op {i}", 10 * i + 2, 1))
        events.append(event(f"late {i}", 10 * i + 11, 1))
    return events


by_hand()
compare("a chain", chain(), REGISTRY)
for seed in range(ROUNDS):
    _, expected = compare(f"seed {seed}", random_events(random.Random(seed)),
                          REGISTRY)
    if seed % 5 == 0:
        compare_log(f"seed {seed}", expected)
finish()
