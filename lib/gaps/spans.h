/* SPDX-License-Identifier: MIT */
/* A set of time intervals, and the part of another interval that it covers. */
#ifndef SPANS_H
#define SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	int64_t from_ns;
	int64_t to_ns;
	uint64_t before_ns; /* sum of the previous ones */
};

struct spans {
	struct span *items; /* free with memory_free() */
	size_t count;
	size_t room;
};

/* Adds an interval; an empty one is ignored. False if out of memory. */
bool spans_add(struct spans *spans, int64_t from_ns, int64_t to_ns);

/* Sorts the intervals and merges adjacent ones. Call it after the last was
 * added. */
void spans_join(struct spans *spans);

/* Time of an interval that they cover. Call spans_join() before. */
uint64_t spans_cover(const struct spans *spans, int64_t from_ns, int64_t to_ns);

#endif
