/* SPDX-License-Identifier: MIT */
/* Merges timelines of ranks, processes or parts of a program on one clock into
 * one file. */
#ifndef TIMELINE_MERGE_H
#define TIMELINE_MERGE_H

#include "timeline/clocks.h"
#include "timeline/cut_pipeline.h"
#include "input/inputs.h"

struct merge_options {
	const struct inputs *inputs;
	const struct format *to; /* a timeline format */
	const char *output;      /* as given; NULL: stdout */
	bool force;
	enum clocks_align align;
	const char *range; /* for CLOCKS_RANGE */
	unsigned jobs;     /* inputs to read at a time; 0: one per processor */
	/* The part of the merged timeline that is written. NULL: all. */
	const struct cut_pipeline *cut;
};

/* Runs the merge. Errors: reported; returns an exit status. */
int merge_timelines(const struct merge_options *options);

#endif
