/* SPDX-License-Identifier: MIT */
/*
 * The open slices of each track. A slice has a known end; a range that was
 * never ended ends at the latest with the enclosing slice.
 *
 * PyTorch's and JAX's profilers record both ranges and Python calls. A call of
 * __enter__ begins a range, and a call of __exit__ ends it, so the range
 * overlaps both, and their callers. The calls, which are almost always shorter,
 * are clipped: they end where the range begins, or begin where it ends.
 *
 * A producer rounds the start and the duration of a slice separately. So the
 * end of a slice may be later than the end of the enclosing slice, or than the
 * start of the next slice, by the rounding of times: it is clipped there.
 */
#ifndef SLICE_STACK_H
#define SLICE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "extsort/extsort.h"
#include "trace/event.h"
#include "trace/trace.h"

/* Positions in the file: an empty slice that contains all others at its time,
 * and an unknown position, which nothing contains. */
#define SLICE_STACK_MOMENT UINT64_MAX
#define SLICE_STACK_NO_ORDER (UINT64_MAX - 1)

struct chrome_read_slice {
	int64_t start_ns;
	int64_t end_ns;
	uint64_t end_order; /* position of its end; 0: none */
	bool call;          /* a Python call, which a range may outlive */
	bool cut;           /* clipped before, and counted */
};

struct slice_stacks {
	struct trace *trace;
	struct slice_stack *stacks; /* by track */
	uint32_t room;
	uint32_t flushed; /* number of tracks fully closed */
	/* Slices that overlap by no more than this nest; 0: by nothing. */
	uint64_t rounding_ns;
};

void slice_stacks_init(
	struct slice_stacks *stacks, struct trace *trace, uint64_t rounding_ns);
void slice_stacks_clear(struct slice_stacks *stacks);

/* Adds the track if new; false if out of memory. */
bool slice_stacks_ensure_track(struct slice_stacks *stacks, uint32_t track);

/* If the innermost slice has ended by this time, pops it and sets `*event` to
 * its end. A slice that ends exactly then is still open for an empty slice
 * whose position `order` precedes that end. The track must have been added,
 * here and below. */
bool slice_stacks_pop(struct slice_stacks *stacks, uint32_t track,
	int64_t time_ns, uint64_t order, struct event *event);

/* Does the innermost slice end before `end_ns`, so that a slice from now to
 * `end_ns` would overlap it? */
bool slice_stacks_overlaps(
	const struct slice_stacks *stacks, uint32_t track, int64_t end_ns);

/* The end of the innermost slice, which must exist. */
int64_t slice_stacks_limit(const struct slice_stacks *stacks, uint32_t track);

/* If the range, which begins now, overlaps only calls, ends the innermost of
 * them now and sets `*event` to its end. */
bool slice_stacks_cut(struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *range, struct event *event);

/*
 * Makes a slice, which begins now, nest if it overlaps the innermost one only by
 * rounding. Either it is shortened to the end of the innermost one, or that one
 * ends now and `*event` is its end, whichever takes less time away. Returns
 * whether there is an event.
 */
bool slice_stacks_round(struct slice_stacks *stacks, uint32_t track,
	struct chrome_read_slice *slice, struct event *event);

/* Does the call, which begins now, overlap only ranges? Sets `*time_ns` to the
 * end of these. */
bool slice_stacks_outlives(const struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *call, int64_t *time_ns);

/* Opens a slice, which must not overlap. False if out of memory. */
bool slice_stacks_open(struct slice_stacks *stacks, uint32_t track,
	const struct chrome_read_slice *slice);

/* Opens a range whose end is unknown. */
bool slice_stacks_open_range(
	struct slice_stacks *stacks, uint32_t track, int64_t start_ns);

/* After the last record: ends the open slices with a known end, one event per
 * call; false if none is left. */
bool slice_stacks_flush(struct slice_stacks *stacks, struct event *event);

/*
 * Records of Python calls that begin in a range and outlive it, such as the
 * call of __exit__ that ends it: they are deferred until the range has ended.
 *
 * Memory: DEFERRED_CALLS_MAX records of DEFERRED_CALLS_BYTES_MAX at most, and one more.
 */
#define DEFERRED_CALLS_MAX 1024
#define DEFERRED_CALLS_BYTES_MAX ((size_t)4 << 20)

struct deferred_calls {
	struct extsort_record *records; /* in descending order of time */
	uint32_t count;
	uint32_t room;
	size_t bytes; /* total size */
	void *taken;  /* bytes of the last one popped */
};

void deferred_calls_clear(struct deferred_calls *calls);

static inline bool deferred_calls_has_room(
	const struct deferred_calls *calls, size_t size)
{
	return calls->count < DEFERRED_CALLS_MAX &&
	       size <= DEFERRED_CALLS_BYTES_MAX - calls->bytes;
}

/* Adds a record, for which there must be room, without its bytes: the caller
 * writes them to the result. Records of equal time stay in order of addition.
 * NULL if out of memory. */
void *deferred_calls_add(
	struct deferred_calls *calls, const struct extsort_record *record);

/* Is there a record due at or before this time and rank? */
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

/* The next due record, which must exist; its bytes are borrowed until the next
 * call. */
struct extsort_record deferred_calls_pop(struct deferred_calls *calls);

#endif
