/* SPDX-License-Identifier: MIT */
/*
 * Which slices of a track are open. A slice comes with its end; a range that
 * was never ended without, but ends no later than what it lies in.
 *
 * PyTorch's profiler and JAX's have both ranges and calls in Python. It is a
 * call of __enter__ that begins a range, and one of __exit__ that ends it, so
 * the range overlaps both, and what called them. It is the calls that give way,
 * which are the shorter ones almost always: they end where the range begins, or
 * begin where it has ended.
 */
#ifndef SLICE_STACK_H
#define SLICE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "extsort/extsort.h"
#include "trace/event.h"
#include "trace/trace.h"

/* Places in the file: what has no length holds all of its time, or where that
 * is not known, nothing does. */
#define SLICE_STACK_MOMENT UINT64_MAX
#define SLICE_STACK_NO_ORDER (UINT64_MAX - 1)

struct chrome_read_slice {
	int64_t start_ns;
	int64_t end_ns;
	uint64_t end_order; /* where its end stands; 0: it has none */
	bool call;          /* a range may outlive it */
	bool cut;           /* it gave way to one before, and is counted */
};

struct slice_stacks {
	struct trace *trace;
	struct slice_stack *stacks; /* by track */
	uint32_t room;
	uint32_t flushed; /* tracks of which nothing is open any more */
};

void slice_stacks_init(struct slice_stacks *stacks, struct trace *trace);
void slice_stacks_clear(struct slice_stacks *stacks);

/* Makes the track known; false if out of memory. */
bool slice_stacks_ensure_track(struct slice_stacks *stacks, uint32_t track);

/* Ends the innermost of what has ended by this time, if there is any: then
 * `*event` is its end. What ends right then has not for something that has no
 * length and stands before that end: `order`. The track is known, here and
 * below. */
bool slice_stacks_pop(struct slice_stacks *stacks, uint32_t track,
	int64_t time_ns, uint64_t order, struct event *event);

/* What is open innermost ends before `end_ns`: a slice that begins now and
 * ends then overlaps it. */
bool slice_stacks_overlaps(
	const struct slice_stacks *stacks, uint32_t track, int64_t end_ns);

/* When what is open innermost ends, which there is. */
int64_t slice_stacks_limit(const struct slice_stacks *stacks, uint32_t track);

/* If all that a range which begins now and ends then overlaps are calls, ends
 * the innermost of them now: then `*event` is its end. */
bool slice_stacks_cut(struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *range, struct event *event);

/* If all that a call which begins now overlaps are ranges, when these have
 * ended. */
bool slice_stacks_outlives(const struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *call, int64_t *time_ns);

/* Opens a slice, which must not overlap. False if out of memory. */
bool slice_stacks_open(struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *slice);

/* Opens a range whose end is not known. */
bool slice_stacks_open_range(
	struct slice_stacks *stacks, uint32_t track, int64_t start_ns);

/* After the last record: ends what is still open and has an end, an event at a
 * time; false if nothing is left. */
bool slice_stacks_flush(struct slice_stacks *stacks, struct event *event);

/*
 * Records of calls in Python that begin in a range and outlive it, as the call
 * of __exit__ does that ends it: their turn comes when the range has ended.
 *
 * Memory: DEFERRED_CALLS_MAX records of DEFERRED_CALLS_BYTES_MAX at most, and one more.
 */
#define DEFERRED_CALLS_MAX 1024
#define DEFERRED_CALLS_BYTES_MAX ((size_t)4 << 20)

struct deferred_calls {
	struct extsort_record
		*records; /* the one that is due first is the last */
	uint32_t count;
	uint32_t room;
	size_t bytes; /* of all of them */
	void *taken;  /* the bytes of the one that was taken last */
};

void deferred_calls_clear(struct deferred_calls *calls);

static inline bool deferred_calls_has_room(
	const struct deferred_calls *calls, size_t size)
{
	return calls->count < DEFERRED_CALLS_MAX &&
	       size <= DEFERRED_CALLS_BYTES_MAX - calls->bytes;
}

/* Adds a record, for which there must be room: all but its bytes, which are to
 * be written to what this returns. Of those of one time the first comes first.
 * NULL if out of memory. */
void *deferred_calls_add(
	struct deferred_calls *calls, const struct extsort_record *record);

/* There is one that comes before, or with, what has this time and rank. */
static inline bool deferred_calls_is_due(
	const struct deferred_calls *calls, int64_t time_ns, int64_t rank)
{
	const struct extsort_record *first;

	if (calls->count == 0)
		return false;
	first = &calls->records[calls->count - 1];
	return first->time_ns < time_ns ||
	       (first->time_ns == time_ns && first->rank <= rank);
}

/* The one that is due first, of which there must be one; its bytes are
 * borrowed until the next call. */
struct extsort_record deferred_calls_pop(struct deferred_calls *calls);

#endif
