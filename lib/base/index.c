/* SPDX-License-Identifier: MIT */
#include "base/index.h"

#include "base/memory.h"

#define FIRST_SIZE 64U

void index_add(struct index *index, uint64_t hash, uint32_t number)
{
	uint32_t slot = index_first(index, hash);

	while (index->entries[slot] != 0)
		slot = index_after(index, slot);
	index_set(index, slot, hash, number);
}

bool index_grow(struct index *index, uint32_t count)
{
	struct index old = *index;
	uint32_t size = old.size == 0 ? FIRST_SIZE / 2 : old.size;
	uint64_t *entries;

	do {
		if (size > UINT32_MAX / 4)
			return false;
		size *= 2;
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
