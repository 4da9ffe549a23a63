#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares ctprof gaps with a slow implementation of the documents' rules: each
moment is examined separately.

    gaps_check.py CTPROF DIRECTORY MOCK_EVENTS [ROUNDS]
"""
import gzip
import json
import math
import os
import random
import sys

from checks import equal, finish, output
from gaps_trace import Program, Trace

CTPROF, WORK, MOCK = sys.argv[1:4]
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 25
CAUSES = ("host", "synchronization", "copies", "data_loading", "queued",
          "nothing_launched", "unknown")


def report(path, *options):
    return json.loads(output("gaps", "--json", *options, path))


# ---- the robust report ----------------------------------------------------

def cause_of(name, category, around):
    if category == "cuda_runtime":
        if name.startswith("cudaMemcpy"):
            return "copies"
        if name.endswith("Synchronize"):
            return "synchronization"
        return around
    return "data_loading" if "DataLoader" in name else around


def doing(trace, tid, moment):
    """The thread's state then: cause, range, call of the API."""
    cause, name, call = "host", "", ""
    inside = [one for one in trace.host
              if one[2] == tid and one[0] <= moment < one[1]]
    for start, end, _, title, category, _ in sorted(
            inside, key=lambda one: (one[0], -one[1])):
        cause = cause_of(title, category, cause)
        if category == "cuda_runtime":
            call = title
        else:
            name, call = title, ""
    return cause, name, call


def slow_gaps(trace):
    ranges = {one[5]: one for one in trace.host if one[5]}
    first = min([one[0] for one in trace.host + trace.work])
    last = max([one[1] for one in trace.host + trace.work])
    devices, places = {}, {}
    for device in sorted({one[2] for one in trace.work}):
        work = sorted(one for one in trace.work if one[2] == device)
        edges = {first, last}
        for one in trace.host + work:
            edges.update(one[:2])
        edges = sorted(edges)
        row = {"span_ns": last - first, "busy_ns": 0, "kernel_ns": 0,
               "compute_ns": 0, "comm_ns": 0, "exposed_comm_ns": 0,
               "copy_ns": 0, "idle_ns": 0, "causes": dict.fromkeys(CAUSES, 0)}
        for from_ns, to_ns in zip(edges, edges[1:]):
            runs = [one for one in work if one[0] <= from_ns < one[1]]
            row["kernel_ns"] += (to_ns - from_ns) * any(
                one[5] == "kernel" for one in runs)
            kernels = [one[4] for one in runs if one[5] == "kernel"]
            comm = any(name.startswith("nccl") for name in kernels)
            compute = any(not name.startswith("nccl") for name in kernels)
            row["compute_ns"] += (to_ns - from_ns) * compute
            row["comm_ns"] += (to_ns - from_ns) * comm
            row["exposed_comm_ns"] += (to_ns - from_ns) * (comm > compute)
            row["copy_ns"] += (to_ns - from_ns) * any(
                one[5] != "kernel" for one in runs)
            if runs:
                row["busy_ns"] += to_ns - from_ns
                continue
            row["idle_ns"] += to_ns - from_ns
            following = [one for one in work if one[0] >= to_ns]
            cause, name, call = "nothing_launched", "", ""
            if following and following[0][6] not in ranges:
                cause = "unknown"
            elif following and ranges[following[0][6]][0] <= from_ns:
                cause = "queued"
            elif following:
                cause, name, call = doing(
                    trace, ranges[following[0][6]][2], from_ns)
            row["causes"][cause] += to_ns - from_ns
            key = device, cause, name, call
            places[key] = places.get(key, 0) + to_ns - from_ns
        steps = []
        for one in work:
            launch = ranges.get(one[6])
            if one[5] == "kernel" and launch and launch[0] < one[0]:
                steps += [(launch[0], 1), (one[0], -1)]
        depth = most = since = total = 0
        for moment, step in sorted(steps):
            total += depth * (moment - since)
            depth, since = depth + step, moment
            most = max(most, depth)
        row["queue_depth_max"] = most
        row["queue_depth_mean"] = total * 1000 // row["span_ns"] / 1000
        devices[device] = row
    return devices, places


