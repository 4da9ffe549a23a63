/* SPDX-License-Identifier: MIT */
/*
 * Which ranges begin which phase of a compilation, from a text file. A line is
 * a word and what it is about:
 *
 *	# a comment
 *	phase NAME
 *	name GLOB
 *	again GLOB
 *	async GLOB
 *	file GLOB
 *	category GLOB
 *
 * "name", "again" and "async" are rules of the last "phase": of ranges; of
 * ranges that tell once more what one around them has told, and begin the phase
 * only where the thread is in another; and of asynchronous ranges that a thread
 * begins. "file" and "category" limit the
 * rules behind them, up to the next of its kind or the next phase. In a GLOB
 * a * is any text, and \ takes the next character as it stands. Of several
 * rules for one range the first holds.
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

/* What rules look at. */
struct phase_subject {
	const char *name;
	size_t name_size;
	const char *file; /* "": not known; as is */
	size_t file_size;
	const char *category; /* the category */
	size_t category_size;
	bool async;
};

struct phase_rules;

/*
 * Takes a text apart; free the rules with phase_rules_free(). `name` is copied.
 *
 * Errors: CTP_ERR_FORMAT with the line's number in its words; CTP_ERR_NOMEM.
 */
enum ctp_status phase_rules_parse(const char *name, const char *text,
	size_t size, struct phase_rules **out, struct ctp_error *err);

/* The same of a file. Errors: CTP_ERR_IO, too. */
enum ctp_status phase_rules_read(
	const char *path, struct phase_rules **out, struct ctp_error *err);
void phase_rules_free(struct phase_rules *rules);

/* The lines of the rules that come with the program under this name, and NULL;
 * NULL if there are none. */
const char *const *phase_rules_shipped(const char *name);

/* Phases are numbered in the order of the text. Borrowed. */
const char *phase_rules_name(const struct phase_rules *rules);
uint32_t phase_rules_count(const struct phase_rules *rules);
const char *phase_rules_phase(const struct phase_rules *rules, uint32_t phase);

struct phase_begin {
	uint32_t phase; /* PHASE_NONE: it begins none */
	bool again;     /* not where the thread is in that one */
};

/* The phase that it begins where the thread is in this one. */
static inline uint32_t phase_begin_in(struct phase_begin begin, uint32_t around)
{
	return begin.again && begin.phase == around ? PHASE_NONE : begin.phase;
}

/* What such a range begins. */
struct phase_begin phase_rules_find(
	const struct phase_rules *rules, const struct phase_subject *subject);

/* The same of a range of this site. */
struct phase_begin phase_rules_find_site(const struct phase_rules *rules,
	const struct trace *trace, uint32_t site, bool async);

/* Rules of which those are to be used that know most of the time. */
struct phase_sets {
	struct phase_rules *rules[PHASE_SETS_MAX];
	size_t count;
};

/*
 * All that come with the program; or only these: those that come with it under
 * this name, or those of the file. Call phase_sets_clear() only after success.
 *
 * Errors: those of phase_rules_read().
 */
enum ctp_status phase_sets_ship(struct phase_sets *sets, struct ctp_error *err);
enum ctp_status phase_sets_open(
	struct phase_sets *sets, const char *name, struct ctp_error *err);
void phase_sets_clear(struct phase_sets *sets);

/* The files of rules, by lines; each ends with NULL. The build makes C of them. */
extern const char *const clang_rules[];
extern const char *const dynamo_rules[];
extern const char *const import_rules[];
extern const char *const nvcc_rules[];

#endif
