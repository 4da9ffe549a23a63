/* SPDX-License-Identifier: MIT */
/* The records that are in memory, and their order. For spill*.c only. */
#ifndef SPILL_ORDER_H
#define SPILL_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records lie in memory as they do in a file, each at a multiple of this. */
#define SPILL_ALIGN ((size_t)8)

/* Before each record's bytes. */
struct spill_head {
	int64_t time_ns;
	uint64_t rank;
	uint64_t size; /* of the bytes; they are padded to SPILL_ALIGN */
};

/* One record of those in memory. */
struct spill_entry {
	int64_t time_ns;
	uint32_t at; /* where its head is, in units of SPILL_ALIGN */
};

struct spill_order {
	const uint8_t *bytes;
	bool reversed; /* of one time and rank, the later comes first */
	struct spill_entry *entries;
	struct spill_entry *scratch; /* room for half of the entries */
};

/* What a record takes with its head and the padding. */
static inline size_t spill_head_whole(const struct spill_head *head)
{
	return sizeof(*head) +
	       (size_t)((head->size + SPILL_ALIGN - 1) & ~(SPILL_ALIGN - 1));
}

/* The entry's head. */
const struct spill_head *spill_order_head(
	const struct spill_order *order, const struct spill_entry *entry);

/* Sorts `count` entries, the last added first, by time, rank and place. It is
 * linear in their number where they are a few sorted runs one behind the other,
 * as they mostly are. */
void spill_order_sort(const struct spill_order *order, size_t count);

#endif
