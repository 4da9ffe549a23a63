/* SPDX-License-Identifier: MIT */
/*
 * Rules from a text file that assign ranges to the phases of a compilation. A
 * line has a keyword and its value:
 *
 *	# a comment
 *	phase NAME
 *	name GLOB
 *	again GLOB
 *	async GLOB
 *	file GLOB
 *	category GLOB
 *
 * "name", "again" and "async" are rules of the last "phase": for ranges; for
 * ranges that repeat one around them, and begin the phase only if the thread is
 * in another one; and for asynchronous ranges that a thread begins. "file" and
 * "category" limit the rules after them, up to the next of the same keyword or
 * the next phase. In a GLOB, * matches any text, and \ quotes the next
 * character. The first matching rule wins.
 */
#ifndef PHASE_RULES_H
#define PHASE_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/trace.h"

#define PHASE_NONE UINT32_MAX
#define PHASE_RULES_BYTES_MAX ((size_t)1 << 20)
#define PHASE_RULES_PHASES_MAX 250
#define PHASE_RULES_MAX 10000
#define PHASE_SETS_MAX 8

/* The fields that rules match. */
struct phase_subject {
	const char *name;
	size_t name_size;
	const char *file; /* "": unknown; as is */
	size_t file_size;
	const char *category; /* the category */
	size_t category_size;
	bool async;
};

struct phase_rules;

/*
 * Parses a text; free the rules with phase_rules_free(). `name` is copied.
 *
 * Errors: CTP_ERR_FORMAT with the line number in the message; CTP_ERR_NOMEM.
 */
enum ctp_status phase_rules_parse(const char *name, const char *text,
	size_t size, struct phase_rules **out, struct ctp_error *err);

/* The same for a file. Errors: also CTP_ERR_IO. */
enum ctp_status phase_rules_read(
	const char *path, struct phase_rules **out, struct ctp_error *err);
void phase_rules_free(struct phase_rules *rules);

/* The lines of the built-in rules of this name, ending with NULL; NULL if there
 * are none. */
const char *const *phase_rules_shipped(const char *name);

/* Phases are numbered in the order of the text. Borrowed. */
const char *phase_rules_name(const struct phase_rules *rules);
uint32_t phase_rules_count(const struct phase_rules *rules);
const char *phase_rules_phase(const struct phase_rules *rules, uint32_t phase);

struct phase_begin {
	uint32_t phase; /* PHASE_NONE: none */
	bool again;     /* unless the thread is already in it */
};

/* The phase that the range begins when the thread is in phase `around`. */
static inline uint32_t phase_begin_in(struct phase_begin begin, uint32_t around)
{
	return begin.again && begin.phase == around ? PHASE_NONE : begin.phase;
}

/* The phase that such a range begins. */
struct phase_begin phase_rules_find(
	const struct phase_rules *rules, const struct phase_subject *subject);

/* The fields of a range of this site. Borrowed from the trace. */
struct phase_subject phase_rules_subject(
	const struct trace *trace, uint32_t site, bool async);

/* Several sets of rules; the one that covers most of the time is used. */
struct phase_sets {
	struct phase_rules *rules[PHASE_SETS_MAX];
	size_t count;
};

/*
 * Loads all built-in rules, or only the built-in set of this name, or only
 * those of the file. Call phase_sets_clear() only after success.
 *
 * Errors: those of phase_rules_read().
 */
enum ctp_status phase_sets_ship(struct phase_sets *sets, struct ctp_error *err);
/* The built-in rules, read once for the program and never freed. NULL if out of
 * memory. Threads: any. */
const struct phase_sets *phase_sets_shipped(void);
enum ctp_status phase_sets_open(
	struct phase_sets *sets, const char *name, struct ctp_error *err);
void phase_sets_clear(struct phase_sets *sets);

/* The rules files as lines; each ends with NULL. The build generates them. */
extern const char *const clang_rules[];
extern const char *const dynamo_rules[];
extern const char *const import_rules[];
extern const char *const nvcc_rules[];

#endif
