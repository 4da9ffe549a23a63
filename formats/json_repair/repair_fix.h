/* SPDX-License-Identifier: MIT */
/* The result of a repair: what was done to a JSON text to make it one, how often,
 * and where first. */
#ifndef REPAIR_FIX_H
#define REPAIR_FIX_H

#include <stdbool.h>
#include <stdint.h>

/* To add one, add a line to the table in repair_fix.c. */
enum repair_fix {
	REPAIR_TRUNCATED,
	REPAIR_DROPPED,
	REPAIR_GARBAGE,
	REPAIR_DOCUMENTS,
	REPAIR_DEPTH,
	REPAIR_BRACKETS,
	REPAIR_COMMAS,
	REPAIR_MEMBERS,
	REPAIR_QUOTES,
	REPAIR_BACKSLASHES,
	REPAIR_CONTROLS,
	REPAIR_UTF8,
	REPAIR_SURROGATES,
	REPAIR_NAN,
	REPAIR_NUMBERS,
	REPAIR_WORDS,
	REPAIR_TEXT_TIMES,
	REPAIR_ZERO_TIMES,
	REPAIR_FIXES
};

/* Begin with zeros. */
struct repair_fixes {
	uint64_t counts[REPAIR_FIXES];
	uint64_t first[REPAIR_FIXES]; /* the input's offset, if counted */
};

struct repair_result {
	struct repair_fixes fixes;
	uint64_t in_bytes;
	uint64_t out_bytes;
	uint64_t events; /* objects written that say which kind of event */
	uint64_t slices; /* of these, such with a duration */
	bool has_header; /* a member that documents in a format of JSON have */
};

void repair_fix_add(
	struct repair_fixes *fixes, enum repair_fix fix, uint64_t offset);

/* Adds what was done further on in the input. */
void repair_fix_merge(
	struct repair_fixes *fixes, const struct repair_fixes *later);

uint64_t repair_fix_total(const struct repair_fixes *fixes);

/* "truncated", for reports; and words for people, after a number. */
const char *repair_fix_name(enum repair_fix fix);
const char *repair_fix_words(enum repair_fix fix);

/* Is something of the input not in the output? */
bool repair_fix_is_loss(enum repair_fix fix);

#endif
