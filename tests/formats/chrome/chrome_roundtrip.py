# SPDX-License-Identifier: MIT
"""Checks that conversion keeps a Chrome trace.

usage: chrome_roundtrip.py FILE WRITTEN AGAIN

Every event of another tool's file is in ctprof's output, with its name,
category, times, arguments and other members. So are the other members of the
document, and threads are not mixed up. The output made from a log in between
has the same events, except for the numbers of rows.
"""
import collections
import decimal
import gzip
import json
import re
import sys

OLD_CATEGORIES = {"Operator": "cpu_op", "Kernel": "kernel",
                  "Runtime": "cuda_runtime", "Memcpy": "gpu_memcpy",
                  "Memset": "gpu_memset", "": "range"}
# A function's location in its name, which becomes two arguments.
PLACE = re.compile(r"^(?P<name>.+) \((?P<file>.+):(?P<line>[0-9]+)\)$")
# Likewise in JAX's names, which have no category.
JAX = re.compile(r"^\$(?P<file>.+?):(?P<line>[0-9]+) (?P<name>.+)$")
# Members that are compared separately.
PLAIN = ("ph", "name", "cat", "args", "ts", "dur", "pid", "tid", "sf")
# The numbers and the order of rows.
ROWS = ("pid", "tid")
ORDERS = ("process_sort_index", "thread_sort_index")


# Members of the document that are not facts, or are written anew.
CONTENTS = ("traceEvents", "samples", "stackFrames", "deviceProperties",
            "computeProperties", "schemaVersion", "baseTimeNanoseconds")


def read(path):
    """The document's events and its other members."""
    opened = gzip.open(path) if path.endswith(".gz") else open(path, "rb")
    with opened as file:
        # NaN and the like become text.
        trace = json.loads(file.read().decode("utf-8", "replace"),
                           parse_float=decimal.Decimal, parse_constant=str)
    if isinstance(trace, list):
        return trace, {}
    return trace["traceEvents"], {
        key: value for key, value in trace.items() if key not in CONTENTS}


def members(document):
    """The members for comparison, without our own in "otherData"."""
    found = dict(document)
    other = found.pop("otherData", {})
    for key, value in other.items():
        if key not in ("tool", "title", "facts", "losses"):
            found["otherData", key] = value
    return found


def number(text):
    """An id, decimal or hexadecimal."""
    for base in (10, 16):
        try:
            return int(str(text), base)
        except ValueError:
            pass
    return text


def beside(event, none=()):
    """An event's other members; those in `none` are equivalent to a missing
    member."""
    found = {key: value for key, value in event.items()
             if key not in PLAIN and (key, value) not in none}
    if event["ph"] in tuple("bestf") and "id" in found:
        found["id"] = number(found["id"])
    return found


def to_ns(microseconds):
    """Exact nanoseconds, halves away from zero."""
    return int((decimal.Decimal(microseconds) * 1000).quantize(
        1, decimal.ROUND_HALF_UP))


def span(event, end=None):
    """A slice's start and duration; `end`: the event that ended it."""
    start = to_ns(event["ts"])
    if end is not None:
        return start, to_ns(end["ts"]) - start
    return start, to_ns(event["dur"] if "dur" in event else event["tdur"])


def slice_of(event, args, end=None):
    name = event["name"]
    args = dict(args)
    rest = beside(event)
    category = event.get("cat") or ""
    if category == "" and name[:1] == "$" and " " in name[2:]:
        category = "python_function"
    place = PLACE.match(name) or JAX.match(name)
    if place and not args:
        name = place["name"]
        args = {"file": place["file"], "line": int(place["line"])}
    # Compare as doubles: their digits may differ.
    values = json.loads(json.dumps([args, rest], default=float))
    return (name, OLD_CATEGORIES.get(category, category), span(event, end),
            json.dumps(values, sort_keys=True))


def slices(events):
    """The number of each slice; a B includes its E's arguments."""
    found = collections.Counter()
    open_slices = collections.defaultdict(list)
    for event in events:
        row = str(event.get("pid")), str(event.get("tid"))
        if event.get("ph") == "X":
            found[slice_of(event, event.get("args") or {})] += 1
        elif event.get("ph") == "B":
            open_slices[row].append(event)
        elif event.get("ph") == "E" and open_slices[row]:
            begin = open_slices[row].pop()
            ended = {f"end.{key}": value
                     for key, value in beside(event).items()}
            args = (begin.get("args") or {}) | (event.get("args") or {})
            args |= ended
            found[slice_of(begin, args, event)] += 1
    return found


PHASES = {"I": "i", "S": "b", "T": "n", "p": "n", "F": "e"}


# Kineto's arrows to devices, of all its versions: they are written anew.
ARROWS = ("ac2g", "async_cpu_to_gpu", "async_gpu")


