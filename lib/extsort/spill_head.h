/* SPDX-License-Identifier: MIT */
/*
 * What is before each record's bytes in a file: by how much its time is later
 * than that of the record before it in its run, its rank and its size, each in
 * as few bytes as it takes. The first byte tells how many these are. For
 * spill*.c only.
 */
#ifndef SPILL_HEAD_H
#define SPILL_HEAD_H

#include "base/packed.h"
#include "extsort/spill.h"

#define SPILL_HEAD_MAX ((size_t)1 + 2 * PACKED_MAX + 4)
/* What writing one may touch. */
#define SPILL_HEAD_ROOM (SPILL_HEAD_MAX + PACKED_MAX)

/* Three bits tell of up to eight bytes: seven are written as eight. */
static inline unsigned spill_head_code(uint64_t number)
{
	unsigned size = packed_size(number);

	return size < 7 ? size : 7;
}

static inline unsigned spill_head_bytes(unsigned code)
{
	return code + (code == 7);
}

/* The record follows one of the time `last_ns` in its run, or, with 0, none.
 * How many bytes its head takes. */
static inline size_t spill_head_write(
	uint8_t *to, int64_t last_ns, const struct spill_record *record)
{
	uint64_t later_ns = (uint64_t)record->time_ns - (uint64_t)last_ns;
	/* Ranks of either sign that are near 0 become small numbers. */
	uint64_t rank = (uint64_t)record->rank << 1 ^
			(uint64_t)(record->rank < 0 ? -1 : 0);
	unsigned time_code = spill_head_code(later_ns);
	unsigned rank_code = spill_head_code(rank);
	unsigned size_bytes = packed_size(record->size | 1);
	uint8_t *at = to;

	*at++ = (uint8_t)(time_code | rank_code << 3 | (size_bytes - 1) << 6);
	packed_write(at, later_ns);
	at += spill_head_bytes(time_code);
	packed_write(at, rank);
	at += spill_head_bytes(rank_code);
	packed_write(at, record->size);
	return (size_t)(at - to) + size_bytes;
}

/* The same way back; all but the record's bytes. */
static inline size_t spill_head_read(
	const uint8_t *from, int64_t last_ns, struct spill_record *record)
{
	unsigned time_bytes = spill_head_bytes(*from & 7);
	unsigned rank_bytes = spill_head_bytes(*from >> 3 & 7);
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
