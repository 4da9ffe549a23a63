/* SPDX-License-Identifier: MIT */
/*
 * Runs: sorted records in a file, one behind the other, and the merge of
 * several of them, with a part of the memory for each. For extsort.c only.
 */
#ifndef RUNS_H
#define RUNS_H

#include <stdbool.h>

#include "base/packed.h"
#include "extsort/extsort.h"
#include "extsort/temp_file.h"

/* Each record in memory, its rank and its bytes, is at a multiple of this. */
#define EXTSORT_ALIGN ((size_t)8)

/* A run's part of the memory is at least so large. */
#define RUN_MERGE_PART ((size_t)32 << 10)

struct extsort_run {
	uint64_t begin;
	uint64_t end;
	bool single; /* one record, which may be larger than the memory */
};

struct run_merge {
	/* These four are set before run_merge_init(), and borrowed. */
	const struct temp_file *file;
	uint8_t *memory;
	size_t memory_bytes;
	bool reversed; /* of one time and rank, those of later runs first */

	struct extsort_part *parts;
	struct extsort_key *heap; /* the least key is at [0] */
	size_t heap_count;
	size_t room;    /* of each part */
	bool taken;     /* the record of heap[0] was given out */
	uint8_t *large; /* a record that is larger than its part */
	size_t large_room;
};

/* Begins with `count` runs in their order of adding, at most as many as the
 * memory has parts. Call run_merge_clear() in either case. Errors:
 * CTP_ERR_IO, CTP_ERR_NOMEM. */
enum ctp_status run_merge_init(struct run_merge *merge,
	const struct extsort_run *runs, size_t count, struct ctp_error *err);
void run_merge_clear(struct run_merge *merge);

/* Like extsort_next(). */
enum ctp_status run_merge_next(struct run_merge *merge,
	struct extsort_record *out, struct ctp_error *err);

/*
 * The head of each record in a file: by how much its time is later than that of
 * the record before it in its run, its rank and its size, each in as few bytes
 * as it takes. The first byte tells how many these are.
 */
#define RUN_HEAD_MAX ((size_t)1 + 2 * PACKED_MAX + 4)
/* What writing one may touch. */
#define RUN_HEAD_ROOM (RUN_HEAD_MAX + PACKED_MAX)

/* Three bits tell of up to eight bytes: seven are written as eight. */
static inline unsigned run_head_code(uint64_t number)
{
	unsigned size = packed_size(number);

	return size < 7 ? size : 7;
}

static inline unsigned run_head_bytes(unsigned code)
{
	return code + (code == 7);
}

/* The record follows one of the time `last_ns` in its run, or, with 0, none.
 * How many bytes its head takes. */
static inline size_t run_head_write(
	uint8_t *to, int64_t last_ns, const struct extsort_record *record)
{
	uint64_t later_ns = (uint64_t)record->time_ns - (uint64_t)last_ns;
	/* Ranks of either sign that are near 0 become small numbers. */
	uint64_t rank = (uint64_t)record->rank << 1 ^
			(uint64_t)(record->rank < 0 ? -1 : 0);
	unsigned time_code = run_head_code(later_ns);
	unsigned rank_code = run_head_code(rank);
	unsigned size_bytes = packed_size(record->size | 1);
	uint8_t *at = to;

	*at++ = (uint8_t)(time_code | rank_code << 3 | (size_bytes - 1) << 6);
	packed_write(at, later_ns);
	at += run_head_bytes(time_code);
	packed_write(at, rank);
	at += run_head_bytes(rank_code);
	packed_write(at, record->size);
	return (size_t)(at - to) + size_bytes;
}

/* The same way back; all but the record's bytes. */
static inline size_t run_head_read(
	const uint8_t *from, int64_t last_ns, struct extsort_record *record)
{
	unsigned time_bytes = run_head_bytes(*from & 7);
	unsigned rank_bytes = run_head_bytes(*from >> 3 & 7);
	unsigned size_bytes = (unsigned)(*from >> 6) + 1;
	const uint8_t *at = from + 1 + time_bytes;
	uint64_t rank;

	record->time_ns =
		(int64_t)((uint64_t)last_ns + packed_read(at, time_bytes));
	at += rank_bytes;
	rank = packed_read(at, rank_bytes);
	record->rank = (int64_t)(rank >> 1 ^ -(rank & 1));
	at += size_bytes;
	record->size = (size_t)packed_read(at, size_bytes);
	return (size_t)(at - from);
}

#endif
