/* SPDX-License-Identifier: MIT */
/* A hash table from keys of a few words to numbers. */
#ifndef CUPTI_TABLE_H
#define CUPTI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cupti_table {
	size_t key_words;
	size_t room; /* a power of two; 0 at first */
	size_t used;
	uint64_t *slots; /* each the key's words and the value */
};

/* clang-format off */
#define CUPTI_TABLE_INIT(words) { .key_words = (words) }
/* clang-format on */

/* The key's value; 0 if it is missing. */
uint64_t cupti_table_find(const struct cupti_table *table, const void *key);

/* Sets the key's value, which is not 0. False if out of memory. */
bool cupti_table_set(
	struct cupti_table *table, const void *key, uint64_t value);

/* Removes all keys and frees the memory. */
void cupti_table_clear(struct cupti_table *table);

#endif
