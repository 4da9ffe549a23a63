/* SPDX-License-Identifier: MIT */
/*
 * Sums of slices that are not kept, by lane, row and time. A bin of level L is
 * 2^L ns long and starts at a multiple of that. A slice is added to bins that
 * are at least as long as itself, so that it touches three at most; bins of
 * several levels therefore overlap, and their sums add up.
 */
#ifndef SLICE_BINS_H
#define SLICE_BINS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "digest/slice_store.h"
#include "trace/trace.h"

struct slice_bin {
	uint64_t index; /* of the bins of this level; see slice_bin_start() */
	uint64_t busy_ns;
	/* The leading name and its minimum time, see overview.h. */
	uint64_t lead_ns;
	uint32_t site;
	uint32_t count; /* slices that begin in it; saturates */
	uint32_t lane;
	uint16_t row;
	uint8_t level;
};

struct slice_bins {
	const struct trace *trace;
	struct slice_bin *bins;
	uint32_t count;
	uint32_t room;
	uint32_t limit;
	unsigned shift;   /* the lowest level */
	uint16_t row_max; /* deeper rows are added to this one */
	struct index index;
};

void slice_bins_clear(struct slice_bins *bins);

/* Adds a slice. False if out of memory. */
bool slice_bins_add(struct slice_bins *bins, const struct digest_slice *slice);

/* Lengthens bins until at most `limit` are left, or one for each lane. False if
 * out of memory. */
bool slice_bins_reduce(struct slice_bins *bins, uint32_t limit);

/* Sorts by lane, row, level and time. False if out of memory. */
bool slice_bins_sort(struct slice_bins *bins);

static inline int64_t slice_bin_start(const struct slice_bin *bin)
{
	return (int64_t)((bin->index << bin->level) ^ (UINT64_C(1) << 63));
}

#endif
