/* SPDX-License-Identifier: MIT */
/*
 * Averages of operations: a profile whose functions are told apart by
 * something else than where they are - by name, shapes of their inputs, who
 * called them, what kind of thing they are, which module they are part of -
 * and that knows the memory they took and gave back.
 * Source: shared spec 03, "Events" and "Tree and averages".
 */
#ifndef AVERAGES_H
#define AVERAGES_H

#include <stdint.h>

#include "trace/event.h"
#include "profile/replay.h"

/* By what operations are told apart. What is more than their name stands in
 * place of the file of their functions. */
enum averages_group {
	AVERAGES_SITE,     /* name, file and line */
	AVERAGES_NAME,     /* name alone */
	AVERAGES_SHAPE,    /* name, and shapes of the inputs as recorded */
	AVERAGES_STACK,    /* name, and the functions around it, one a line */
	AVERAGES_CATEGORY, /* what kind of thing they are, instead of the name */
	AVERAGES_MODULE, /* modules and optimizers; others are a part of these */
	AVERAGES_GROUPS
};

/* What is in no module, and what has no category. */
#define AVERAGES_NO_MODULE "(no module)"
#define AVERAGES_NO_CATEGORY "(none)"

/* Rows of memory that no range took or gave back, and of attempts in vain. */
#define AVERAGES_MEMORY "[memory]"
#define AVERAGES_OUT_OF_MEMORY "[OutOfMemory]"

#define AVERAGES_STACK_USUAL 5 /* functions around an operation */

/* "name", "shape"; "cat" of categories. */
const char *averages_group_name(enum averages_group group);

struct averages_options {
	enum averages_group group;
	uint32_t
		stack; /* AVERAGES_STACK: so many functions; 0: AVERAGES_STACK_USUAL */
	struct replay_options replay;
};

struct averages;

/* The arguments that are looked at: see read_request.kept_args. */
extern const char *const averages_args[];

/* `trace` is borrowed until averages_free(). NULL if out of memory. */
struct averages *averages_new(
	struct trace *trace, struct averages_options options);
void averages_free(struct averages *averages);

/* Takes one event. Errors: CTP_ERR_NOMEM. */
enum ctp_status averages_add(struct averages *averages,
	const struct event *event, struct ctp_error *err);

/* After the last event: hands the profile over; free it with profile_free().
 * Errors: CTP_ERR_NOMEM. */
enum ctp_status averages_finish(
	struct averages *averages, struct profile **out, struct ctp_error *err);

#endif
