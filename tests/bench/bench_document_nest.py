# SPDX-License-Identifier: MIT
"""Nesting of a thread's ranges, and operators by their number, for
tests/bench/bench_document.py."""

# Floats of microseconds: the sum of a start and a duration may exceed the start
# that it should equal. This is half a nanosecond.
HALF = 0.0005


def in_order(event):
    return event["ts"], -event["dur"]


def nest(ranges):
    """Sorts them; returns for each its self time and the number of the range
    around it, -1 if there is none."""
    ranges.sort(key=in_order)
    parents, own, stack, ends = [], [], [], []
    for number, event in enumerate(ranges):
        start, length = event["ts"], event["dur"]
        while ends and ends[-1] < start + HALF:
            ends.pop()
            stack.pop()
        own.append(length)
        if stack:
            own[stack[-1]] -= length
            parents.append(stack[-1])
        else:
            parents.append(-1)
        stack.append(number)
        ends.append(start + length)
    return parents, own


def find_operators(threads):
    """By External id; of several the last counts, the innermost."""
    return {event["args"]["External id"]: event
            for ranges in threads.values() for event in ranges
            if event.get("cat") == "cpu_op" and "External id" in event["args"]}
