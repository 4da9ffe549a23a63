#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second and naive implementation of the rules for device activities in
profiles.

oracle_device.py PROGRAM COUNT    gives that many random programs to PROGRAM
                                  (oracle_device) and compares its profiles

A launch keeps the path of all open ranges. Its launcher is the innermost of
them that is not a call of the API, or else the innermost. Work is a call of its
own function, made by the launcher. A function's device time below it is that of
all work with the function on its path, counted once. With `every`, edges have
the time of all calls, as with --edge-times=all.
"""
import collections
import random
import subprocess
import sys

API = ("cuda_runtime", "cuda_driver")
WORK = ("kernel", "gpu_memcpy", "gpu_memset")
THREADS = 4  # two of either process
STREAMS = [(1, 0), (1, 0), (1, 1), (2, 0)]  # (process, device)


def make_sites(rng):
    """[(name, category)]: ranges, calls of the API, activities."""
    ranges = [(f"f{i}", rng.choice(("-", "function")))
              for i in range(rng.choice((1, 2, 4)))]
    calls = [(f"api{i}", rng.choice(API)) for i in range(2)]
    activities = [(f"k{i}", "kernel") for i in range(rng.choice((1, 3)))]
    activities += [("copy", "gpu_memcpy"), ("set", "gpu_memset"),
                   ("wait", "cuda_sync"), ("tool", "overhead")]
    return ranges + calls, activities


def make_program(seed):
    """Lines in the form of oracle_device.c, but with separate times."""
    rng = random.Random(seed)
    hosts, activities = make_sites(rng)
    sites = hosts + activities
    depth = [0] * THREADS
    clock = [0] * THREADS
    now, next_id, ids, events = 0, 1, [0], []
    for _ in range(rng.choice((2, 20, 200, 1500))):
        thread = rng.randrange(rng.choice((1, THREADS)))
        now += rng.choice((0, 1, 7, rng.randrange(1000)))
        clock[thread] = now
        kind = rng.random()
        if kind < 0.3:
            if rng.random() < 0.5 or not ids:
                ids.append(next_id)
                next_id += 1
            events.append(("C", thread, rng.choice(ids[-4:])))
        elif kind < 0.5:
            stream = THREADS + rng.randrange(len(STREAMS))
            which = len(hosts) + rng.randrange(len(activities))
            launch = rng.choice(ids) if rng.random() < 0.9 else next_id
            events.append(("A", stream, which, rng.randrange(500), launch))
        elif depth[thread] and rng.random() < 0.48:
            depth[thread] -= 1
            events.append(("E", thread, now))
        else:
            depth[thread] += 1
            events.append(("B", thread, rng.randrange(len(hosts)), now))
    return sites, events


def text_of(sites, events):
    lines = [f"track {1 + thread // 2}" for thread in range(THREADS)]
    lines += [f"stream {pid} {device}" for pid, device in STREAMS]
    lines += [f"site {name} {category}" for name, category in sites]
    lines += [" ".join(map(str, event)) for event in events]
    return "\n".join(lines) + "\n"


Call = collections.namedtuple("Call", "path start end children")
Work = collections.namedtuple("Work", "name time path")


def run(sites, events):
    """All calls of the host, and all work with its launcher's path."""
    stacks = [[] for _ in range(THREADS)]
    launches, calls, works = {}, [], []
    unmatched = 0
    last = 0

    def end(stack, now):
        name, _, start, children = stack.pop()
        calls.append(Call(tuple(frame[0] for frame in stack) + (name,),
                          start, now, children))
        if stack:
            stack[-1][3] += now - start

    for event in events:
        what, track = event[:2]
        if what == "B":
            name, category = sites[event[2]]
            last = event[3]
            stacks[track].append([name, category in API, last, 0])
        elif what == "E":
            last = event[2]
            end(stacks[track], last)
        elif what == "C":
            stack = list(stacks[track])
            while stack and stack[-1][1]:
                stack.pop()
            launches[1 + track // 2, event[2]] = tuple(
                frame[0] for frame in stack or stacks[track])
        else:
            name, category = sites[event[2]]
            pid, device = STREAMS[track - THREADS]
            if category not in WORK:
                continue
            path = launches.get((pid, event[4]))
            unmatched += path is None
            works.append(Work(f"{name}<gpu:{device}>", event[3], path or ()))
    for stack in stacks:
        while stack:
            end(stack, last)
    return calls, works, unmatched


