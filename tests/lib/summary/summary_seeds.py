# SPDX-License-Identifier: MIT
"""
Seeds of fuzz_summary: summaries, and their unpacked blocks, each after its size
in two bytes; and damaged ones.

    summary_seeds.py CTPROF TRACES DIRECTORY
"""
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


def main():
    ctprof, traces, directory = sys.argv[1:]
    for name in NAMES:
        log = subprocess.run(
            [ctprof, "summarize", "-q", "--paths",
             f"{traces}/{name}.json.gz"],
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


main()
