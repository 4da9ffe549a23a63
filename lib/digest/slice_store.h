/* SPDX-License-Identifier: MIT */
/*
 * The longest slices of each lane, a bounded number in all. If there are more,
 * every lane keeps the same number, and those with fewer keep all of theirs.
 */
#ifndef SLICE_STORE_H
#define SLICE_STORE_H

#include <stdbool.h>
#include <stdint.h>

/* A range, an activity or an asynchronous range, in one row of a lane. */
struct digest_slice {
	int64_t start_ns;
	uint64_t dur_ns;
	int64_t launch_ns;     /* start of the call that caused it ... */
	uint32_t launch_track; /* ... and its track; TRACE_NONE: unknown */
	uint32_t lane;
	uint32_t site;
	uint32_t args; /* see digest_args(); 0: none */
	uint16_t row;  /* its depth, or a place without overlap */
};

/* The bound of a lane, which the store sets: 0 is the initial state. */
struct slice_bound {
	bool is_cut; /* slices were dropped */
	uint64_t
		least_ns; /* with is_cut: those up to this length are dropped */
};

struct slice_store {
	struct digest_slice *slices; /* in order of arrival */
	struct slice_bound *bounds;  /* by lane */
	uint32_t count;
	uint32_t room;
	uint32_t bound_count;
	uint32_t limit; /* twice as many are kept while reading */
	/* Receives those that are dropped; false if out of memory. */
	bool (*drop)(void *user, const struct digest_slice *slice);
	void *user;
};

void slice_store_clear(struct slice_store *store);

/* Whether a slice of this length would be kept now. */
static inline bool slice_store_wants(
	const struct slice_store *store, uint32_t lane, uint64_t dur_ns)
{
	return lane >= store->bound_count || !store->bounds[lane].is_cut ||
	       dur_ns > store->bounds[lane].least_ns;
}

/* Keeps or drops a slice. False if out of memory. */
bool slice_store_add(
	struct slice_store *store, const struct digest_slice *slice);

/* Drops all but `limit` slices. False if out of memory. */
bool slice_store_reduce(struct slice_store *store, uint32_t limit);

/* Sorts by lane, row and time. */
void slice_store_sort(struct slice_store *store);

#endif
