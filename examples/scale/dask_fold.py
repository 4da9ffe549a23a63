#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums the traces below a directory by the workers of Dask.

Each part is summarized where a worker runs, and the summaries, some kB each,
are merged in a tree. All workers have to see the directory under this name.
"""
import argparse
import pathlib

import dask.bag

import ctprof


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("traces", help="a directory")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path)
    parser.add_argument("-n", "--parts", type=int, default=8)
    parser.add_argument("--scheduler", metavar="ADDRESS",
                        help="of a cluster (default: threads of this program)")
    options = parser.parse_args()

    scheduler = "threads"  # they wait for processes
    if options.scheduler:
        from distributed import Client
        scheduler = Client(options.scheduler)
    parts = dask.bag.from_sequence(range(options.parts),
                                   npartitions=options.parts)
    # jobs=1: Dask knows how many parts a machine takes at a time.
    summaries = parts.map(lambda part: ctprof.summarize(
        options.traces, shard=(part, options.parts), jobs=1))
    total = summaries.fold(ctprof.merge_summaries, split_every=8)
    options.output.write_bytes(total.compute(scheduler=scheduler))


if __name__ == "__main__":
    main()
