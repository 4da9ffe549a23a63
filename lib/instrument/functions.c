/* SPDX-License-Identifier: MIT */
#include "instrument/functions.h"

#include <stddef.h>
#include <sys/mman.h>

/* Pages of a table are not touched before they are used. */
#define FIRST_BITS 12
#define MOST_BITS 26

/* A table without room: the first address replaces it. */
static struct function_table nothing = {
	.shift = 63, .mask = 1, .slots = {{0, 0}, {0, 0}}};

struct function_table *function_table = &nothing;

static struct function_table *make(uint32_t bits)
{
	size_t size = (size_t)1 << bits;
	struct function_table *table = mmap(NULL,
		sizeof(*table) + size * sizeof(table->slots[0]),
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (table == MAP_FAILED)
		return NULL;
	table->shift = 64 - bits;
	table->mask = (uint32_t)size - 1;
	return table;
}

static struct function_slot *find(
	struct function_table *table, uintptr_t address)
{
	uintptr_t at = function_hash(table, address);

	while (table->slots[at].address != 0 &&
		table->slots[at].address != address)
		at = (at + 1) & table->mask;
	return &table->slots[at];
}

/* Stores the tag before the address: a thread that sees the address sees the
 * tag, or a later one. The registry defines the tag and orders its own stores
 * before. */
static void fill(struct function_table *table, struct function_slot *slot,
	uintptr_t address, uint64_t tag)
{
	__atomic_store_n(&slot->tag, tag, __ATOMIC_RELAXED);
	if (slot->address == 0) {
		__atomic_store_n(&slot->address, address, __ATOMIC_RELEASE);
		table->count++;
	}
}

static bool grow(void)
{
	struct function_table *old = function_table;
	bool first = old == &nothing;
	uint32_t bits = first ? FIRST_BITS : 64 - old->shift + 1;
	struct function_table *table = bits > MOST_BITS ? NULL : make(bits);

	if (table == NULL)
		return false;
	for (uint32_t i = 0; !first && i <= old->mask; i++) {
		const struct function_slot *slot = &old->slots[i];

		if (slot->address != 0)
			fill(table, find(table, slot->address), slot->address,
				slot->tag);
	}
	__atomic_store_n(&function_table, table, __ATOMIC_RELEASE);
	return true;
}

bool function_set(uintptr_t address, uint64_t tag)
{
	struct function_table *table = function_table;
	struct function_slot *slot = find(table, address);

	if (slot->address == 0 && table->count >= table->mask / 2) {
		if (!grow())
			return false;
		table = function_table;
		slot = find(table, address);
	}
	fill(table, slot, address, tag);
	return true;
}

void function_forget(uintptr_t first, uintptr_t last)
{
	struct function_table *table = function_table;

	for (uint32_t i = 0; i <= table->mask; i++)
		if (table->slots[i].address >= first &&
			table->slots[i].address <= last)
			__atomic_store_n(
				&table->slots[i].tag, 0, __ATOMIC_RELAXED);
}
