/* SPDX-License-Identifier: MIT */
/* The result of repairing a JSON text: the kinds of repairs, how often each was
 * made, and where first. */
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
	uint64_t events; /* objects written that have an event's phase */
	uint64_t slices; /* events with a duration */
	bool has_header; /* has a member of a known JSON format's documents */
};

void repair_fix_add(
	struct repair_fixes *fixes, enum repair_fix fix, uint64_t offset);

/* Adds the repairs of a later part of the input. */
void repair_fix_merge(
	struct repair_fixes *fixes, const struct repair_fixes *later);

uint64_t repair_fix_total(const struct repair_fixes *fixes);

/* "truncated", for reports; and a description that follows a number. */
const char *repair_fix_name(enum repair_fix fix);
const char *repair_fix_words(enum repair_fix fix);

/* Does the repair lose data of the input? */
bool repair_fix_is_loss(enum repair_fix fix);

#endif
