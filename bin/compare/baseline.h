/* SPDX-License-Identifier: MIT */
/*
 * A directory with the summaries of the last runs of each branch, to compare new
 * runs with: DIRECTORY/BRANCH/NUMBER.ctpart. The numbers grow by one from 1.
 * Bytes of a branch's name that a file name could not have are %XX.
 */
#ifndef BASELINE_H
#define BASELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/arguments.h"
#include "compare/comparison.h"

struct baseline {
	const char *directory; /* NULL: no baseline */
	const char *branch;    /* NULL: "main" */
	uint32_t keep;         /* most runs of a branch; 0: 10 */
	bool save;
};

/* All options but --baseline itself, which also changes what inputs are. */
extern const struct arguments baseline_arguments;

/* Makes the runs of the branch the base of the comparison, whose inputs are the
 * new runs. A new branch has no runs. Errors: reported; returns an exit status. */
int baseline_read(
	const struct baseline *baseline, struct comparison *comparison);

/* Adds the new runs of the comparison to the branch, and removes the oldest runs.
 * Processes take turns. Errors: reported; returns an exit status. */
int baseline_save(
	const struct baseline *baseline, const struct comparison *comparison);

#endif