def is_arrow(event):
    return event.get("cat") in ARROWS or \
        (event.get("cat"), event.get("name")) == ("async", "launch")


def points(events):
    """Events without duration."""
    found = collections.Counter()
    for event in events:
        phase = PHASES.get(event.get("ph"), event.get("ph"))
        if phase not in tuple("iCbestfnNODRcvV()=") or is_arrow(event):
            continue
        args = event.get("args") or {}
        # Standard members; counters have only their series.
        rest = {} if phase == "C" else beside(
            event | {"ph": phase}, [("s", "t")] if phase == "i" else ())
        if phase in tuple("be") and \
                event.get("cat", "async") == "async" and \
                rest.get("scope") == event["name"]:
            del rest["scope"]
        # The series of a counter may be separate events.
        for part in [{key: args[key]} for key in args] if phase == "C" \
                else [args]:
            found[phase, event["name"], event.get("cat") or None,
                  to_ns(event["ts"]), json.dumps(
                      [part, rest], sort_keys=True, default=float)] += 1
    return found


def without_categories(found):
    """Events without a category get the name of their kind as category."""
    result = collections.Counter()
    for (phase, name, category, time, args), count in found.items():
        own = {"i": "instant", "C": "counter", "b": "async", "e": "async"}
        if category == own.get(phase, "flow"):
            category = None
        result[phase, name, category, time, args] += count
    return result


def threads(events):
    """The row of each slice that is unique by name and time, and not a
    device's."""
    found = collections.defaultdict(set)
    for event in events:
        args = event.get("args") or {}
        if event.get("ph") == "X" and not left_out(event) and \
                not {"stream", "device"} & set(args) and \
                event.get("cat") != "gpu_user_annotation":
            name = PLACE.sub(r"\g<name>", event["name"])
            name = JAX.sub(r"\g<name>", name)
            found[name, span(event)].add(
                (str(event.get("pid")), str(event.get("tid"))))
    return {key: min(rows) for key, rows in found.items() if len(rows) == 1}


def mixed(origin, written):
    """Rows with slices of several rows of the file."""
    first, second = threads(origin), threads(written)
    rows = collections.defaultdict(set)
    for key in first.keys() & second.keys():
        rows[second[key]].add(first[key])
    return {row: of for row, of in rows.items() if len(of) > 1}


def whole(events):
    return collections.Counter(
        json.dumps({key: value for key, value in event.items()
                    if key not in ROWS}, sort_keys=True, default=str)
        for event in events
        if event["ph"] != "M" or event["name"] not in ORDERS)


def orders(events):
    """The sort indices of processes and threads with events."""
    used = set()
    for event in events:
        if event.get("ph") in ("X", "B", "i") and not left_out(event):
            pid, tid = str(event.get("pid")), str(event.get("tid"))
            used.add(("process_sort_index", pid))
            # Streams get our own rows.
            if "stream" not in (event.get("args") or {}) and \
                    event.get("cat") != "gpu_user_annotation":
                used.add(("thread_sort_index", pid, tid))
    found = {}
    for event in events:
        if event.get("ph") == "M" and event["name"] in ORDERS:
            row = event["name"], str(event.get("pid")), str(event.get("tid"))
            row = row[:2] if event["name"] == ORDERS[0] else row
            if row in used:
                found[row] = event["name"], event["args"]["sort_index"]
    return collections.Counter(found.values())


def left_out(event):
    return str(event.get("name", "")).startswith("Total ")


def compare(words, one, other):
    missing, more = one - other, other - one
    for sign, events in (("-", missing), ("+", more)):
        for event in list(events)[:3]:
            print(sign, str(event)[:300])
    print(words, sum(one.values()), "missing", sum(missing.values()), "more",
          sum(more.values()))
    return missing, more


def main():
    (origin, origin_members), (written, written_members), \
        (again, again_members) = map(read, sys.argv[1:])
    first, second, third = map(members, (origin_members, written_members,
                                         again_members))
    lost = {key: value for key, value in first.items()
            if second.get(key) != value}
    lost |= {key: value for key, value in second.items()
             if third.get(key) != value}
    for key in lost:
        print("- member", key, str(lost[key])[:300])
    missing, _ = compare(
        "as others wrote it:",
        slices(e for e in origin if not left_out(e)) +
        without_categories(points(origin)),
        slices(written) + without_categories(points(written)))
    unsorted, _ = compare("orders:", orders(origin), orders(written))
    resorted, _ = compare("after a log:", orders(origin), orders(again))
    changed = compare("with a log in between:", whole(written), whole(again))
    mixed_up = mixed(origin, written) | mixed(origin, again)
    for row, of in mixed_up.items():
        print("- row", row, "has slices of", sorted(of))
    sys.exit(1 if lost or missing or unsorted or resorted or any(changed) or
             mixed_up else 0)


main()
