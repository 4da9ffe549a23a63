#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the counters that `convert --counters` adds to random programs with
new counts for each moment, from all activities.

    gaps_counters.py CTPROF DIRECTORY [ROUNDS]
"""
import glob
import json
import os
import random
import subprocess
import sys

from checks import equal, finish, output
from gaps_trace import Program, Trace

CTPROF, WORK = sys.argv[1:3]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
HERE = os.path.dirname(os.path.abspath(__file__))


def path(name):
    return os.path.join(WORK, name)


def run(*words):
    return output(*words, silent=True)


def nanoseconds(number):
    return round(number * 1000)


def samples_of(name):
    """(time, name, value) of the counters in a Chrome trace."""
    with open(path(name), encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    return sorted((nanoseconds(event["ts"]), event["name"], value)
                  for event in events if event["ph"] == "C"
                  for value in event["args"].values())


def value_at(samples, name, moment):
    """The last value; None before the first."""
    value = None
    for time, title, number in samples:
        if title == name and time <= moment:
            value = number
    return value


def slow_idle(trace, device, moment):
    return int(not any(start <= moment < end
                       for start, end, number, *_ in trace.work
                       if number == device))


def queued(trace):
    """(launch, start, device) of all work that was ever queued."""
    launches = {one[5]: one[0] for one in trace.host if one[5]}
    return [(launches[number], start, device)
            for start, _, device, _, _, category, number in trace.work
            if category == "kernel" and number in launches and
            launches[number] < start]


def slow_depth(trace, device, moment):
    kernels = [one for one in queued(trace) if one[2] == device]
    return (sum(launch <= moment for launch, _, _ in kernels) -
            sum(start <= moment for _, start, _ in kernels))


def moments_of(trace):
    """All moments with an event, except the end, and moments between them."""
    times = sorted({time for one in trace.host + trace.work
                    for time in one[:2]})
    return [time for low, high in zip(times, times[1:])
            for time in {low, (low + high) // 2}]


def compare(what, trace):
    trace.write(path("p.json"))
    run("convert", "-q", "--force", "--counters", path("p.json"), "-o",
        path("with.json"))
    samples = samples_of("with.json")
    devices = {one[2] for one in trace.work}
    deep = {one[2] for one in queued(trace)}
    equal(f"{what}: names", {name for _, name, _ in samples},
          {f"GPU {device} idle" for device in devices} |
          {f"GPU {device} queue depth" for device in deep})
    for moment in moments_of(trace):
        for device in devices:
            equal(f"{what}: device {device} idle at {moment}",
                  value_at(samples, f"GPU {device} idle", moment),
                  slow_idle(trace, device, moment))
        for device in deep:
            equal(f"{what}: device {device}'s queue at {moment}",
                  value_at(samples, f"GPU {device} queue depth", moment),
                  slow_depth(trace, device, moment))
    compare_report(what, trace, samples)
    return samples


def compare_report(what, trace, samples):
    """The time in the counter is the report's."""
    end = max(one[1] for one in trace.host + trace.work)
    for row in json.loads(run("gaps", "-q", "--json", path("p.json")))["rows"]:
        line = [(time, value) for time, name, value in samples
                if name == f"GPU {row['device']} idle"]
        idle = sum((until - time) * value for (time, value), (until, _) in
                   zip(line, line[1:] + [(end, 0)]))
        equal(f"{what}: idle time", idle, row["idle_ns"])


def compare_formats(what, samples):
    """The same by way of a log, in parts, added twice, and for Perfetto."""
    for source, to in (("p.json", "p.ctp"), ("with.json", "twice.json"),
                       ("p.json", "p.pftrace")):
        run("convert", "-q", "--force", "--counters", path(source), "-o",
            path(to))
    equal(f"{what}: added twice", samples_of("twice.json"), samples)
    run("convert", "-q", "--force", path("p.ctp"), "-o", path("log.json"))
    equal(f"{what}: from a log", samples_of("log.json"), samples)
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(HERE, "..", "..", "support", "pftrace_read.py"),
         path("p.pftrace"), path("with.json")], capture_output=True,
        check=False)
    equal(f"{what}: Perfetto's", (done.returncode, done.stderr), (0, b""))
    run("convert", "-q", "--force", "--counters", "--split", "4K",
        path("p.json"), "-o", path("part.json"))
    parts = [os.path.basename(name) for name in
             glob.glob(path("part-*.json"))]
    equal(f"{what}: in parts", sorted(
        sample for name in parts for sample in samples_of(name)), samples)
    for name in parts:
        os.unlink(path(name))


def by_hand():
    """Two streams, a copy, a kernel without a launch, one that began before its
    launch, and one without duration."""
    trace = Trace()
    trace.host = [(1000, 9000, 1, "run", "cpu_op", 0),
                  (1100, 1150, 1, "cudaLaunchKernel", "cuda_runtime", 1),
                  (1200, 1250, 1, "cudaLaunchKernel", "cuda_runtime", 2),
                  (1300, 1350, 1, "cudaMemcpyAsync", "cuda_runtime", 3),
                  (5000, 5050, 1, "cudaLaunchKernel", "cuda_runtime", 4),
                  (6000, 6050, 1, "cudaLaunchKernel", "cuda_runtime", 5)]
    trace.work = [(2000, 3000, 0, 7, "a", "kernel", 1),
                  (2500, 3500, 0, 8, "b", "kernel", 2),
                  (3500, 3600, 0, 7, "Memcpy", "gpu_memcpy", 3),
                  (4000, 4100, 0, 7, "c", "kernel", 99),
                  (4990, 5100, 0, 7, "d", "kernel", 4),
                  (7000, 7000, 0, 7, "e", "kernel", 5)]
    samples = compare("by hand", trace)
    idle = [(1000, 1), (2000, 0), (3600, 1), (4000, 0), (4100, 1), (4990, 0),
            (5100, 1)]
    depth = [(1000, 0), (1100, 1), (1200, 2), (2000, 1), (2500, 0), (6000, 1),
             (7000, 0)]
    equal("by hand", samples, sorted(
        [(time, "GPU 0 idle", value) for time, value in idle] +
        [(time, "GPU 0 queue depth", value) for time, value in depth]))


def early(chance, trace):
    """Clocks differ: some begin before they are launched."""
    trace.work = [
        (max(0, one[0] - 2000), max(0, one[1] - 2000), *one[2:])
        if chance.random() < 0.1 else one for one in trace.work]


by_hand()
for seed in range(ROUNDS):
    randomly = random.Random(seed)
    program = Program(randomly).make()
    if seed % 3 == 1:
        early(randomly, program)
    if program.work:
        found = compare(f"seed {seed}", program)
        if seed % 5 == 0:
            compare_formats(f"seed {seed}", found)
finish()
