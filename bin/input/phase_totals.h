/* SPDX-License-Identifier: MIT */
/* Sums of phase times over many inputs, per set of rules: each input uses the
 * set that covers most of its time. */
#ifndef PHASE_TOTALS_H
#define PHASE_TOTALS_H

#include <stdbool.h>
#include <stddef.h>

#include "phases/phases.h"

/* The set of inputs that no rules match. */
#define PHASE_TOTALS_NONE PHASE_SETS_MAX

struct phase_total {
	uint64_t file_count; /* 0: no input uses these rules */
	uint64_t flat_count; /* of these, profiles without calling contexts */
	uint64_t thread_count;
	struct phase_times times; /* PHASE_TOTALS_NONE: without phases */
};

/* A thread of an input. */
struct phase_total_thread {
	size_t file;
	uint32_t track; /* in the input */
	char *path;     /* of the input */
	char *name;     /* "" if unknown */
	int64_t pid;
	int64_t tid;
	uint32_t set; /* or PHASE_TOTALS_NONE */
	struct phase_times times;
};

struct phase_totals {
	const struct phase_sets *sets;
	bool by_thread; /* keep each thread */
	struct phase_total totals[PHASE_SETS_MAX + 1];
	struct phase_total_thread *threads;
	size_t thread_count;
	size_t thread_room;
};

/* An input's number and counts. */
struct phase_totals_input {
	const struct phases *phases;
	const struct trace *trace;
	size_t file;
	const char *path;
	bool flat;
};

/* The sets are borrowed. False if out of memory; call phase_totals_clear() in
 * any case. */
bool phase_totals_init(struct phase_totals *totals,
	const struct phase_sets *sets, bool by_thread);
void phase_totals_clear(struct phase_totals *totals);

/* False if out of memory. The second takes over the threads. */
bool phase_totals_add(
	struct phase_totals *totals, const struct phase_totals_input *input);
bool phase_totals_add_all(struct phase_totals *to, struct phase_totals *from);

/* Sorts threads by input. */
void phase_totals_sort(struct phase_totals *totals);

/* Number of a set's phases, and the set's name; 0 and NULL for
 * PHASE_TOTALS_NONE. */
uint32_t phase_totals_phase_count(
	const struct phase_totals *totals, uint32_t set);
const char *phase_totals_rules_name(
	const struct phase_totals *totals, uint32_t set);

#endif
