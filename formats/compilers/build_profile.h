/* SPDX-License-Identifier: MIT */
/*
 * Compile time by kind: a profile for each group of ranges, in which only these
 * are functions. So the self time of a header excludes its includes but covers
 * the templates that it instantiates, and the times of a group never count
 * twice. Source: clang's -ftime-trace; lld's --time-trace.
 */
#ifndef BUILD_PROFILE_H
#define BUILD_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "profile/profile.h"

#define BUILD_GROUPS(X) \
	X(PHASE, "phase", "Phases") \
	X(UNIT, "unit", "Translation units") \
	X(HEADER, "header", "Headers") \
	X(TEMPLATE, "template", "Instances of templates") \
	X(SET, "template-set", "Templates, instances merged") \
	X(FUNCTION, "function", "Generated functions") \
	X(NAME, "name", "Ranges by name")

enum build_group {
#define BUILD_ENUM(group, word, title) BUILD_##group,
	BUILD_GROUPS(BUILD_ENUM)
#undef BUILD_ENUM
		BUILD_GROUP_COUNT
};

/* Phases of rules/clang.rules whose share is computed for each unit. */
#define BUILD_FRONTEND "frontend"
#define BUILD_BACKEND "backend"

struct build_profile;

/* After the first event was read: is it a compiler's trace? */
bool build_profile_is_build_trace(const struct trace *trace);

/* `groups` are bits. NULL if out of memory. */
struct build_profile *build_profile_new(uint32_t groups);
void build_profile_free(struct build_profile *build);

/* The following events belong to this trace, which is one unit, of this name.
 * Both are borrowed until build_profile_end(). Errors: CTP_ERR_NOMEM; nothing
 * was begun. */
enum ctp_status build_profile_begin(struct build_profile *build,
	const struct trace *trace, const char *unit, struct ctp_error *err);

/* Adds one event. Errors: CTP_ERR_NOMEM. */
enum ctp_status build_profile_add(struct build_profile *build,
	const struct event *event, struct ctp_error *err);

/* Ends the trace and its open ranges. Errors: CTP_ERR_NOMEM. */
enum ctp_status build_profile_end(
	struct build_profile *build, struct ctp_error *err);

/*
 * After the last trace: returns each group's profile, to be freed with
 * profile_free(); NULL for groups not requested. A unit's callees are its
 * phases. Call it once only.
 *
 * Errors: CTP_ERR_NOMEM; `sums` then has those made so far, which must be freed
 * too.
 */
enum ctp_status build_profile_finish(struct build_profile *build,
	struct profile *sums[BUILD_GROUP_COUNT], struct ctp_error *err);

#endif