def check_gaps(name, trace, path):
    devices, places = slow_gaps(trace)
    found = report(path)
    equal(f"{name}: devices", [row["device"] for row in found["rows"]],
          list(devices))
    for row in found["rows"]:
        wanted = devices[row["device"]]
        equal(f"{name}: device {row['device']}",
              {key: row[key] for key in wanted}, wanted)
    got = {}
    for place in found["places"]:
        title = place["name"]
        if place["file"]:
            title = f"{place['file']}({place['line']}): {title}"
        key = place["device"], place["cause"], title, place["call"]
        got[key] = got.get(key, 0) + place["idle_ns"]
    equal(f"{name}: places", got, places)


# ---- the document's ranking -----------------------------------------------


def overlap(spans, from_ns, to_ns):
    covered, reached = 0, from_ns
    for start, end in sorted(spans):
        start, end = max(start, reached), min(end, to_ns)
        if start < end:
            covered += end - start
            reached = end
    return covered


def queue(launches, kernels):
    """(start, end, depth) of launches and kernels, in order of time."""
    kernels = sorted(kernels)
    mapped, of = 0, {}
    for launch in sorted(launches):
        for i in range(mapped, len(kernels)):
            if kernels[i][2] == launch[2]:
                of[launch] = mapped = i
                break
    latest, samples = -1, []
    points = [(one[0], 0, one) for one in launches]
    points += [(one[0], 1, one) for one in kernels]
    for start, is_kernel, one in sorted(points):
        if not is_kernel:
            latest = of.get(one, latest)
        begun = sum(1 for kernel in kernels if kernel[0] <= start)
        samples.append((start, one[1], max(0, latest - begun + 1)))
    return samples


def falling(samples):
    back = samples[::-1]
    spans, i = [], 0
    while i < len(back):
        if back[i][2] == 0:
            for j in range(i + 1, len(back)):
                end = j
                while end < len(back) and back[end][2] > 0:
                    end += 1
                peak = max(range(j, end), key=lambda at: back[at][2],
                           default=None)
                if peak is not None and back[peak][2] >= 4:
                    spans.append((back[peak][0], back[i][0]))
                    i = end if end < len(back) else i
                    break
        i += 1
    return spans


def slow_ranking(ranges, launches, kernels):
    """From ranges (start, end, name, self)."""
    samples = queue(launches, kernels)
    idle, since = [], None
    if samples and ranges:
        last = sorted(ranges)[-1]
        idle = [(min(ranges)[0], samples[0][0]), (samples[-1][1], last[1])]
    for start, end, depth in samples:
        if depth == 0 and since is None:
            since = end
        elif depth > 0 and since is not None:
            idle.append((since, start))
            since = None
    phases = falling(samples)
    rows = []
    for start, end, name, own in ranges:
        if overlap(phases, start, end) == 0:
            continue
        length = end - start
        rest = overlap(idle, start, end)
        rows.append((rest / length if length else 0.0, own, start, length,
                     name, rest))

    def distances(values):
        mean = math.fsum(values) / len(values)
        if len(values) < 2:
            return [0.0] * len(values)
        deviation = math.sqrt(math.fsum(
            (value - mean) ** 2 for value in values) / (len(values) - 1))
        return [(value - mean) / deviation if deviation else 0.0
                for value in values]

    if not rows:
        return []
    shares = distances([row[0] for row in rows])
    owns = distances([row[1] for row in rows])
    scored = [(share + 0.6 * own, row)
              for share, own, row in zip(shares, owns, rows)]
    return sorted(scored, key=lambda one: -one[0])


def check_ranking(name, wanted, path):
    found = report(path, "--optimize=100000")["rows"]
    equal(f"{name}: number of ranges", len(found), len(wanted))
    got = {(row["start_ns"], row["duration_ns"], row["name"]): row
           for row in found}
    base = min([row["start_ns"] for row in found], default=0) - min(
        [row[2] for _, row in wanted], default=0)
    for score, (_, own, start, length, title, rest) in wanted:
        row = got.get((start + base, length, title))
        if row is None:
            equal(f"{name}: {title} at {start}", None, "there")
            continue
        equal(f"{name}: {title} at {start}",
              (row["self_ns"], row["idle_ns"]), (own, rest))
        if not math.isclose(row["score"], score, rel_tol=1e-6, abs_tol=1e-6):
            equal(f"{name}: score of {title}", row["score"], score)
    scores = [row["score"] for row in found]
    equal(f"{name}: order", scores, sorted(scores, reverse=True))


