/* SPDX-License-Identifier: MIT */
/* What is taken of an input: the sources that are put around its own. */
#ifndef CUT_PIPELINE_H
#define CUT_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "transform/event_filter.h"
#include "transform/cut.h"
#include "input/input.h"
#include "cli/terminal.h"

struct cut_pipeline {
	struct event_filter_options filter;
	bool has_time;
	uint64_t from_ns; /* since the first event */
	uint64_t until_ns;
	const char *range_name; /* a name, or a pattern; NULL: none */
	bool has_step;
	uint64_t step;
	bool redact;
	const char *salt; /* NULL: none */
	bool parts;       /* are to be made of it */
	enum when progress;
};

/*
 * Puts them around. With `parts`, `*cut` is what tells parts apart.
 *
 * Errors: said; returns an exit status. The input can be closed in any case.
 */
int cut_pipeline_apply(const struct cut_pipeline *pipeline, struct input *input,
	struct cut **cut);

/* The same with nothing but parts. */
int cut_pipeline_into_parts(struct input *input, struct cut **cut);

/* "a,b-c", or "none"; false if it is neither. `list->given` is set, and its
 * ranges are to be freed. */
bool cut_pipeline_read_list(const char *text, struct event_filter_list *list);

/* "A..B", each a time or left out; false if it is something else. */
bool cut_pipeline_read_time(const char *text, struct cut_pipeline *pipeline);

#endif
