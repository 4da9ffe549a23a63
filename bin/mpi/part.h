/* SPDX-License-Identifier: MIT */
/* The sums of one of several processes as bytes: see part_sums.h. */
#ifndef PART_H
#define PART_H

#include "base/buffer.h"
#include "input/aggregate.h"
#include "summary/part_sums.h"

/* Appends the sums, which are used up, of `part->files`, with `part->status`.
 * Errors: reported; returns an exit status. */
int part_write(
	struct part_sums *part, struct aggregate *sums, struct buffer *out);

/* Sets which files of the tree are in the part, from numbers. False if out of
 * memory. */
bool part_set_files(struct part_sums *part, const struct input_tree *tree,
	const size_t *numbers, size_t count);

/* Adds the sums, and sets which files of the tree are not traces. Errors:
 * reported for `name`, which may be NULL; returns an exit status, the worst with
 * that of the part. */
int part_add(struct part_sums *part, const char *name, struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree);

/* Reads bytes that another process has written, and adds the sums. Errors:
 * likewise. */
int part_add_bytes(const struct buffer *bytes, struct aggregate *sums,
	const struct aggregate_options *options, struct input_tree *tree);

#endif
