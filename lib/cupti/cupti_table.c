/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/stable_hash.h"

#define LEAST_ROOM 64

static size_t key_bytes(const struct cupti_table *table)
{
	return table->key_words * sizeof(uint64_t);
}

/* The key's slot, or the empty one for it, which always exists. */
static uint64_t *slot_of(const struct cupti_table *table, const void *key)
{
	size_t width = table->key_words + 1;
	size_t at = (size_t)stable_hash(key, key_bytes(table));

	for (;; at++) {
		uint64_t *slot =
			table->slots + (at & (table->room - 1)) * width;

		if (slot[table->key_words] == 0 ||
			memcmp(slot, key, key_bytes(table)) == 0)
			return slot;
	}
}

uint64_t cupti_table_find(const struct cupti_table *table, const void *key)
{
	return table->room == 0 ? 0 : slot_of(table, key)[table->key_words];
}

static bool grow(struct cupti_table *table)
{
	const size_t width = table->key_words + 1;
	struct cupti_table larger = {.key_words = table->key_words,
		.room = table->room == 0 ? LEAST_ROOM : table->room * 2,
		.used = table->used};

	larger.slots = calloc(larger.room, width * sizeof(uint64_t));
	if (larger.slots == NULL)
		return false;
	for (size_t i = 0; i < table->room; i++) {
		const uint64_t *slot = table->slots + i * width;

		if (slot[table->key_words] != 0)
			memcpy(slot_of(&larger, slot), slot,
				width * sizeof(uint64_t));
	}
	free(table->slots);
	*table = larger;
	return true;
}

bool cupti_table_set(struct cupti_table *table, const void *key, uint64_t value)
{
	uint64_t *slot;

	assert(value != 0);
	if (table->used >= table->room / 2 && !grow(table))
		return false;
	slot = slot_of(table, key);
	if (slot[table->key_words] == 0) {
		memcpy(slot, key, key_bytes(table));
		table->used++;
	}
	slot[table->key_words] = value;
	return true;
}

void cupti_table_clear(struct cupti_table *table)
{
	free(table->slots);
	table->slots = NULL;
	table->room = 0;
	table->used = 0;
}
