/* SPDX-License-Identifier: MIT */
/* Stretches of time, and how much of another one they cover. */
#ifndef OPTIMIZE_SPANS_H
#define OPTIMIZE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct optimize_span {
	int64_t from_ns;
	int64_t to_ns;
	uint64_t before_ns; /* the sum of those before this one */
};

struct optimize_spans {
	struct optimize_span *items; /* free with memory_free() */
	size_t count;
	size_t room;
};

/* Adds a stretch; one that does not end after it starts is none. False if out
 * of memory. */
bool optimize_spans_add(
	struct optimize_spans *spans, int64_t from_ns, int64_t to_ns);

/* Orders them and makes one of those that touch: after the last was added. */
void optimize_spans_join(struct optimize_spans *spans);

/* How much of a stretch of time they cover; they were joined. */
uint64_t optimize_spans_cover(
	const struct optimize_spans *spans, int64_t from_ns, int64_t to_ns);

#endif
