/* SPDX-License-Identifier: MIT */
/* Puts recordings on one clock: how much is to be added to the times of each.
 */
#ifndef CLOCKS_H
#define CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transform/align.h"
#include "trace/trace.h"

enum clocks_align {
	CLOCKS_WALL,       /* the time of day that each one's 0 was */
	CLOCKS_NONE,       /* times as they are */
	CLOCKS_RANGE,      /* a range that begins in all at once */
	CLOCKS_COLLECTIVE, /* the ends of collective operations */
};

struct clock {
	/* These are set before clocks_solve(), and borrowed. */
	const char *name; /* of the input, for messages */
	const struct trace *trace;
	bool has_events;
	uint32_t order;           /* the first one's clock is that of all */
	struct align_marks marks; /* CLOCKS_RANGE, CLOCKS_COLLECTIVE */

	int64_t shift_ns;
	int64_t timeline_shift_ns; /* see struct merge_place */
	uint32_t matched;          /* CLOCKS_COLLECTIVE */
	uint64_t spread_ns;
};

/*
 * Sets the shifts, and what is 0 in the result: `*base_ns` since 1970, or 0.
 *
 * Errors: said, as that an input has nothing to go by; returns an exit status.
 */
int clocks_solve(struct clock *clocks, size_t count, enum clocks_align align,
	int64_t *base_ns);

#endif
