/* SPDX-License-Identifier: MIT */
/*
 * Adds up many inputs: single files, or all below a directory. The result does
 * not depend on the number of parallel jobs, because sums have no order.
 */
#ifndef AGGREGATE_H
#define AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "compilers/build_profile.h"
#include "input/inputs.h"
#include "operators/averages.h"
#include "input/phase_threads.h"
#include "profile/profile.h"
#include "profile/replay.h"
#include "summary/summary.h"
#include "input/input_tree.h"

struct aggregate_options {
	const struct inputs *inputs;
	struct replay_options replay; /* for profiles of functions */
	const struct averages_options
		*ops; /* unless NULL, operations instead of functions */
	/* Bits of enum build_group: sums of compilers' traces; 0: by function,
	 * like all others. */
	uint32_t groups;
	/* Rules of phases. NULL: the built-in ones, as in summaries. */
	const struct phase_sets *phases;
	bool by_thread; /* keep the phases of each thread, too */
	/* Also everything else that a summary has. */
	bool whole;
	/* Instead of functions and groups, the section of this name, which has
	 * a collector, and the inputs. NULL: none. */
	const char *section;
	/* Only one of `shard_count` parts of the inputs; 0: all. */
	unsigned shard;
	unsigned shard_count;
	bool allows_repeats; /* an input may be in several summaries */
	bool sums_repeats;   /* or a file, but not a summary, given twice */
	/* Number of traces to read at a time; 0: one per processor. */
	unsigned jobs;
};

struct aggregate {
	/* Everything of summaries that is not below. */
	struct summary *summary;
	bool refused; /* inputs are summaries that do not go together */
	struct profile *functions; /* everything outside of groups */
	struct profile *groups[BUILD_GROUP_COUNT];
	struct build_profile *build;  /* during reading */
	struct phase_threads threads; /* unless their phases are not kept */
	uint64_t losses[LOSS_KINDS];
	/* The losses of the last input, without those of its replay. */
	uint64_t read_losses[LOSS_KINDS];
	uint64_t skipped[INPUT_TREE_SKIP_COUNT];
	uint64_t file_count;  /* files added up */
	uint64_t build_count; /* of these, in the groups */
	bool has_directory;
};

/* How this process takes part in the sums of several. */
struct aggregate_team {
	/* Reads all inputs in place of aggregate_read(). In the process that
	 * has the result, `tree` has all inputs before and afterwards. Errors:
	 * reported; returns an exit status. */
	int (*run)(struct aggregate *sums,
		const struct aggregate_options *options,
		struct input_tree *tree);
	bool finds_inputs; /* otherwise another process does */
	/* Threads of this process, unless --jobs is given; 0: as usual. */
	unsigned jobs;
	/* The next input for aggregate_read(), after one with this exit status;
	 * tree->count at the end. Threads: called by several. */
	size_t (*next)(int status);
};

/* Sets the team of this process, before any sum. */
void aggregate_set_team(const struct aggregate_team *team);
bool aggregate_has_team(void);

/*
 * Reads all inputs and reports problems: individually for named files, as
 * counts for files below directories.
 *
 * Errors: reported; returns an exit status; EXIT_INPUT if there is nothing to
 * show. Call aggregate_clear() in any case.
 */
int aggregate_run(
	struct aggregate *aggregate, const struct aggregate_options *options);
void aggregate_clear(struct aggregate *aggregate);

/* Empty sums. False if out of memory; call aggregate_clear() in any case. */
bool aggregate_init(
	struct aggregate *aggregate, const struct aggregate_options *options);

/* Adds the inputs of the tree to new sums. Errors: reported; returns an exit
 * status. */
int aggregate_read(struct aggregate *aggregate,
	const struct aggregate_options *options, const struct input_tree *tree);

/* Adds a profile of functions, with or without its call paths, and frees it.
 * Errors: CTP_ERR_NOMEM. */
enum ctp_status aggregate_add_profile(struct aggregate *sums,
	struct profile *profile, bool with_paths, struct ctp_error *err);

#endif
