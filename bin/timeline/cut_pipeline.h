/* SPDX-License-Identifier: MIT */
/* Builds the sources around an input's own that select a part of it. */
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
	const char *range_name; /* a name or pattern; NULL: none */
	bool has_step;
	uint64_t step;
	bool redact;
	const char *salt; /* NULL: none */
	bool parts;       /* split it into parts */
	enum when progress;
};

/*
 * Wraps the input's source. With `parts`, `*cut` is set to the source that
 * makes parts.
 *
 * Errors: reported; returns an exit status. Close the input in any case.
 */
int cut_pipeline_apply(const struct cut_pipeline *pipeline, struct input *input,
	struct cut **cut);

/* Reads "a,b-c" or "none"; false if invalid. Sets `list->given`; the caller
 * frees its ranges. */
bool cut_pipeline_read_list(const char *text, struct event_filter_list *list);

/* Reads "A..B", each a time or omitted; false if invalid. */
bool cut_pipeline_read_time(const char *text, struct cut_pipeline *pipeline);

#endif
