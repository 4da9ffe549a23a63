/* SPDX-License-Identifier: MIT */
#include "digest/slice_bins.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/saturate.h"

#define LEVEL_MAX 63

void slice_bins_clear(struct slice_bins *bins)
{
	memory_free(bins->bins);
	memory_free(bins->index.entries);
	bins->bins = NULL;
	bins->index = (struct index){0};
	bins->count = bins->room = 0;
}

static bool has_key(const struct slice_bin *bin, const struct slice_bin *key)
{
	return bin->index == key->index && bin->lane == key->lane &&
	       bin->row == key->row && bin->level == key->level;
}

/* The bin with the key; a new one is empty. NULL if out of memory. */
static struct slice_bin *find_or_add(
	struct slice_bins *bins, const struct slice_bin *key)
{
	uint64_t hash = hash_triple(
		(uint64_t)key->lane << 16 | key->row, key->level, key->index);
	uint32_t slot;
	uint32_t number;

	if (!index_reserve(&bins->index, bins->count))
		return NULL;
	slot = index_first(&bins->index, hash);
	while ((number = index_find(&bins->index, hash, &slot)) != INDEX_NONE) {
		if (has_key(&bins->bins[number], key))
			return &bins->bins[number];
		slot = index_after(&bins->index, slot);
	}
	if (!array_reserve32(
		    &bins->bins, bins->count, &bins->room, sizeof(*bins->bins)))
		return NULL;
	index_set(&bins->index, slot, hash, bins->count);
	bins->bins[bins->count] = (struct slice_bin){.index = key->index,
		.lane = key->lane,
		.row = key->row,
		.level = key->level};
	return &bins->bins[bins->count++];
}

/* Boyer and Moore's vote, as in overview.c. */
static void vote(const struct slice_bins *bins, struct slice_bin *bin,
	uint32_t site, uint64_t time_ns)
{
	const struct trace_site *sites = bins->trace->sites;

	if (bin->lead_ns != 0 &&
		(bin->site == site ||
			sites[bin->site].name == sites[site].name)) {
		bin->lead_ns = saturate_sum(bin->lead_ns, time_ns);
	} else if (bin->lead_ns >= time_ns) {
		bin->lead_ns -= time_ns;
	} else {
		bin->lead_ns = time_ns - bin->lead_ns;
		bin->site = site;
	}
}

/* Makes the bins as long as `shift`, and adds up rows below the last. */
static bool rebuild(struct slice_bins *bins)
{
	uint32_t count = bins->count;

	index_clear(&bins->index);
	bins->count = 0;
	/* Never more than were read: a bin is stored in its own place or in one
	 * before. */
	for (uint32_t i = 0; i < count; i++) {
		struct slice_bin from = bins->bins[i];
		struct slice_bin *to;

		if (from.level < bins->shift) {
			from.index >>= bins->shift - from.level;
			from.level = (uint8_t)bins->shift;
		}
		if (from.row > bins->row_max)
			from.row = bins->row_max;
		to = find_or_add(bins, &from);
		if (to == NULL)
			return false;
		to->busy_ns = saturate_sum(to->busy_ns, from.busy_ns);
		to->count = to->count > UINT32_MAX - from.count
				    ? UINT32_MAX
				    : to->count + from.count;
		if (to->count == from.count)
			to->site = from.site;
		vote(bins, to, from.site, from.lead_ns);
	}
	return true;
}

bool slice_bins_reduce(struct slice_bins *bins, uint32_t limit)
{
	bool ok = true;

	while (ok && bins->count > limit) {
		if (bins->shift < LEVEL_MAX)
			bins->shift++;
		else if (bins->row_max > 0)
			bins->row_max /= 2;
		else
			break;
		ok = rebuild(bins);
	}
	return ok;
}

static unsigned level_of(const struct slice_bins *bins, uint64_t dur_ns)
{
	unsigned level =
		dur_ns <= 1 ? 0 : 64 - (unsigned)__builtin_clzll(dur_ns - 1);

	if (level > LEVEL_MAX)
		level = LEVEL_MAX;
	return level < bins->shift ? bins->shift : level;
}

bool slice_bins_add(struct slice_bins *bins, const struct digest_slice *slice)
{
	uint64_t at = (uint64_t)slice->start_ns ^ (UINT64_C(1) << 63);
	uint64_t left = slice->dur_ns;
	struct slice_bin key = {.lane = slice->lane,
		.row = slice->row < bins->row_max ? slice->row : bins->row_max};
	uint32_t first = 1;

	if (bins->count >= bins->limit) {
		if (!slice_bins_reduce(bins, bins->limit / 2))
			return false;
		if (bins->count > bins->limit / 2)
			bins->limit = 2 * bins->count;
	}
	key.level = (uint8_t)level_of(bins, left);
	do {
		uint64_t bin_ns = UINT64_C(1) << key.level;
		uint64_t part = bin_ns - (at & (bin_ns - 1));
		struct slice_bin *bin;

		key.index = at >> key.level;
		bin = find_or_add(bins, &key);
		if (bin == NULL)
			return false;
		if (part > left)
			part = left;
		if (bin->count == 0 && bin->busy_ns == 0)
			bin->site = slice->site;
		bin->busy_ns = saturate_sum(bin->busy_ns, part);
		if (bin->count < UINT32_MAX)
			bin->count += first;
		vote(bins, bin, slice->site, part);
		first = 0;
		at += part;
		left -= part;
	} while (left > 0);
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct slice_bin *left = a;
	const struct slice_bin *right = b;

	if (left->lane != right->lane)
		return left->lane < right->lane ? -1 : 1;
	if (left->row != right->row)
		return left->row < right->row ? -1 : 1;
	if (left->level != right->level)
		return left->level < right->level ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

bool slice_bins_sort(struct slice_bins *bins)
{
	if (bins->count > 0)
		qsort(bins->bins, bins->count, sizeof(*bins->bins), compare);
	return rebuild(bins);
}
