#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums the traces below a directory by tasks of Ray.

Each part is summarized on some node, and the summaries, some kB each, are
merged in a tree. All nodes have to see the directory under this name.
"""
import argparse
import pathlib

import ray

import ctprof

WIDTH = 8  # of the tree


@ray.remote
def summarize(traces, part, parts):
    # jobs=1: Ray knows how many tasks a machine takes at a time.
    return ctprof.summarize(traces, shard=(part, parts), jobs=1)


@ray.remote
def merge(*summaries):
    return ctprof.merge_summaries(*summaries)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", help="a directory")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path)
    parser.add_argument("-n", "--parts", type=int, default=8)
    parser.add_argument("--address",
                        help="of a cluster (default: this machine)")
    options = parser.parse_args()

    ray.init(address=options.address)
    summaries = [summarize.remote(options.traces, part, options.parts)
                 for part in range(options.parts)]
    while len(summaries) > 1:
        summaries = [merge.remote(*summaries[first:first + WIDTH])
                     for first in range(0, len(summaries), WIDTH)]
    options.output.write_bytes(ray.get(summaries[0]))


if __name__ == "__main__":
    main()
