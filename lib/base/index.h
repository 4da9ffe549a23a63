/* SPDX-License-Identifier: MIT */
/*
 * A hash table of array indexes, by the hashes (hash.h) of the items' keys.
 * Open addressing with linear probing, at most half full.
 *
 * An entry is the upper half of the hash and the number + 1, so that a probe
 * rarely needs the item itself. The highest bits determine its slot, so that
 * entries keep their order, and nearly their place in memory, when the table
 * grows. Slots differ between runs, but only growth iterates over a table, so
 * no output depends on them.
 *
 * It is for the tools. Code in the recorded program has tables of its own:
 * some are read without a lock, and the memory of none is limited by memory.h.
 */
#ifndef INDEX_H
#define INDEX_H

#include <stdbool.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

/* All zero is an empty table; free `entries` with memory_free(). */
struct index {
	uint64_t *entries;
	uint32_t size;
};

/* The slow path of index_reserve(). */
bool index_grow(struct index *index, uint32_t count);

/* Makes room for one more than `count` items. False, with nothing changed, if
 * out of memory. */
static inline bool index_reserve(struct index *index, uint32_t count)
{
	return count < index->size / 2 || index_grow(index, count);
}

/* The first slot of a search for a hash. */
static inline uint32_t index_first(const struct index *index, uint64_t hash)
{
	return (uint32_t)((hash >> 32) * index->size >> 32);
}

static inline uint32_t index_after(const struct index *index, uint32_t slot)
{
	return (slot + 1) & (index->size - 1);
}

/* The next item from *slot on that may have this hash; INDEX_NONE if there is
 * none; *slot is free then. */
static inline uint32_t index_find(
	const struct index *index, uint64_t hash, uint32_t *slot)
{
	uint64_t entry;

	while ((entry = index->entries[*slot]) != 0) {
		if (entry >> 32 == hash >> 32)
			return (uint32_t)entry - 1;
		*slot = index_after(index, *slot);
	}
	return INDEX_NONE;
}

/* Fills a free slot, or replaces the item of one. */
static inline void index_set(
	struct index *index, uint32_t slot, uint64_t hash, uint32_t number)
{
	index->entries[slot] = (hash >> 32) << 32 | (number + 1);
}

/* Adds a new item, for which there must be room. */
void index_add(struct index *index, uint64_t hash, uint32_t number);

/* Frees a slot, which has an item. Others may move to other slots. */
void index_remove(struct index *index, uint32_t slot);

/* Frees all slots, and keeps the memory. */
void index_clear(struct index *index);

#endif
