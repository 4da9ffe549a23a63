/* SPDX-License-Identifier: MIT */
/* The times of phases of many inputs, added up: for each set of rules, as each
 * input has those that know most of its time. */
#ifndef PHASE_TOTALS_H
#define PHASE_TOTALS_H

#include <stdbool.h>
#include <stddef.h>

#include "phases/phases.h"

/* What is not in any phase of any set, is by none. */
#define PHASE_TOTALS_NONE PHASE_SETS_MAX

struct phase_total {
	uint64_t file_count; /* 0: no input is by these rules */
	uint64_t flat_count; /* of these, profiles without calling contexts */
	uint64_t thread_count;
	struct phase_times times; /* by no rules: without phases */
};

/* A thread of an input. */
struct phase_total_thread {
	size_t file;
	uint32_t track; /* there */
	char *path;     /* of the input */
	char *name;     /* "" where there is none */
	int64_t pid;
	int64_t tid;
	uint32_t set; /* or PHASE_TOTALS_NONE */
	struct phase_times times;
};

struct phase_totals {
	const struct phase_sets *sets;
	bool by_thread; /* each is wanted */
	struct phase_total totals[PHASE_SETS_MAX + 1];
	struct phase_total_thread *threads;
	size_t thread_count;
	size_t thread_room;
};

/* One input: which of all it is, and what was counted. */
struct phase_totals_input {
	const struct phases *phases;
	const struct trace *trace;
	size_t file;
	const char *path;
	bool flat;
};

/* The sets are borrowed. False if out of memory; call phase_totals_clear() in
 * either case. */
bool phase_totals_init(struct phase_totals *totals,
	const struct phase_sets *sets, bool by_thread);
void phase_totals_clear(struct phase_totals *totals);

/* Each is false if out of memory. The second takes the threads over. */
bool phase_totals_add(
	struct phase_totals *totals, const struct phase_totals_input *input);
bool phase_totals_add_all(struct phase_totals *to, struct phase_totals *from);

/* Puts threads in the order of inputs. */
void phase_totals_sort(struct phase_totals *totals);

/* How many phases rules have, and what they are called; of none there are no
 * phases, and the name is NULL. */
uint32_t phase_totals_phase_count(
	const struct phase_totals *totals, uint32_t set);
const char *phase_totals_rules_name(
	const struct phase_totals *totals, uint32_t set);

#endif
