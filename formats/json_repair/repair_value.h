/* SPDX-License-Identifier: MIT */
/*
 * Repairs a damaged JSON value, as close as possible to its likely meaning. It
 * never recurses. For repair_*.c only.
 */
#ifndef REPAIR_VALUE_H
#define REPAIR_VALUE_H

#include "base/buffer.h"
#include "json_repair/repair_fix.h"
#include "json_repair/repair_lookahead.h"
#include "json_repair/repair_validate.h"

/* The bracket around a value. */
enum repair_outer {
	REPAIR_IN_EVENTS, /* an array, whose objects may be events */
	REPAIR_IN_OBJECT,
};

struct repair_value {
	/* Given. */
	enum repair_outer outer;
	const char *last_time; /* of the previous event; NULL: near 0 */
	uint64_t base;         /* the view's offset */
	/* Found. */
	struct buffer *out; /* borrowed; output is appended */
	struct repair_fixes fixes;
	struct repair_event event;
};

/*
 * Reads the value at view->at and moves past it. REPAIR_WRONG: the value is
 * incomplete, because another event begins within it or the input ends. The
 * appended text is then useless, as it is if view->hit_end is set.
 *
 * Errors: if out of memory, value->out has failed.
 */
enum repair_outcome repair_value_read(
	struct repair_view *view, struct repair_value *value);

/* Likewise for a key, including its colon. */
enum repair_outcome repair_value_key(
	struct repair_view *view, struct repair_value *value);

/* Likewise for an object whose opening bracket is missing. */
enum repair_outcome repair_value_rest(
	struct repair_view *view, struct repair_value *value);

#endif
