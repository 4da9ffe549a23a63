# SPDX-License-Identifier: MIT
"""Runs a command and prints its cost: nanoseconds of CPU and wall-clock time,
peak memory, and bytes written to standard output.

usage: bench_measure.py REPEATS COMMAND...   (the least CPU time of REPEATS)
"""
import json
import os
import subprocess
import sys
import time


def run(command):
    read_end, write_end = os.pipe()
    start_ns = time.monotonic_ns()
    child = subprocess.Popen(command, stdout=write_end)
    os.close(write_end)
    size = 0
    while True:
        data = os.read(read_end, 1 << 20)
        if not data:
            break
        size += len(data)
    os.close(read_end)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit("bench: %s failed" % command[0])
    return {
        "cpu_ns": round((usage.ru_utime + usage.ru_stime) * 1e9),
        "wall_ns": time.monotonic_ns() - start_ns,
        "peak_kib": usage.ru_maxrss,
        "output_bytes": size,
    }


def main():
    runs = [run(sys.argv[2:]) for _ in range(int(sys.argv[1]))]
    print(json.dumps(min(runs, key=lambda r: r["cpu_ns"])))


main()
