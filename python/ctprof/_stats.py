# SPDX-License-Identifier: MIT
"""Logs as pstats.Stats."""

import marshal
import os

# What a pstats file holds is {function: (pcalls, ncalls, tottime, cumtime,
# {caller: (ncalls, pcalls, tottime, cumtime)})}. Mind the order.


def make(entries, stream=None):
    """A pstats.Stats of these entries, which may be none."""
    import pstats  # traced programs shall not have to import it

    stats = pstats.Stats(stream=stream)
    stats.stats = entries
    stats.get_top_level_stats()
    return stats


def read(path, **options):
    """The entries of a log, and what should be there and is not, counted."""
    from ._convert import convert

    data, losses = convert(path, "pstats", no_root=True, **options)
    return marshal.loads(data), losses


def load(path, *, document_edges=False, trim_prefix=False):
    """The profile in a log, as cProfile would have made it.

    `document_edges` counts along edges from caller to callee as the profiler
    of torch._dynamo does. `trim_prefix` names files without the directories
    that Python finds its modules in.

    Raises OSError if the log cannot be read, ValueError if it is none. What is
    damaged or cut off is left out, with a RuntimeWarning.
    """
    import warnings

    entries, losses = read(path, document_edges=document_edges,
                           trim_prefix=trim_prefix)
    name = os.fsdecode(path)
    for words, count in losses.items():
        warnings.warn(f"{name}: {count} {words}", RuntimeWarning, stacklevel=2)
    stats = make(entries)
    stats.files = [name]
    return stats
