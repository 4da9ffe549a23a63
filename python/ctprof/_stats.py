# SPDX-License-Identifier: MIT
"""pstats.Stats from the dictionary that a pstats file holds."""

import pstats

# An entry is (pcalls, ncalls, tottime, cumtime, callers); a caller is
# (ncalls, pcalls, tottime, cumtime). Mind the order.


def make(entries, stream=None):
    """A pstats.Stats of these entries, which may be none."""
    stats = pstats.Stats(stream=stream)
    stats.stats = entries
    stats.get_top_level_stats()
    return stats
