/* SPDX-License-Identifier: MIT */
/*
 * A value in damaged JSON, made one that JSON knows, as close to what was meant
 * as can be told. It never recurses. For repair_*.c only.
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
	const char *last_time; /* of the event before; NULL: not far from 0 */
	uint64_t base;         /* the offset of the view */
	/* Found. */
	struct buffer *out; /* borrowed; what is made is appended */
	struct repair_fixes fixes;
	struct repair_event event;
};

/*
 * The value at view->at, which is behind it then. REPAIR_WRONG: it is only half
 * there, since another event begins within, or the input ends. What was
 * appended is of no use then, as it is if view->hit_end says that more bytes
 * might have mattered.
 *
 * Errors: that there was no memory is seen in value->out.
 */
enum repair_outcome repair_value_read(
	struct repair_view *view, struct repair_value *value);

/* The same of a key, up to and with its colon. */
enum repair_outcome repair_value_key(
	struct repair_view *view, struct repair_value *value);

/* The same of an object whose first bracket is missing. */
enum repair_outcome repair_value_rest(
	struct repair_view *view, struct repair_value *value);

#endif
