# SPDX-License-Identifier: MIT
"""Logs as pstats.Stats."""

import marshal
import os

# A pstats file holds {function: (pcalls, ncalls, tottime, cumtime, {caller:
# (ncalls, pcalls, tottime, cumtime)})}. For callers, ncalls comes first.


def make(entries, stream=None):
    """A pstats.Stats of these entries; they may be empty."""
    import pstats  # only here: traced programs should not have to import it

    stats = pstats.Stats(stream=stream)
    stats.stats = entries
    stats.get_top_level_stats()
    return stats


def read(path, **options):
    """The entries of a log, and counts of what it has lost."""
    from ._convert import convert

    data, losses = convert(path, "pstats", no_root=True, **options)
    return marshal.loads(data), losses


def load(path, *, edge_times="primitive", trim_prefix=False,
         document_edges=False):
    """The profile in a log, as cProfile would have made it.

    With `edge_times="all"`, a caller is charged with the time of each call, as
    in the profiler of torch._dynamo. With "primitive", as in cProfile, it is
    not charged with calls inside another call by the same caller to the same
    callee. `trim_prefix` removes from file names the directories in which
    Python finds its modules.

    Raises OSError if the log cannot be read, ValueError if the file is not a
    log. Damaged or missing parts are left out, with a RuntimeWarning.
    """
    import warnings

    if edge_times not in ("all", "primitive"):
        raise ValueError("edge_times must be 'all' or 'primitive', "
                         f"not {edge_times!r}")
    # document_edges=True is an older name for edge_times="all".
    entries, losses = read(path,
                           all_edge_times=edge_times == "all" or document_edges,
                           trim_prefix=trim_prefix)
    name = os.fsdecode(path)
    for words, count in losses.items():
        warnings.warn(f"{name}: {count} {words}", RuntimeWarning, stacklevel=2)
    stats = make(entries)
    stats.files = [name]
    return stats
