/* SPDX-License-Identifier: MIT */
/*
 * Tags of function addresses: one table for the process, read without a lock.
 * Addresses are added and never removed; the tag of one may change. The table
 * grows by replacing it with a larger copy; the old one stays readable for
 * concurrent readers.
 */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"

/*
 * Tags: 0: unknown; FUNCTION_EXCLUDED: not recorded; from FUNCTION_TAG on: the
 * bits of a record above its ticks; others: numbers of sites too large for
 * that, plus FUNCTION_NUMBER.
 */
#define FUNCTION_EXCLUDED UINT64_C(1)
#define FUNCTION_NUMBER UINT64_C(2)
#define FUNCTION_TAG (UINT64_C(1) << CTP_TICK_BITS)

struct function_slot {
	uintptr_t address; /* 0: free */
	uint64_t tag;
};

struct function_table {
	uint32_t shift; /* reduces a hash to an index */
	uint32_t mask;  /* size - 1 */
	uint32_t count;
	struct function_slot slots[];
};

extern struct function_table *function_table;

static inline uintptr_t function_hash(
	const struct function_table *table, uintptr_t address)
{
	return (address * UINT64_C(0x9e3779b97f4a7c15)) >> table->shift;
}

/* The address's tag; 0 if it is not in the table. Any thread, no lock. */
static inline uint64_t function_tag(uintptr_t address)
{
	const struct function_table *table =
		__atomic_load_n(&function_table, __ATOMIC_ACQUIRE);
	uintptr_t at = function_hash(table, address);

	for (;; at = (at + 1) & table->mask) {
		const struct function_slot *slot = &table->slots[at];
		uintptr_t found =
			__atomic_load_n(&slot->address, __ATOMIC_ACQUIRE);

		if (__builtin_expect(found == address, 1))
			return __atomic_load_n(&slot->tag, __ATOMIC_RELAXED);
		if (found == 0)
			return 0;
	}
}

/* Sets the address's tag; false if out of memory. The caller holds a lock. */
bool function_set(uintptr_t address, uint64_t tag);

/* Makes all addresses from `first` to `last` unknown again. The caller holds a
 * lock. */
void function_forget(uintptr_t first, uintptr_t last);

#endif
