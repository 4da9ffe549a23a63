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


def load(path, *, edge_times="primitive", trim_prefix=False,
         document_edges=False):
    """The profile in a log, as cProfile would have made it.

    With "all" as `edge_times` the time of every call counts for its caller, as
    in the profiler of torch._dynamo; with "primitive" that of calls within one
    of the same caller and callee does not, as in cProfile. `trim_prefix` names files without the directories
    that Python finds its modules in.

    Raises OSError if the log cannot be read, ValueError if it is none. What is
    damaged or cut off is left out, with a RuntimeWarning.
    """
    import warnings

    if edge_times not in ("all", "primitive"):
        raise ValueError(f"edge_times is {edge_times!r}: not all or primitive")
    # document_edges=True is an older name of edge_times="all".
    entries, losses = read(path,
                           all_edge_times=edge_times == "all" or document_edges,
                           trim_prefix=trim_prefix)
    name = os.fsdecode(path)
    for words, count in losses.items():
        warnings.warn(f"{name}: {count} {words}", RuntimeWarning, stacklevel=2)
    stats = make(entries)
    stats.files = [name]
    return stats
