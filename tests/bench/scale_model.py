# SPDX-License-Identifier: MIT
"""Prints a model, in Markdown, of jobs with up to 4,096 processes:

    scale_model.py [CONSTANTS]

It is not a measurement. The constants are those that `make bench-scale` has
measured and written to bench-scale.json: the seconds for a megabyte of traces and
for merging a summary. The network is assumed. A process takes the largest file
that is left; then the summaries are merged as a binomial tree.
"""
import heapq
import json
import math
import random
import sys

HAND_OUT_S = 3e-6  # assumed: a remote fetch-and-add
MESSAGE_S = 8e-6  # assumed: four messages of 2 us for a summary
BYTES_PER_S = 10e9  # assumed: bandwidth of a link
PROCESSES = (1, 2, 16, 64, 256, 1024, 4096)


def read_s(sizes_mb, s_per_mb, processes):
    ends = [0.0] * processes
    for size in sorted(sizes_mb, reverse=True):
        end = heapq.heappop(ends)
        heapq.heappush(ends, end + HAND_OUT_S + size * s_per_mb)
    return max(ends)


def reduce_s(constants, processes):
    level_s = (MESSAGE_S + constants["summary_bytes"] / BYTES_PER_S
               + constants["merge_s"])
    return math.ceil(math.log2(processes)) * level_s


def print_job(name, sizes_mb, s_per_mb, constants):
    print(f"\n{name}, {sum(sizes_mb) / 1e3:.1f} GB of JSON:\n\n"
          "| processes | reading s | merging ms | efficiency % | measured s |\n"
          "| --- | --- | --- | --- | --- |")
    alone_s = read_s(sizes_mb, s_per_mb, 1)
    for processes in PROCESSES:
        reading_s = read_s(sizes_mb, s_per_mb, processes)
        merging_s = reduce_s(constants, processes)
        efficiency = alone_s / processes / (reading_s + merging_s)
        measured = constants["measured_wall_s"].get(str(processes))
        own = len(sizes_mb) == constants["ranks"]
        print(f"| {processes} | {reading_s:.2f} | {merging_s * 1e3:.1f} | "
              f"{efficiency * 100:.1f} | "
              f"{f'{measured:.2f}' if own and measured else ''} |")


def main(arguments):
    path = arguments[0] if arguments else "bench-scale.json"
    with open(path, encoding="utf-8") as file:
        constants = json.load(file)
    numbers = random.Random(7)
    sizes_mb = [constants["rank_mb"]] * constants["ranks"]
    print("A model, not a measurement: "
          f"{constants['rank_s_per_mb'] * 1e3:.2f} ms for a MB of PyTorch's "
          f"traces, {constants['unit_s_per_mb'] * 1e3:.2f} ms for one of "
          f"clang's, {constants['merge_s'] * 1e3:.2f} ms for a merge, "
          f"summaries of {constants['summary_bytes'] / 1e3:.0f} kB.")
    print_job(f"{constants['ranks']} ranks of {constants['rank_mb']:.2f} MB",
              sizes_mb, constants["rank_s_per_mb"], constants)
    sizes_mb = [10 ** numbers.uniform(math.log10(50), math.log10(5000))
                for _ in range(4096)]
    print_job("4,096 ranks of 50 MB to 5 GB", sizes_mb,
              constants["rank_s_per_mb"], constants)
    sizes_mb = [constants["unit_mb"]] * 100000
    print_job("100,000 traces of clang", sizes_mb,
              constants["unit_s_per_mb"], constants)


main(sys.argv[1:])
