/* SPDX-License-Identifier: MIT */
/* A set of stretches of time, and how much of another stretch it covers. */
#ifndef SPANS_H
#define SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	int64_t from_ns;
	int64_t to_ns;
	uint64_t before_ns; /* the sum of those before this one */
};

struct spans {
	struct span *items; /* free with memory_free() */
	size_t count;
	size_t room;
};

/* Adds a stretch; one that does not end after it starts is ignored. False if
 * out of memory. */
bool spans_add(struct spans *spans, int64_t from_ns, int64_t to_ns);

/* Orders them and makes one of those that touch: after the last was added. */
void spans_join(struct spans *spans);

/* How much of a stretch of time they cover; they were joined. */
uint64_t spans_cover(const struct spans *spans, int64_t from_ns, int64_t to_ns);

#endif
