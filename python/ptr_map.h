/* SPDX-License-Identifier: MIT */
/* A hash table from a pair of pointers to a pointer. */
#ifndef PYTHON_PTR_MAP_H
#define PYTHON_PTR_MAP_H

#include <stddef.h>
#include <stdint.h>

struct ptr_map_entry {
	const void *first; /* NULL: free */
	const void *second;
	void *value;
};

struct ptr_map {
	struct ptr_map_entry *entries;
	size_t size; /* a power of two, or 0 */
	size_t used;
};

/* A hash of the pair whose upper bits are well mixed. Source: the multipliers
 * are from Knuth's multiplicative hashing. */
static inline uint64_t ptr_map_hash(const void *first, const void *second)
{
	uint64_t a = (uintptr_t)first, b = (uintptr_t)second;

	return (a ^ b * 0xd6e8feb86659fd93) * 0x9e3779b97f4a7c15;
}

/* The pair's value; NULL if it is not in the map. */
void *ptr_map_find(
	const struct ptr_map *table, const void *first, const void *second);

/* Adds a value for the pair, which must not be in the map. -1 if out of
 * memory. */
int ptr_map_add(struct ptr_map *table, struct ptr_map_entry entry);

/* Removes the pair, and returns its value; NULL if it is not in the map. */
void *ptr_map_remove(
	struct ptr_map *table, const void *first, const void *second);

/* Removes all pairs; the values belong to the caller. */
void ptr_map_clear(struct ptr_map *table);

#endif
