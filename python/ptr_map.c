/* SPDX-License-Identifier: MIT */
#include "ptr_map.h"

#include <assert.h>
#include <stdlib.h>

static struct ptr_map_entry *place_of(
	const struct ptr_map *table, const void *first, const void *second)
{
	size_t at = ptr_map_hash(first, second) >> 32;

	for (;; at++) {
		struct ptr_map_entry *e =
			&table->entries[at & (table->size - 1)];

		if (e->first == NULL ||
			(e->first == first && e->second == second))
			return e;
	}
}

void *ptr_map_find(
	const struct ptr_map *table, const void *first, const void *second)
{
	if (table->size == 0)
		return NULL;
	return place_of(table, first, second)->value;
}

static int grow(struct ptr_map *table)
{
	struct ptr_map bigger = {
		.size = table->size == 0 ? 1024 : 2 * table->size,
		.used = table->used,
	};

	bigger.entries = calloc(bigger.size, sizeof(*bigger.entries));
	if (bigger.entries == NULL)
		return -1;
	for (size_t i = 0; i < table->size; i++) {
		struct ptr_map_entry *old = &table->entries[i];

		if (old->first != NULL)
			*place_of(&bigger, old->first, old->second) = *old;
	}
	free(table->entries);
	*table = bigger;
	return 0;
}

int ptr_map_add(struct ptr_map *table, struct ptr_map_entry entry)
{
	assert(entry.first != NULL && entry.value != NULL);
	if (2 * table->used >= table->size && grow(table) != 0)
		return -1;
	*place_of(table, entry.first, entry.second) = entry;
	table->used++;
	return 0;
}

void ptr_map_clear(struct ptr_map *table)
{
	free(table->entries);
	*table = (struct ptr_map){0};
}
