# SPDX-License-Identifier: MIT
"""Other tools' profiles, whole and truncated, for fuzz_texts; the number of the
format precedes each."""
import gzip
import os
import random
import sys

from pprof_write import by_chance, simple
from profile_readers_callgrind import GRAMMAR, stacks
from profile_readers_gprof import REPORT
from profile_readers_gprof2dot import sample_file
from profile_readers_speedscope import random_file

FOLDED, CALLGRIND, GPROF, SPEEDSCOPE, JSON, PPROF = range(6)


def main():
    samples, directory = sys.argv[1:]
    texts = [(CALLGRIND, GRAMMAR), (GPROF, REPORT),
             (FOLDED, stacks(random.Random(1), 9))]
    texts += [(SPEEDSCOPE, random_file(seed).encode()) for seed in range(4)]
    texts += [(JSON, sample_file(seed)) for seed in range(3)]
    for name, kind in (("recursion.txt", FOLDED), ("simple-crlf.txt", FOLDED),
                       ("callgrind.name-compression.log", CALLGRIND),
                       ("two-sampled.speedscope.json", SPEEDSCOPE)):
        with open(os.path.join(samples, name), "rb") as file:
            texts.append((kind, file.read()))
    texts += [(FOLDED, b";" * 5000 + b" 1\n"),
              (SPEEDSCOPE, b'{"profiles": [' * 3000),
              (CALLGRIND, b"fn=f\ncfn=f\ncalls=1 1\n1 9223372036854775807\n"),
              (GPROF, b"index called name\n" + b"[1] 0.0 1.0 1.0 f [1]\n" * 9)]
    texts += [(PPROF, by_chance(seed)[0]) for seed in range(4)]
    texts += [(PPROF, simple([(("a", "b"), (3, 5)), (("a",), (1 << 62, -1)),
                              (("a", "b", "a"), (1 << 63, 1 << 62))], types))
              for types in ((("calls", "count"), ("t", "s")),
                            (("t", "s"), ("calls", "count")), ())]
    small = texts[-1][1]
    with gzip.open(os.path.join(samples, "simple.prof")) as file:
        texts.append((PPROF, file.read()))
    for number, (kind, text) in enumerate(texts):
        for part in range(4):
            path = os.path.join(directory, f"{number}-{part}")
            with open(path, "wb") as file:
                file.write(bytes([kind]) + text[:len(text) * (4 - part) // 4])
    for at in range(len(small)):
        for bit in (1, 8, 128):
            with open(os.path.join(directory, f"bit-{at}-{bit}"), "wb") as file:
                file.write(bytes([PPROF]) + small[:at] +
                           bytes([small[at] ^ bit]) + small[at + 1:])


main()
