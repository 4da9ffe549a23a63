# SPDX-License-Identifier: MIT
"""Prints the speed of reading a log with one and with two threads, in Markdown.

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
    events = event_count(ctprof, log)
    least = {}
    folder = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryFile(dir=folder) as out:
        for _ in range(rounds):
            for name, command in COMMANDS.items():
                for label, program, options in programs:
                    cost = run([program] + command + options + [log], out)
                    key = name, label
                    least[key] = tuple(map(min, least.get(key, cost), cost))
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
