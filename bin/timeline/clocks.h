/* SPDX-License-Identifier: MIT */
/* Aligns recordings to one clock: computes the shift of each one's times. */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transform/align.h"
#include "trace/trace.h"

enum clocks_align {
	CLOCKS_WALL,       /* by the wall-clock time of each one's 0 */
	CLOCKS_NONE,       /* times unchanged */
	CLOCKS_RANGE,      /* by a range that begins in all at the same time */
	CLOCKS_COLLECTIVE, /* by the ends of collective operations */
};

struct clock {
	/* Set before clocks_solve(); borrowed. */
	const char *name; /* input's name for messages */
	const struct trace *trace;
	bool has_events;
	uint32_t order;           /* the first one has the reference clock */
	struct align_marks marks; /* CLOCKS_RANGE, CLOCKS_COLLECTIVE */

	int64_t shift_ns;
	int64_t timeline_shift_ns; /* see struct merge_place */
	uint32_t matched;          /* CLOCKS_COLLECTIVE */
	uint64_t spread_ns;
};

/*
 * Sets the shifts and the result's base: `*base_ns` since 1970, or 0.
 *
 * Errors: reported, such as an input without anything to align by; returns an
 * exit status.
 */
int clocks_solve(struct clock *clocks, size_t count, enum clocks_align align,
	int64_t *base_ns);

#endif
