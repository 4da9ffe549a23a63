/* SPDX-License-Identifier: MIT */
/*
 * Accepted calls that any thread can count, without the calls before them: it
 * knows which calls were open, but not since when. It cannot count calls that
 * end here but began before, and calls that stay open: they are the batch's
 * result. The results are applied in the order of the batches.
 */
#ifndef CALL_BATCH_H
#define CALL_BATCH_H

#include "profile/calls.h"

/* Room for events, and for the open calls of segments. */
#define CALL_BATCH_EVENTS 32768u

/* The most calls open before a segment. */
#define CALL_BATCH_DEPTH (CALL_BATCH_EVENTS / 4)

/* Consecutive events of a track. */
struct call_segment {
	uint32_t track;
	uint32_t first; /* in the batch */
	uint32_t count;
	uint32_t open_first; /* calls open before it */
	uint32_t open_count;
	/* The result: */
	uint32_t ended_first;
	uint32_t ended_count;
	uint32_t left_first;
	uint32_t left_count;
	uint64_t children_ns; /* for the innermost call that was not ended */
};

/* The end of a call that was open before the segment. */
struct call_ended {
	int64_t end_ns;
	uint64_t children_ns; /* of callees counted here */
};

/* A call left open. */
struct call_left {
	int64_t start_ns;
	uint64_t children_ns;
	uint32_t begin;
};

struct call_edge {
	uint32_t caller;
	uint32_t callee;
};

struct call_batch {
	uint32_t *begins; /* as in struct call_run */
	int64_t *times_ns;
	uint32_t count;
	uint32_t *open; /* begins, outermost first, by segment */
	uint32_t open_count;
	uint32_t open_room;
	struct call_segment *segments;
	uint32_t segment_count;
	uint32_t segment_room;
	uint32_t function_count; /* above all functions in the batch */
	/* The result: */
	struct call_ended *ended;
	uint32_t ended_count;
	uint32_t ended_room;
	struct call_left *left;
	uint32_t left_count;
	uint32_t left_room;
	struct call_edge *edges; /* in order of their first calls */
	uint32_t edge_count;
	uint32_t edge_room;
	bool failed; /* out of memory */
};

/* False if out of memory. */
bool call_batch_init(struct call_batch *batch);
void call_batch_clear(struct call_batch *batch);

/* Removes all events and results. */
void call_batch_reset(struct call_batch *batch);

/* Whether the last segment is one of this track. */
bool call_batch_continues(const struct call_batch *batch, uint32_t number);

/* Begins a segment of the track, with at most CALL_BATCH_DEPTH open calls; false
 * if out of memory. */
bool call_batch_begin(struct call_batch *batch, uint32_t number,
	const struct call_track *track);

/* Counts the calls; `calls` is the thread's own, with a profile whose functions
 * have no names. */
void call_batch_count(struct call_batch *batch, struct calls *calls);

/* Applies the result to the calls before it; false if out of memory, here or in
 * call_batch_count(). */
bool call_batch_apply(const struct call_batch *batch, struct calls *calls,
	struct call_track *tracks);

#endif
