/* SPDX-License-Identifier: MIT */
#include "base/index.h"

#include <string.h>

#include "base/memory.h"

#define FIRST_SIZE 64U
/* Smaller tables, of which an input has many, grow faster. */
#define SMALL_SIZE 4096U

void index_add(struct index *index, uint64_t hash, uint32_t number)
{
	uint32_t slot = index_first(index, hash);

	while (index->entries[slot] != 0)
		slot = index_after(index, slot);
	index_set(index, slot, hash, number);
}

/* Items that were put behind the slot because it was not free move up, so that
 * a search never ends too early. */
void index_remove(struct index *index, uint32_t slot)
{
	const uint32_t mask = index->size - 1;
	uint32_t next = slot;

	for (;;) {
		uint64_t entry;
		uint32_t first;

		next = index_after(index, next);
		entry = index->entries[next];
		if (entry == 0)
			break;
		first = index_first(index, entry);
		if (((next - first) & mask) < ((next - slot) & mask))
			continue; /* its search begins after the gap */
		index->entries[slot] = entry;
		slot = next;
	}
	index->entries[slot] = 0;
}

void index_clear(struct index *index)
{
	if (index->size > 0)
		memset(index->entries, 0,
			index->size * sizeof(*index->entries));
}

bool index_grow(struct index *index, uint32_t count)
{
	struct index old = *index;
	uint32_t size = old.size == 0 ? FIRST_SIZE / 4 : old.size;
	uint64_t *entries;

	do {
		if (size > UINT32_MAX / 4)
			return false;
		size *= size < SMALL_SIZE ? 4 : 2;
	} while (count >= size / 2);
	entries = memory_new_zeroed(size, sizeof(*entries));
	if (entries == NULL)
		return false;
	*index = (struct index){entries, size};
	for (uint32_t i = 0; i < old.size; i++)
		if (old.entries[i] != 0)
			index_add(index, old.entries[i],
				(uint32_t)old.entries[i] - 1);
	memory_free(old.entries);
	return true;
}
