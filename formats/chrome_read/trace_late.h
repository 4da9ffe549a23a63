/* SPDX-License-Identifier: MIT */
/*
 * Records of calls in Python that begin in a range and outlive it, as the call
 * of __exit__ does that ends it: their turn comes when the range has ended.
 *
 * Memory: TRACE_LATE_MAX records of TRACE_LATE_BYTES_MAX at most, and one more.
 */
#ifndef TRACE_LATE_H
#define TRACE_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "extsort/extsort.h"

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
