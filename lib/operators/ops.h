/* SPDX-License-Identifier: MIT */
/*
 * Averages of operations: a profile whose functions are told apart by
 * something else than where they are - by name, shapes of their inputs, who
 * called them, what kind of thing they are, which module they are part of -
 * and that knows the memory they took and gave back.
 * Source: shared spec 03, "Events" and "Tree and averages".
 */
#ifndef OPS_H
#define OPS_H

#include <stdint.h>

#include "trace/event.h"
#include "profile/replay.h"

/* By what operations are told apart. What is more than their name stands in
 * place of the file of their functions. */
enum ops_group {
	OPS_SITE,     /* name, file and line */
	OPS_NAME,     /* name alone */
	OPS_SHAPE,    /* name, and shapes of the inputs as recorded */
	OPS_STACK,    /* name, and the functions around it, one a line */
	OPS_CATEGORY, /* what kind of thing they are, instead of the name */
	OPS_MODULE,   /* modules and optimizers; others are a part of these */
	OPS_GROUPS
};

/* What is in no module, and what has no category. */
#define OPS_NO_MODULE "(no module)"
#define OPS_NO_CATEGORY "(none)"

/* Rows of memory that no range took or gave back, and of attempts in vain. */
#define OPS_MEMORY "[memory]"
#define OPS_OUT_OF_MEMORY "[OutOfMemory]"

#define OPS_STACK_USUAL 5 /* functions around an operation */

/* "name", "shape"; "cat" of categories. */
const char *ops_group_name(enum ops_group group);

struct ops_options {
	enum ops_group group;
	uint32_t stack; /* OPS_STACK: so many functions; 0: OPS_STACK_USUAL */
	struct replay_options replay;
};

struct ops;

/* `trace` is borrowed until ops_free(). It is asked for the arguments that
 * this needs, if nothing was read yet. NULL if out of memory. */
struct ops *ops_new(struct trace *trace, struct ops_options options);
void ops_free(struct ops *ops);

/* Takes one event. Errors: CTP_ERR_NOMEM. */
enum ctp_status ops_add(
	struct ops *ops, const struct event *event, struct ctp_error *err);

/* After the last event: hands the profile over; free it with profile_free().
 * Errors: CTP_ERR_NOMEM. */
enum ctp_status ops_finish(
	struct ops *ops, struct profile **out, struct ctp_error *err);

#endif
