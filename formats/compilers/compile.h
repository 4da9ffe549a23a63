/* SPDX-License-Identifier: MIT */
/*
 * What compilers did, by kind: a profile for each group of ranges, in which
 * only these are functions. So the self time of a header is without what it
 * includes, but with the templates that it made, and the times of one group
 * never count twice.
 * Source: clang's -ftime-trace; lld's --time-trace.
 */
#ifndef COMPILE_H
#define COMPILE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "profile/profile.h"

#define COMPILE_GROUPS(X) \
	X(PHASE, "phase", "Phases") \
	X(UNIT, "unit", "Translation units") \
	X(HEADER, "header", "Headers") \
	X(TEMPLATE, "template", "Instances of templates") \
	X(SET, "template-set", "Templates, all instances as one") \
	X(FUNCTION, "function", "Functions that became code") \
	X(NAME, "name", "Ranges by name")

enum compile_group {
#define COMPILE_ENUM(group, word, title) COMPILE_##group,
	COMPILE_GROUPS(COMPILE_ENUM)
#undef COMPILE_ENUM
		COMPILE_GROUP_COUNT
};

/* Phases, as rules/clang.rules has them, of which each unit's share is known. */
#define COMPILE_FRONTEND "frontend"
#define COMPILE_BACKEND "backend"

struct compile;

/* Once its first event was read: is the trace a compiler's? */
bool compile_is_trace(const struct trace *trace);

/* Of these groups, as bits. NULL if out of memory. */
struct compile *compile_new(uint32_t groups);
void compile_free(struct compile *compile);

/* What comes is of this trace, which is one unit, of this name. Both are
 * borrowed until compile_end(). Errors: CTP_ERR_NOMEM; nothing was begun. */
enum ctp_status compile_begin(struct compile *compile,
	const struct trace *trace, const char *unit, struct ctp_error *err);

/* Takes one event. Errors: CTP_ERR_NOMEM. */
enum ctp_status compile_add(struct compile *compile, const struct event *event,
	struct ctp_error *err);

/* The trace is over; what is open in it is closed. Errors: CTP_ERR_NOMEM. */
enum ctp_status compile_end(struct compile *compile, struct ctp_error *err);

/*
 * After the last trace: hands each group's profile over, to be freed with
 * profile_free(); NULL for those that were not asked for. Of a unit the callees
 * are the phases. Once only.
 *
 * Errors: CTP_ERR_NOMEM; `sums` are those that there are, to be freed, too.
 */
enum ctp_status compile_finish(struct compile *compile,
	struct profile *sums[COMPILE_GROUP_COUNT], struct ctp_error *err);

#endif
