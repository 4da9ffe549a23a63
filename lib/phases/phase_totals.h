/* SPDX-License-Identifier: MIT */
/*
 * Sums of phase times over many inputs, per set of rules: each input uses the
 * set that covers most of its time. Texts identify sets and phases, and sums
 * saturate, so that adding is commutative and associative.
 */
#ifndef PHASE_TOTALS_H
#define PHASE_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "phases/phases.h"

/* A phase of a set of rules. */
struct phase_row {
	uint32_t number;  /* in the order of the rules */
	const char *name; /* owned by the rules, or by phase_totals.text */
	struct phase_sum sum;
};

/* The times of a set's inputs, or of a thread. */
struct phase_total {
	const char *rules; /* owned likewise; "": no rules match */
	uint64_t file_count;
	uint64_t flat_count; /* of these, profiles without call paths */
	uint64_t thread_count;
	uint64_t unknown_ns;
	uint64_t idle_ns;
	struct phase_row *rows; /* by number and name */
	uint32_t row_count;
	uint32_t row_room;
};

/* All zero is empty; see phase_totals_clear(). */
struct phase_totals {
	struct strtab *text; /* NULL: it is empty */
	/* By the rules' names; the one without rules is the last. */
	struct phase_total *items;
	uint32_t count;
	uint32_t room;
};

void phase_totals_clear(struct phase_totals *totals);

/* All: false, or NULL, if out of memory. */

/* Adds an input, after phases_finish(). One without time is left out. */
bool phase_totals_add(struct phase_totals *totals, const struct phases *phases);
bool phase_totals_add_all(
	struct phase_totals *to, const struct phase_totals *from);

/* The total with this name, new or known. The name is copied. Borrowed until
 * the next call. */
struct phase_total *phase_totals_find(
	struct phase_totals *totals, const char *rules);

/* The row with this number and name, new or known. The name is copied. Borrowed
 * likewise. */
struct phase_row *phase_totals_row(struct phase_totals *totals,
	struct phase_total *total, uint32_t number, const char *name);

/* Makes an empty total that of a thread; texts are borrowed from the rules,
 * which may be NULL. */
bool phase_total_init(struct phase_total *total,
	const struct phase_rules *rules, const struct phase_times *times);
void phase_total_clear(struct phase_total *total);

/* The sum of all its times. */
uint64_t phase_total_wall(const struct phase_total *total);

#endif