def pairs(path):
    return list(zip(path, path[1:]))


def add(cost, calls, own, time, primitive=True, timed=True):
    cost[0] += calls
    cost[1] += calls if primitive else 0
    cost[2] += own
    cost[3] += time if timed else 0


def expect(program, mode, every):
    """The expected output of oracle_device, as a sorted list of lines."""
    calls, works, unmatched = run(*program)
    functions = collections.defaultdict(lambda: [[0] * 4, [0] * 4, [0] * 4])
    edges = collections.defaultdict(lambda: [0] * 4)
    nodes = collections.defaultdict(lambda: [0, 0])
    below = collections.Counter()  # the device's time, by path of the host
    shown = [] if mode == "host" else works
    for work in shown:
        for size in range(1, len(work.path) + 1):
            below[work.path[:size]] += work.time

    for call in calls:
        path, name = call.path, call.path[-1]
        time = 0 if mode == "device" else call.end - call.start
        own = 0 if mode == "device" else time - call.children
        primitive = name not in path[:-1]
        add(functions[name][0], 1, own, time, primitive, primitive)
        if len(path) == 1:
            add(functions[name][1], 1, own, time)
        else:
            first = pairs(path)[-1] not in pairs(path[:-1])
            add(edges[path[-2:]], 1, own, time,
                primitive if every else first, every or first)
        nodes[path][0] += 1
        nodes[path][1] += own

    for work in shown:
        cost, root, device = functions[work.name]
        low, high = (work.time, work.time) if not cost[0] else device[2:]
        device[:] = [device[0] + work.time, device[1] + work.time,
                     min(low, work.time), max(high, work.time)]
        add(cost, 1, work.time, work.time)
        add(edges[work.path[-1], work.name] if work.path else root,
            1, work.time, work.time)
        nodes[work.path + (work.name,)][0] += 1
        nodes[work.path + (work.name,)][1] += work.time
        if work.path:
            functions[work.path[-1]][2][0] += work.time
        for name in set(work.path):
            functions[name][2][1] += work.time

    if mode == "device":
        for path, time in below.items():
            name = path[-1]
            if name not in path[:-1]:
                functions[name][0][3] += time
            if len(path) == 1:
                functions[name][1][3] += time
            elif every or pairs(path)[-1] not in pairs(path[:-1]):
                edges[path[-2:]][3] += time

    lines = [f"function {name} " + " ".join(map(str, sum(costs, [])))
             for name, costs in functions.items()]
    lines += [f"edge {caller} {callee} " + " ".join(map(str, cost))
              for (caller, callee), cost in edges.items()]
    lines += [f"node {';'.join(path)} {count} {time}"
              for path, (count, time) in nodes.items()]
    total = sum(costs[0][2] for costs in functions.values())
    lines += [f"total {total}", f"unmatched {unmatched if shown else 0}"]
    return sorted(lines)


def check(tool, seed, mode, every):
    program = make_program(seed)
    command = [tool, mode] + ["all"] * every
    printed = subprocess.run(command, input=text_of(*program), text=True,
                             stdout=subprocess.PIPE, check=True).stdout
    found = sorted(printed.splitlines())
    wanted = expect(program, mode, every)
    if found == wanted:
        return True
    print(f"seed {seed}, {mode}, edge times of all {every}:")
    for line in sorted(set(found) ^ set(wanted))[:20]:
        print("found" if line in found else "wanted", line)
    return False


def main():
    tool, count = sys.argv[1], int(sys.argv[2])
    for seed in range(count):
        for mode in ("separate", "host", "device"):
            if not check(tool, seed, mode, seed % 3 == 0):
                return 1
    print(f"{count} programs agree")
    return 0


if __name__ == "__main__":
    sys.exit(main())
