/* SPDX-License-Identifier: MIT */
/* Merges timelines: of ranks, processes, or parts of a program, on one clock
 * into one file. */
#ifndef TIMELINES_H
#define TIMELINES_H

#include "timeline/clocks.h"
#include "input/inputs.h"

struct timelines {
	const struct inputs *inputs;
	const struct format *to; /* of timelines */
	const char *output;      /* as given; NULL: standard output */
	bool force;
	enum clocks_align align;
	const char *range; /* CLOCKS_RANGE */
};

/* Does it. Errors: said; returns an exit status. */
int timelines_merge(const struct timelines *timelines);

#endif
