/* SPDX-License-Identifier: MIT */
/* A hash table from a pair of pointers to a pointer; it only grows. */
#ifndef PYTHON_POINTERS_H
#define PYTHON_POINTERS_H

#include <stddef.h>

struct table_entry {
	const void *first; /* NULL: free */
	const void *second;
	void *value;
};

struct table {
	struct table_entry *entries;
	size_t size; /* a power of two, or 0 */
	size_t used;
};

/* A number for the pair whose low bits are well mixed. */
static inline size_t table_hash(const void *first, const void *second)
{
	size_t a = (size_t)first, b = (size_t)second;

	/* Objects lie 16 bytes apart, instructions 2. */
	return (a >> 4) * 31 + (a >> 12) + (b >> 1) + (b >> 9) * 7;
}

/* The pair's value; NULL if it has none. */
void *table_find(
	const struct table *table, const void *first, const void *second);

/* Gives the pair, which must have none, a value. -1 if out of memory. */
int table_add(struct table *table, struct table_entry entry);

/* Forgets all pairs; the values are the caller's. */
void table_clear(struct table *table);

#endif
