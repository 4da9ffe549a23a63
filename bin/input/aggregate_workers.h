/* SPDX-License-Identifier: MIT */
/* The threads that read the inputs of aggregate.h. */
#ifndef AGGREGATE_WORKERS_H
#define AGGREGATE_WORKERS_H

#include <stdbool.h>

#include "input/aggregate.h"

/* Context for reading inputs into sums. */
struct aggregate_work {
	const struct aggregate_options *options;
	const struct input_tree *tree;
	bool shows_progress;    /* of a single file */
	struct aggregate *sums; /* private to the thread */
};

/* Adds a file. Problems of a named one are reported; those of a found one are
 * counted. Returns an exit status. */
int aggregate_read_file(
	const struct aggregate_work *work, struct input_tree_file *file);

/* NULL: this process is alone. */
const struct aggregate_team *aggregate_find_team(void);

#endif
