/* SPDX-License-Identifier: MIT */
/*
 * Repairs damaged JSON, above all traces that were truncated or badly escaped.
 * Valid text stays byte for byte; incomplete events are left out, and all
 * others are kept.
 *
 * Memory: a window of at most 16 MiB, and several times as much for a single
 * event of that size.
 */
#ifndef REPAIR_H
#define REPAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

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

/* How often each repair was made; begins with zeros. */
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

struct repair_job {
	FILE *in; /* borrowed, like all members */
	const void *head;
	size_t head_size; /* already read from `in` */
	FILE *out;
	void (*progress)(void *user, uint64_t position); /* or NULL */
	void *user;
};

/*
 * Reads all of `in`. Errors: CTP_ERR_IO, also for writing: see ferror();
 * CTP_ERR_NOMEM; CTP_ERR_FORMAT if there is neither an object nor an array.
 */
enum ctp_status repair_run(const struct repair_job *job,
	struct repair_result *result, struct ctp_error *err);

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
