#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second and naive implementation of the rules of function timings.

oracle.py program SEED          prints a random nested program
oracle.py compare SEED JSON     compares `ctprof stats --json --callers` of its
                                recording with the rules' result, key by key

The rules are cProfile's. A call is primitive if its function is not already
open on the thread. A call along an edge counts towards the edge's time if no
call along that edge is open. Open calls end with the last event.
"""
import json
import random
import sys

FIELDS = ("ncalls", "pcalls", "tottime_ns", "cumtime_ns")


def program(seed):
    """Events (thread, kind, time, name): few names, so they recurse a lot."""
    rng = random.Random(seed)
    names = [f"f{i}" for i in range(rng.choice((1, 2, 3, 6, 20)))]
    clock = [rng.choice((-1000, 0, 10**15))] * 8
    depth = [0] * 8
    events = []
    for _ in range(rng.choice((1, 2, 10, 300, 3000))):
        thread = rng.randrange(rng.choice((1, 3, 8)))
        clock[thread] += rng.choice((0, 0, 1, 7, rng.randrange(10**6)))
        if depth[thread] and rng.random() < 0.48:
            depth[thread] -= 1
            events.append((thread, "E", clock[thread], ""))
        else:
            depth[thread] += 1
            name = rng.choice(names)
            events.append((thread, "B", clock[thread], name))
    return events


class Cost:
    def __init__(self):
        self.ncalls = self.pcalls = self.tottime_ns = self.cumtime_ns = 0

    def add(self, time, own, primitive):
        self.ncalls += 1
        self.tottime_ns += own
        if primitive:
            self.pcalls += 1
            self.cumtime_ns += time

    def as_tuple(self):
        return tuple(getattr(self, field) for field in FIELDS)


def replay(events):
    """{name: Cost}, {(callee, caller): Cost}, and the number of open calls."""
    functions, edges = {}, {}
    stacks = [[] for _ in range(8)]

    def end(stack, now):
        name, start, children = stack.pop()
        time = now - start
        path = [frame[0] for frame in stack]
        functions.setdefault(name, Cost()).add(
            time, time - children, name not in path)
        if stack:
            stack[-1][2] += time
            edge = (path[-1], name)
            active = edge in zip(path, path[1:])
            edges.setdefault((name, path[-1]), Cost()).add(
                time, time - children, not active)

    for thread, kind, now, name in events:
        if kind == "B":
            stacks[thread].append([name, now, 0])
        else:
            end(stacks[thread], now)
    last = max((event[2] for event in events), default=0)
    still_open = sum(len(stack) for stack in stacks)
    for stack in stacks:
        while stack:
            end(stack, last)
    return functions, edges, still_open


def cost_of(row):
    return tuple(row[field] for field in FIELDS)


def compare(seed, report):
    functions, edges, still_open = replay(program(seed))
    expected = {name: cost.as_tuple() for name, cost in functions.items()}
    expected.update({edge: c.as_tuple() for edge, c in edges.items()})
    found = {}
    for row in report["rows"]:
        found[row["name"]] = cost_of(row)
        assert row["file"] == "oracle.c" and row["line"] == len(row["name"])
        for caller in row["callers"]:
            found[row["name"], caller["name"]] = cost_of(caller)
    differences = [
        f"seed {seed}: {key}: expected {expected.get(key)}, "
        f"found {found.get(key)}"
        for key in sorted(expected.keys() | found.keys(), key=str)
        if expected.get(key) != found.get(key)]
    if report["notes"].get("open_ranges", 0) != still_open:
        differences.append(f"seed {seed}: {still_open} were open, not "
                           f"{report['notes']}")
    return differences


def main():
    seed = int(sys.argv[2])
    if sys.argv[1] == "program":
        for thread, kind, now, name in program(seed):
            print("T", thread, kind, now, name)
        return 0
    with open(sys.argv[3], encoding="utf-8") as file:
        differences = compare(seed, json.load(file))
    print("\n".join(differences[:20]), end="\n" if differences else "")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
