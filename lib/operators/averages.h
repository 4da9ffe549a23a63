/* SPDX-License-Identifier: MIT */
/*
 * Averages of operations: a profile whose functions are grouped by name, input
 * shapes, call stack, category or module instead of their place in the source.
 * It also has their allocated and freed memory.
 * Source: shared spec 03, "Events" and "Tree and averages".
 */
#ifndef AVERAGES_H
#define AVERAGES_H

#include <stdint.h>

#include "trace/event.h"
#include "profile/replay.h"

/* The grouping key. Its part after the name takes the place of the function's
 * file. */
enum averages_group {
	AVERAGES_SITE,     /* name, file and line */
	AVERAGES_NAME,     /* only the name */
	AVERAGES_SHAPE,    /* name and recorded input shapes */
	AVERAGES_STACK,    /* name and call stack, one function per line */
	AVERAGES_CATEGORY, /* category instead of the name */
	AVERAGES_MODULE, /* modules and optimizers; all else is part of these */
	AVERAGES_GROUPS
};

/* Names for operations without a module or category. */
#define AVERAGES_NO_MODULE "(no module)"
#define AVERAGES_NO_CATEGORY "(none)"

/* Rows of memory events outside of ranges, and of failed allocations. */
#define AVERAGES_MEMORY "[memory]"
#define AVERAGES_OUT_OF_MEMORY "[OutOfMemory]"

#define AVERAGES_STACK_USUAL 5 /* stack depth */

/* "name", "shape"; "cat" for categories. */
const char *averages_group_name(enum averages_group group);

struct averages_options {
	enum averages_group group;
	uint32_t stack; /* AVERAGES_STACK: stack depth; 0:
		        * AVERAGES_STACK_USUAL */
	struct replay_options replay;
};

struct averages;

/* The arguments used: see read_request.kept_args. */
extern const char *const averages_args[];

/* `trace` is borrowed until averages_free(). NULL if out of memory. */
struct averages *averages_new(
	struct trace *trace, struct averages_options options);
void averages_free(struct averages *averages);

/* Adds an event. Errors: CTP_ERR_NOMEM. */
enum ctp_status averages_add(struct averages *averages,
	const struct event *event, struct ctp_error *err);

/* Call it after the last event: hands the profile over; free it with
 * profile_free().
 * Errors: CTP_ERR_NOMEM. */
enum ctp_status averages_finish(
	struct averages *averages, struct profile **out, struct ctp_error *err);

#endif
