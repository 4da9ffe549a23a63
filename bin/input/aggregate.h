/* SPDX-License-Identifier: MIT */
/*
 * Many inputs, added up: each alone, or all that are below a directory. What
 * comes out is the same however many are read at a time: sums know no order.
 */
#ifndef AGGREGATE_H
#define AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "compilers/build_profile.h"
#include "input/inputs.h"
#include "operators/averages.h"
#include "input/phase_totals.h"
#include "profile/profile.h"
#include "profile/replay.h"
#include "input/input_tree.h"

struct aggregate_options {
	const struct inputs *inputs;
	struct replay_options replay; /* of profiles of functions */
	const struct averages_options
		*ops; /* instead: of operations, unless NULL */
	/* Bits of enum build_group: how compilers' traces are added up; 0:
	 * as all others, function by function. */
	uint32_t groups;
	/* In place of functions and groups, phases by these rules; of each
	 * thread, too, if that is wanted. NULL: not asked for. */
	const struct phase_sets *phases;
	bool by_thread;
	/* The traces to read; 0: one for each processor. */
	unsigned jobs;
};

struct aggregate {
	struct profile *functions; /* of all that is in no group */
	struct profile *groups[BUILD_GROUP_COUNT];
	struct build_profile *build; /* while files are read */
	struct phase_totals phases;
	uint64_t losses[LOSS_KINDS];
	uint64_t skipped[INPUT_TREE_SKIP_COUNT];
	uint64_t file_count;  /* that were added up */
	uint64_t build_count; /* of these, into the groups */
	bool has_directory;
};

/*
 * Reads all inputs, and says what is wrong with them: of those that were named
 * each, of those below directories how many.
 *
 * Errors: said; returns an exit status; EXIT_INPUT if there is nothing to show.
 * In any case call aggregate_clear().
 */
int aggregate_run(
	struct aggregate *aggregate, const struct aggregate_options *options);
void aggregate_clear(struct aggregate *aggregate);

#endif
