/* SPDX-License-Identifier: MIT */
/* The records that are in memory, and their order. For spill*.c only. */
#ifndef SPILL_ORDER_H
#define SPILL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "extsort/spill.h"

/* Each record in memory, its rank and its bytes, is at a multiple of this. */
#define SPILL_ALIGN ((size_t)8)

/* One record of those in memory. */
struct spill_entry {
	int64_t time_ns;
	uint32_t at; /* where its rank is, in units of SPILL_ALIGN */
	uint32_t size;
};

struct spill_order {
	const uint8_t *bytes;
	bool reversed; /* of one time and rank, the later comes first */
	struct spill_entry *entries;
	struct spill_entry *scratch; /* room for half of the entries */
};

/* What a record takes of the memory beside its entry. */
static inline size_t spill_order_whole(size_t size)
{
	return sizeof(int64_t) +
	       ((size + SPILL_ALIGN - 1) & ~(SPILL_ALIGN - 1));
}

/* The entry's record in this memory. */
static inline struct spill_record spill_order_record(
	const uint8_t *memory, const struct spill_entry *entry)
{
	const uint8_t *at = memory + entry->at * SPILL_ALIGN;
	struct spill_record record = {.time_ns = entry->time_ns,
		.bytes = at + sizeof(record.rank),
		.size = entry->size};

	memcpy(&record.rank, at, sizeof(record.rank));
	return record;
}

/* Sorts `count` entries, the last added first, by time, rank and place. It is
 * linear in their number where they are a few sorted runs one behind the other,
 * as they mostly are. */
void spill_order_sort(const struct spill_order *order, size_t count);

#endif
