/* SPDX-License-Identifier: MIT */
/*
 * The sums of a part of the inputs as bytes, for another process or for a
 * checkpoint: numbers of 8 bytes, little-endian, and a summary.
 */
#ifndef PART_SUMS_H
#define PART_SUMS_H

#include "base/buffer.h"
#include "input/aggregate.h"

struct part_sums {
	int status;   /* of reading */
	bool refused; /* see struct aggregate */
	/* Inputs in the part, by their number in the tree. */
	size_t *numbers;
	size_t count;
	struct summary *summary; /* NULL: not read yet */
};

/* Appends the sums, which are used up, of these inputs. Errors: CTP_ERR_NOMEM,
 * CTP_ERR_LIMIT. */
enum ctp_status part_sums_write(const struct part_sums *part,
	struct aggregate *sums, const struct input_tree *tree,
	struct buffer *out, struct ctp_error *err);

/*
 * Reads bytes from anywhere, and sets which files of the tree are not traces.
 *
 * Errors: CTP_ERR_FORMAT, CTP_ERR_UNSUPPORTED, CTP_ERR_NOMEM; nothing was set.
 * Ownership: call part_sums_clear() in any case.
 */
enum ctp_status part_sums_read(struct part_sums *part,
	const struct buffer *bytes, struct input_tree *tree,
	struct ctp_error *err);

/* Adds what was read, once. Errors: those of aggregate_add_part(). */
enum ctp_status part_sums_add(struct part_sums *part, struct aggregate *sums,
	const struct aggregate_options *options, struct ctp_error *err);

void part_sums_clear(struct part_sums *part);

#endif
