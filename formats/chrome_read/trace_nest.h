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
#ifndef TRACE_NEST_H
#define TRACE_NEST_H

#include <stdbool.h>
#include <stdint.h>

#include "extsort/extsort.h"
#include "trace/event.h"
#include "trace/trace.h"

/* Places in the file: what has no length holds all of its time, or where that
 * is not known, nothing does. */
#define TRACE_NEST_MOMENT UINT64_MAX
#define TRACE_NEST_NO_ORDER (UINT64_MAX - 1)

struct trace_slice {
	int64_t start_ns;
	int64_t end_ns;
	uint64_t end_order; /* where its end stands; 0: it has none */
	bool call;          /* a range may outlive it */
	bool cut;           /* it gave way to one before, and is counted */
};

struct trace_nest {
	struct trace *trace;
	struct trace_stack *stacks; /* by track */
	uint32_t room;
	uint32_t flushed; /* tracks of which nothing is open any more */
};

void trace_nest_init(struct trace_nest *nest, struct trace *trace);
void trace_nest_clear(struct trace_nest *nest);

/* Makes the track known; false if out of memory. */
bool trace_nest_reach(struct trace_nest *nest, uint32_t track);

/* Ends the innermost of what has ended by this time, if there is any: then
 * `*event` is its end. What ends right then has not for something that has no
 * length and stands before that end: `order`. The track is known, here and
 * below. */
bool trace_nest_pop(struct trace_nest *nest, uint32_t track, int64_t time_ns,
	uint64_t order, struct event *event);

/* What is open innermost ends before `end_ns`: a slice that begins now and
 * ends then overlaps it. */
bool trace_nest_overlaps(
	const struct trace_nest *nest, uint32_t track, int64_t end_ns);

/* When what is open innermost ends, which there is. */
int64_t trace_nest_limit(const struct trace_nest *nest, uint32_t track);

/* If all that a range which begins now and ends then overlaps are calls, ends
 * the innermost of them now: then `*event` is its end. */
bool trace_nest_cut(struct trace_nest *nest, uint32_t track,
	const struct trace_slice *range, struct event *event);

/* If all that a call which begins now overlaps are ranges, when these have
 * ended. */
bool trace_nest_outlives(const struct trace_nest *nest, uint32_t track,
	const struct trace_slice *call, int64_t *time_ns);

/* Opens a slice, which must not overlap. False if out of memory. */
bool trace_nest_open(struct trace_nest *nest, uint32_t track,
	const struct trace_slice *slice);

/* Opens a range whose end is not known. */
bool trace_nest_open_range(
	struct trace_nest *nest, uint32_t track, int64_t start_ns);

/* After the last record: ends what is still open and has an end, an event at a
 * time; false if nothing is left. */
bool trace_nest_flush(struct trace_nest *nest, struct event *event);

/*
 * Records of calls in Python that begin in a range and outlive it, as the call
 * of __exit__ does that ends it: their turn comes when the range has ended.
 *
 * Memory: TRACE_LATE_MAX records of TRACE_LATE_BYTES_MAX at most, and one more.
 */
#define TRACE_LATE_MAX 1024
#define TRACE_LATE_BYTES_MAX ((size_t)4 << 20)

struct trace_late {
	struct extsort_record
		*records; /* the one that is due first is the last */
	uint32_t count;
	uint32_t room;
	size_t bytes; /* of all of them */
	void *taken;  /* the bytes of the one that was taken last */
};

void trace_late_clear(struct trace_late *late);

static inline bool trace_late_has_room(
	const struct trace_late *late, size_t size)
{
	return late->count < TRACE_LATE_MAX &&
	       size <= TRACE_LATE_BYTES_MAX - late->bytes;
}

/* Adds a record, for which there must be room: all but its bytes, which are to
 * be written to what this returns. Of those of one time the first comes first.
 * NULL if out of memory. */
void *trace_late_add(
	struct trace_late *late, const struct extsort_record *record);

/* There is one that comes before, or with, what has this time and rank. */
static inline bool trace_late_is_due(
	const struct trace_late *late, int64_t time_ns, int64_t rank)
{
	const struct extsort_record *first;

	if (late->count == 0)
		return false;
	first = &late->records[late->count - 1];
	return first->time_ns < time_ns ||
	       (first->time_ns == time_ns && first->rank <= rank);
}

/* The one that is due first, of which there must be one; its bytes are
 * borrowed until the next call. */
struct extsort_record trace_late_take(struct trace_late *late);

#endif
