/* SPDX-License-Identifier: MIT */
/* Takes the records of several sorted runs in a file in order, with a part of
 * the memory for each. For spill*.c only. */
#ifndef SPILL_MERGE_H
#define SPILL_MERGE_H

#include <stdbool.h>

#include "extsort/spill_file.h"
#include "extsort/spill_order.h"

/* A run's part of the memory is at least so large. */
#define SPILL_MERGE_PART ((size_t)32 << 10)

struct spill_run {
	uint64_t begin;
	uint64_t end;
	bool single; /* one record, which may be larger than the memory */
};

struct spill_merge {
	/* These four are set before spill_merge_init(), and borrowed. */
	const struct spill_file *file;
	uint8_t *memory;
	size_t memory_bytes;
	bool reversed; /* of one time and rank, those of later runs first */

	struct spill_part *parts;
	struct spill_key *heap; /* the least key is at [0] */
	size_t heap_count;
	size_t room;    /* of each part */
	bool taken;     /* the record of heap[0] was given out */
	uint8_t *large; /* a record that is larger than its part */
	size_t large_room;
};

/* Begins with `count` runs in their order of adding, at most as many as the
 * memory has parts. Call spill_merge_clear() in either case. Errors:
 * CTP_ERR_IO, CTP_ERR_NOMEM. */
enum ctp_status spill_merge_init(struct spill_merge *merge,
	const struct spill_run *runs, size_t count, struct ctp_error *err);
void spill_merge_clear(struct spill_merge *merge);

/* Like spill_next(). */
enum ctp_status spill_merge_next(struct spill_merge *merge,
	struct spill_record *out, struct ctp_error *err);

#endif
