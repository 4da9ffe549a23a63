/* SPDX-License-Identifier: MIT */
/* A hash table from keys of a few words to numbers. */
#ifndef GPU_TABLE_H
#define GPU_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_table {
	size_t key_words;
	size_t room; /* a power of two; 0 at first */
	size_t used;
	uint64_t *slots; /* each the key's words and the value */
};

/* clang-format off */
#define GPU_TABLE_INIT(words) { .key_words = (words) }
/* clang-format on */

/* The key's value; 0 if it is not there. */
uint64_t gpu_table_find(const struct gpu_table *table, const void *key);

/* Sets the key's value, which is not 0. False if there is no memory. */
bool gpu_table_set(struct gpu_table *table, const void *key, uint64_t value);

/* Forgets all keys, and gives the memory back. */
void gpu_table_clear(struct gpu_table *table);

#endif