def ranges_of(trace):
    """(start, end, name, self) of ranges that are not calls of the API."""
    ranges = [one for one in trace.host if one[4] != "cuda_runtime"]
    out = []
    for one in ranges:
        inside = [other for other in ranges if other[2] == one[2] and
                  other != one and one[0] <= other[0] and other[1] <= one[1]]
        direct = [other for other in inside if not any(
            third is not other and third[0] <= other[0] and
            other[1] <= third[1] for third in inside)]
        out.append((one[0], one[1], one[3],
                    one[1] - one[0] - sum(b - a for a, b, *_ in direct)))
    return out


def check_program(seed):
    trace = Program(random.Random(seed)).make()
    if not trace.work:
        return
    path = os.path.join(WORK, "program.json")
    trace.write(path)
    check_gaps(f"program {seed}", trace, path)
    launches = [(one[0], one[1], one[5]) for one in trace.host
                if one[3] == "cudaLaunchKernel"]
    kernels = [(one[0], one[1], one[6] or -1) for one in trace.work
               if one[5] == "kernel"]
    check_ranking(f"program {seed}",
                  slow_ranking(ranges_of(trace), launches, kernels), path)


def check_mock():
    """PyTorch's own events, with its two best candidates."""
    with gzip.open(MOCK, "rt", encoding="utf-8") as file:
        events, nodes = json.load(file)
    base = min(node["start_time_ns"] for node in nodes)
    by_id = {node["id"]: node for node in nodes}
    trace = Trace()
    ranges, launches, kernels = [], [], []
    for event in events:
        start = event["_start_us"] * 1000 - base
        end = start + event["_duration_us"] * 1000
        name, link = event["_name"], event["_linked_correlation_id"]
        if event["_device_type"] == 1:
            copies = name.startswith("Memcpy")
            trace.work.append((start, end, 0, 7, name,
                               "gpu_memcpy" if copies else "kernel", link))
            if not copies:
                kernels.append((start, end, link))
        elif name.startswith("cudaLaunchKernel"):
            # In whole microseconds they would not nest with the ranges.
            trace.host.append((start, end, 2, name, "cuda_runtime", link))
            launches.append((start, end, link))
    for node in nodes:
        start = node["start_time_ns"] - base
        end = start + node["duration_time_ns"]
        own = node["duration_time_ns"] - sum(
            by_id[child]["duration_time_ns"] for child in node["children"])
        trace.host.append((start, end, 1, node["_name"], "cpu_op", 0))
        ranges.append((start, end, node["_name"], own))
    path = os.path.join(WORK, "mock.json")
    trace.write(path)
    found = report(path, "--optimize=2")["rows"]
    equal("PyTorch's events: best", [row["name"] for row in found],
          ["<built-in function _cuda_synchronize>", "aten::copy_"])
    check_ranking("PyTorch's events",
                  slow_ranking(ranges, launches, kernels), path)


def check_waits():
    """Waiting in a thread that never calls the API is not ranked, nor are its
    callers; work there and waiting elsewhere are."""
    trace = Trace()
    trace.host = [
        (0, 100000, 1, "train.py(1): step", "python_function", 0),
        (50500, 80000, 1, "threading.py(359): wait", "python_function", 0),
        (0, 100000, 8, "tqdm/_monitor.py(69): run", "python_function", 0),
        (10, 99000, 8, "threading.py(604): wait", "python_function", 0),
        (20, 98000, 8, "<built-in method acquire of _thread.lock object at "
         "0x7ce2864e5ac0>", "python_function", 0),
        (0, 100000, 9, "loader.py(3): work", "python_function", 0),
        (10, 30000, 9, "<built-in function sleep>", "python_function", 0),
        (40000, 90000, 9, "<method 'join' of 'str' objects>",
         "python_function", 0)]
    for i in range(8):
        start = 1000 * (i + 1) + (50000 if i > 3 else 0)
        trace.host.append((start, start + 100, 1, "cudaLaunchKernel",
                           "cuda_runtime", i + 1))
        trace.work.append((start + 8000 + 1000 * (i % 4),
                           start + 8900 + 1000 * (i % 4), 0, 7, "k",
                           "kernel", i + 1))
    path = os.path.join(WORK, "waits.json")
    trace.write(path)
    for options in (), ("--robust",):
        found = report(path, "--optimize=100", *options)["rows"]
        equal("waits", {row["name"] for row in found},
              {"train.py(1): step", "threading.py(359): wait",
               "loader.py(3): work", "<method 'join' of 'str' objects>"})


check_mock()
check_waits()
for seed in range(ROUNDS):
    check_program(seed)
finish()
