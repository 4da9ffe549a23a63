# SPDX-License-Identifier: MIT
"""Logs as pstats.Stats."""

import marshal

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
    """The profile in a log or in another file that ctprof reads: a pstats.Stats
    with these further methods. A directory is all timelines below it, which the
    program ctprof joins into a temporary log.

    `events()`, `functions()` and `edges()` are iterables of named tuples;
    `to_pandas()` and `to_arrow()` of these make a DataFrame or pyarrow's Table,
    of chosen `columns` or of all. `table(report)` gives the rows of a report of
    the program ctprof, such as "kernels", as dicts.

    With `edge_times="all"`, a caller is charged with the time of each call, as
    in the profiler of torch._dynamo. With "primitive", as in cProfile, it is
    not charged with calls inside another call by the same caller to the same
    callee. `trim_prefix` removes from file names the directories in which
    Python finds its modules.

    Raises OSError if the file cannot be read, ValueError with the place if its
    format is unknown or broken. Damaged or missing parts are left out, with a
    RuntimeWarning.
    """
    from ._recording import read as read_recording

    if edge_times not in ("all", "primitive"):
        raise ValueError("edge_times must be 'all' or 'primitive', "
                         f"not {edge_times!r}")
    # document_edges=True is an older name for edge_times="all".
    return read_recording(path, {
        "all_edge_times": edge_times == "all" or document_edges,
        "trim_prefix": trim_prefix})
