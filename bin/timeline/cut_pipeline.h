/* SPDX-License-Identifier: MIT */
/* Builds the sources around an input's own that select a part of it. */
#ifndef CUT_PIPELINE_H
#define CUT_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "transform/event_filter.h"
#include "transform/cut.h"
#include "cli/arguments.h"
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

/* For the options of a command: read a list of numbers into a struct
 * event_filter_list, whose ranges the command frees; and a window of time, and
 * the number of a step, into a struct cut_pipeline. */
void cut_pipeline_argument_list(const struct argument_value *value);
void cut_pipeline_argument_time(const struct argument_value *value);
void cut_pipeline_argument_step(const struct argument_value *value);

#endif
