/* SPDX-License-Identifier: MIT */
/*
 * The lanes' share is a level: the highest at which the sum of
 * min(count, level) is within the limit. It only falls while slices arrive, so
 * a slice that was dropped would never have been kept.
 */
#include "digest/slice_store.h"

#include <stdlib.h>

#include "base/memory.h"

void slice_store_clear(struct slice_store *store)
{
	memory_free(store->slices);
	memory_free(store->bounds);
	store->slices = NULL;
	store->bounds = NULL;
	store->count = store->room = store->bound_count = 0;
}

/* Number of slices of each lane, and their durations lane by lane. */
struct groups {
	uint32_t *counts;
	uint32_t *ends; /* in `durs_ns` */
	uint64_t *durs_ns;
};

static void groups_clear(struct groups *groups)
{
	memory_free(groups->counts);
	memory_free(groups->ends);
	memory_free(groups->durs_ns);
}

static bool groups_init(struct groups *groups, const struct slice_store *store)
{
	size_t lanes = (size_t)store->bound_count + 1;
	uint32_t at = 0;

	groups->counts = memory_new_zeroed(lanes, sizeof(*groups->counts));
	groups->ends = memory_new_zeroed(lanes, sizeof(*groups->ends));
	groups->durs_ns = memory_resize_array(
		NULL, (size_t)store->count + 1, sizeof(*groups->durs_ns));
	if (groups->counts == NULL || groups->ends == NULL ||
		groups->durs_ns == NULL)
		return false;
	for (uint32_t i = 0; i < store->count; i++)
		groups->counts[store->slices[i].lane]++;
	for (uint32_t lane = 0; lane < store->bound_count; lane++) {
		groups->ends[lane] = at;
		at += groups->counts[lane];
	}
	for (uint32_t i = 0; i < store->count; i++)
		groups->durs_ns[groups->ends[store->slices[i].lane]++] =
			store->slices[i].dur_ns;
	return true;
}

static uint32_t find_level(
	const struct groups *groups, uint32_t lanes, uint32_t limit)
{
	uint32_t low = 0;
	uint32_t high = limit;

	while (low < high) {
		uint32_t level = high - (high - low) / 2;
		uint64_t sum = 0;

		for (uint32_t i = 0; i < lanes; i++)
			sum += groups->counts[i] < level ? groups->counts[i]
							 : level;
		if (sum <= limit)
			low = level;
		else
			high = level - 1;
	}
	return low;
}

/* The *rank-th longest duration, from 1; sets *rank to its rank among equal
 * ones. One byte at a time, so that no order of durations is slow. */
static uint64_t find_rank(
	const uint64_t *durs_ns, uint32_t count, uint32_t *rank)
{
	uint64_t prefix = 0;
	uint64_t mask = 0;

	for (unsigned shift = 64; shift > 0;) {
		uint32_t counts[256] = {0};
		unsigned digit = 255;

		shift -= 8;
		for (uint32_t i = 0; i < count; i++)
			if ((durs_ns[i] & mask) == prefix)
				counts[durs_ns[i] >> shift & 255]++;
		for (; counts[digit] < *rank; digit--)
			*rank -= counts[digit];
		prefix |= (uint64_t)digit << shift;
		mask |= UINT64_C(255) << shift;
	}
	return prefix;
}

/* Sets the bounds of lanes above the level; `counts` becomes the number of
 * slices at the bound that stay. */
static void set_bounds(
	struct slice_store *store, struct groups *groups, uint32_t level)
{
	for (uint32_t lane = 0; lane < store->bound_count; lane++) {
		struct slice_bound *bound = &store->bounds[lane];
		uint32_t count = groups->counts[lane];
		uint32_t rank = level;

		groups->counts[lane] = UINT32_MAX;
		if (count <= level)
			continue;
		bound->is_cut = true;
		bound->least_ns = UINT64_MAX;
		if (level > 0)
			bound->least_ns = find_rank(
				groups->durs_ns + groups->ends[lane] - count,
				count, &rank);
		groups->counts[lane] = rank;
	}
}

bool slice_store_reduce(struct slice_store *store, uint32_t limit)
{
	struct groups groups = {0};
	uint32_t kept = 0;
	bool ok = true;

	if (store->count <= limit)
		return true;
	if (!groups_init(&groups, store)) {
		groups_clear(&groups);
		return false;
	}
	set_bounds(
		store, &groups, find_level(&groups, store->bound_count, limit));
	for (uint32_t i = 0; i < store->count; i++) {
		struct digest_slice slice = store->slices[i];
		const struct slice_bound *bound = &store->bounds[slice.lane];
		uint32_t *equal = &groups.counts[slice.lane];

		if (*equal == UINT32_MAX || slice.dur_ns > bound->least_ns ||
			(slice.dur_ns == bound->least_ns && *equal > 0 &&
				(*equal)-- > 0))
			store->slices[kept++] = slice;
		else
			ok = store->drop(store->user, &slice) && ok;
	}
	store->count = kept;
	groups_clear(&groups);
	return ok;
}

bool slice_store_add(
	struct slice_store *store, const struct digest_slice *slice)
{
	if (!array_ensure_index(&store->bounds, slice->lane,
		    &store->bound_count, sizeof(*store->bounds)))
		return false;
	if (!slice_store_wants(store, slice->lane, slice->dur_ns))
		return store->drop(store->user, slice);
	if (store->count >= 2 * store->limit &&
		!slice_store_reduce(store, store->limit))
		return false;
	if (!array_reserve32(&store->slices, store->count, &store->room,
		    sizeof(*store->slices)))
		return false;
	store->slices[store->count++] = *slice;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct digest_slice *left = a;
	const struct digest_slice *right = b;

	if (left->lane != right->lane)
		return left->lane < right->lane ? -1 : 1;
	if (left->row != right->row)
		return left->row < right->row ? -1 : 1;
	if (left->start_ns != right->start_ns)
		return left->start_ns < right->start_ns ? -1 : 1;
	if (left->dur_ns != right->dur_ns)
		return left->dur_ns < right->dur_ns ? -1 : 1;
	return (left->site > right->site) - (left->site < right->site);
}

void slice_store_sort(struct slice_store *store)
{
	if (store->count > 0)
		qsort(store->slices, store->count, sizeof(*store->slices),
			compare);
}
