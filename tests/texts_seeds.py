# SPDX-License-Identifier: MIT
"""Texts of others, and beginnings of them, for fuzz_texts: which of its
formats each is stands before it."""
import os
import random
import sys

from texts_callgrind import GRAMMAR, stacks
from texts_gprof import REPORT
from texts_gprof2dot import sample_file
from texts_speedscope import random_file

FOLDED, CALLGRIND, GPROF, SPEEDSCOPE, JSON = range(5)


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
    for number, (kind, text) in enumerate(texts):
        for part in range(4):
            path = os.path.join(directory, f"{number}-{part}")
            with open(path, "wb") as file:
                file.write(bytes([kind]) + text[:len(text) * (4 - part) // 4])


main()
