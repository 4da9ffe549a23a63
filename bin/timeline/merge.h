/* SPDX-License-Identifier: MIT */
/* Merges timelines: of ranks, processes, or parts of a program, on one clock
 * into one file. */
#ifndef TIMELINE_MERGE_H
#define TIMELINE_MERGE_H

#include "timeline/clocks.h"
#include "input/inputs.h"

struct merge_options {
	const struct inputs *inputs;
	const struct format *to; /* of timelines */
	const char *output;      /* as given; NULL: standard output */
	bool force;
	enum clocks_align align;
	const char *range; /* CLOCKS_RANGE */
};

/* Does it. Errors: said; returns an exit status. */
int merge_timelines(const struct merge_options *options);

#endif
