/* SPDX-License-Identifier: MIT */
/*
 * Sums of parts of a job's inputs, in files of a directory, with which a later
 * job continues this one.
 */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "base/buffer.h"
#include "input/aggregate.h"

struct checkpoint {
	const char *directory; /* NULL: none */
	bool resumes;          /* there is one */
	/* Numbers of the job and of this attempt, the same in all processes. */
	uint64_t job;
	uint64_t attempt;
	uint64_t part_count; /* written by this process */
};

/*
 * Begins a checkpoint, or finds the one that the job continues. Only one process
 * does so, and gives others `job` and `attempt`.
 *
 * Errors: reported; returns an exit status. A checkpoint that was made with other
 * options or inputs is refused.
 */
int checkpoint_open(struct checkpoint *checkpoint,
	const struct aggregate_options *options, const struct input_tree *tree);

/* Adds the parts of earlier attempts, except damaged ones, and sets which inputs
 * are in them. Errors: reported; returns an exit status, the worst of the
 * parts. */
int checkpoint_resume(const struct checkpoint *checkpoint,
	struct aggregate *sums, const struct aggregate_options *options,
	struct input_tree *tree, bool *done);

/* Writes a part of process `number`, bytes of part_sums.h. Errors: reported; the
 * job goes on without it. */
void checkpoint_keep(struct checkpoint *checkpoint, unsigned number,
	const struct buffer *part);

#endif
