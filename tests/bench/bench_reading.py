# SPDX-License-Identifier: MIT
"""Prints the speed of reading a log with one and with two threads, in Markdown;
and what more threads can give, by the processor time of each.

usage: bench_reading.py CTPROF LOG [ROUNDS [OTHER-CTPROF]]

The commands of a round take turns, and the least time of all rounds counts.
The output goes to a file in memory. OTHER-CTPROF is another version, whose
times come in columns of their own.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

COMMANDS = {
    "stats": ["stats", "-q"],
    "pstats": ["convert", "-q", "-t", "pstats", "-o", "-"],
    "folded": ["convert", "-q", "-t", "folded", "-o", "-"],
    "chrome": ["convert", "-q", "-t", "chrome", "-o", "-"],
}


def run(command, out):
    out.seek(0)
    out.truncate()
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("bench: %s failed" % " ".join(command))
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss


def thread_times(command, out):
    """The processor time of each thread in order of its start, and of all."""
    out.seek(0)
    out.truncate()
    child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
    tasks = "/proc/%d/task" % child.pid
    times = {}
    while True:
        try:
            for task in os.listdir(tasks):
                with open("%s/%s/schedstat" % (tasks, task)) as file:
                    times[int(task)] = int(file.read().split()[0]) / 1e9
        except (FileNotFoundError, ProcessLookupError):
            pass
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
        if done:
            break
        time.sleep(0.002)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("bench: %s failed" % " ".join(command))
    return ([times[task] for task in sorted(times)],
            usage.ru_utime + usage.ru_stime)


def least_clock(jobs, times, processor):
    """The least time by the clock with as many processors as jobs: as long as
    the thread of the user, its share of what several threads do, and a share of
    all. The first half of the others read, the second half count."""
    user, others = times[0], times[1:]
    half = (jobs + 1) // 2 if jobs > 2 else 1
    readers, counters = others[:half], others[half:]
    parts = [sum(part) / len(part) for part in (readers, counters) if part]
    return max([user, processor / jobs] + parts), user, parts


def print_model(ctprof, log, rounds, out):
    """Shows what several processors can give for two kinds of output."""
    print()
    print("With more processors than here, the time by the clock is at least "
          "that of the busiest thread:")
    print()
    print("| output | jobs | processor s | user's thread | each that reads "
          "| each that counts | clock at least | times |")
    print("| --- |" + " --- |" * 7)
    for name in ("stats", "pstats"):
        one = None
        for jobs in (1, 2, 4, 8):
            command = [ctprof] + COMMANDS[name] + ["-j%d" % jobs, log]
            runs = [thread_times(command, out) for _ in range(rounds)]
            times, processor = min(runs, key=lambda run: run[1])
            clock, user, parts = least_clock(jobs, times, processor)
            one = clock if one is None else one
            parts = ["%.3f" % part for part in parts] + ["", ""]
            print("| %s | %d | %.3f | %.3f | %s | %s | %.3f | %.2f |" % (
                name, jobs, processor, user, parts[0], parts[1], clock,
                one / clock))


def event_count(ctprof, log):
    facts = json.loads(subprocess.check_output([ctprof, "info", "--json", log]))
    if "counts" not in facts:
        facts = facts["inputs"][0]
    return 2 * facts["counts"]["ranges"]


def main():
    ctprof, log = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    programs = [("-j1", ctprof, ["-j1"]), ("-j2", ctprof, ["-j2"])]
    if len(sys.argv) > 4:
        programs.insert(0, ("before", sys.argv[4], []))
    least = {}
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryFile(dir=folder) as out:
        for _ in range(rounds):
            for name, command in COMMANDS.items():
                for label, program, options in programs:
                    cost = run([program] + command + options + [log], out)
                    key = name, label
                    least[key] = tuple(map(min, least.get(key, cost), cost))
        print_results(ctprof, log, rounds, programs, least)
        print_model(ctprof, log, rounds, out)


def print_results(ctprof, log, rounds, programs, least):
    events = event_count(ctprof, log)
    print("%d events, %d bytes; the least of %d rounds" %
          (events, os.path.getsize(log), rounds))
    print()
    labels = [label for label, _, _ in programs]
    print("| output | " + " | ".join(
        "%s, processor s | %s, clock s" % (label, label)
        for label in labels) + " | clock, -j1 / -j2 | M events/s, -j1 | -j2 "
        "| peak MiB, -j2 |")
    print("| --- |" + " --- |" * (2 * len(labels) + 4))
    for name in COMMANDS:
        costs = [least[name, label] for label in labels]
        one, two = costs[-2:]
        print("| %s | %s | %.2f | %.1f | %.1f | %.1f |" % (
            name, " | ".join("%.3f | %.3f" % cost[:2] for cost in costs),
            one[1] / two[1], events / one[1] / 1e6, events / two[1] / 1e6,
            two[2] / 1024))


main()
