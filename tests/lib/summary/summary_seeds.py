# SPDX-License-Identifier: MIT
"""
Seeds of fuzz_summary: summaries, and their unpacked blocks, each after its size
in two bytes; and damaged ones.

    summary_seeds.py CTPROF TRACES DIRECTORY
"""
import json
import pathlib
import struct
import subprocess
import sys
import zlib

NAMES = ("flow", "cpu_only", "a100_triton_1kernel", "old",
         "self-win-clang-19.1_main")


def blocks(log):
    """The unpacked members of a file."""
    at = 0
    while at < len(log):
        size = struct.unpack_from("<I", log, at + 16)[0]
        yield zlib.decompress(log[at + 24:at + size - 8], -15)
        at += size


def make_job(directory):
    """Traces of two ranks with a step and an all-reduce."""
    paths = []
    for rank in range(2):
        events = [("user_annotation", "ProfilerStep#1", 5, 0, 90, {}),
                  ("kernel", "gemm", 0, 1, 20 + rank, {"stream": 7}),
                  ("kernel", "ncclKernel_AllReduce", 0, 30, 40 - rank,
                   {"stream": 7, "Process Group Name": "0", "Seq": 3,
                    "Process Group Ranks": "[0, 1]", "Group size": 2,
                    "dtype": "Float", "In msg nelems": 8})]
        trace = {"distributedInfo": {"rank": rank, "world_size": 2},
                 "traceEvents": [
                     {"ph": "X", "cat": category, "name": name, "pid": pid,
                      "tid": 7, "ts": start, "dur": dur,
                      "args": {"device": 0, **args}}
                     for category, name, pid, start, dur, args in events]}
        paths.append(pathlib.Path(directory) / f"rank{rank}.json")
        paths[-1].write_text(json.dumps(trace))
    return paths


def main():
    ctprof, traces, directory = sys.argv[1:]
    job = make_job(directory)
    inputs = {name: [f"{traces}/{name}.json.gz"] for name in NAMES}
    inputs["job"] = job
    for name, paths in inputs.items():
        log = subprocess.run(
            [ctprof, "summarize", "-q", "--paths", *paths],
            stdout=subprocess.PIPE, check=True).stdout
        to = pathlib.Path(directory)
        (to / name).write_bytes(log)
        (to / f"{name}-cut").write_bytes(log[:len(log) // 2])
        parts = [struct.pack("<H", len(block)) + block
                 for block in blocks(log) if len(block) < 65536]
        (to / f"{name}-blocks").write_bytes(b"".join(parts))
        for number in range(1, len(parts) - 1):
            (to / f"{name}-{number}").write_bytes(
                parts[0] + parts[number] + parts[-1])
    for path in job:
        path.unlink()


main()
