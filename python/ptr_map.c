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

/* Moves entries back into the free place, so that none is behind a free one. */
static void close_gap(struct ptr_map *table, size_t gap)
{
	size_t mask = table->size - 1;

	for (size_t at = (gap + 1) & mask; table->entries[at].first != NULL;
		at = (at + 1) & mask) {
		const struct ptr_map_entry *entry = &table->entries[at];
		size_t home = ptr_map_hash(entry->first, entry->second) >> 32;

		if (((at - home) & mask) < ((at - gap) & mask))
			continue;
		table->entries[gap] = *entry;
		gap = at;
	}
	table->entries[gap] = (struct ptr_map_entry){0};
}

void *ptr_map_remove(
	struct ptr_map *table, const void *first, const void *second)
{
	struct ptr_map_entry *entry;
	void *value;

	if (table->size == 0)
		return NULL;
	entry = place_of(table, first, second);
	value = entry->value;
	if (value == NULL)
		return NULL;
	close_gap(table, (size_t)(entry - table->entries));
	table->used--;
	return value;
}

void ptr_map_clear(struct ptr_map *table)
{
	free(table->entries);
	*table = (struct ptr_map){0};
}
