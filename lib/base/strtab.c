/* SPDX-License-Identifier: MIT */
/*
 * Interned strings. Text is in blocks that never move, so that addresses stay
 * valid.
 */
#include "base/strtab.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/memory.h"
#include "base/utf8.h"

/* An input has many tables, most of which stay nearly empty: their first block is
 * small, and they have no cache. */
#define FIRST_BYTES ((size_t)512)
#define BLOCK_BYTES ((size_t)64 * 1024)
/* Size of the cache; most strings are among the recent ones. */
#define RECENT 2048
#define RECENT_FROM 16 /* strings of a table with a cache */

struct block {
	struct block *next;
	size_t used;
	size_t room;
	char text[];
};

struct entry {
	const char *text;
	size_t size;
};

/* The displayed form of text with zero bytes. */
struct shown {
	uint32_t number;
	const char *text;
};

struct strtab {
	struct block *blocks;
	struct entry *entries;
	uint32_t count;
	uint32_t room;
	/* The upper half of the hash, and the entry's number + 1; 0: free. */
	struct index index;
	uint32_t *recent;    /* entry numbers, including 0; NULL: no cache */
	struct shown *shown; /* by number; few, if any */
	uint32_t shown_count;
	uint32_t shown_room;
	bool shows_zeros;
};

struct strtab *strtab_new(void)
{
	struct strtab *table = memory_new_zeroed(1, sizeof(*table));

	if (table != NULL && strtab_add(table, "", 0) == STRTAB_NONE) {
		strtab_free(table);
		return NULL;
	}
	return table;
}

void strtab_show_zeros(struct strtab *table)
{
	table->shows_zeros = true;
}

void strtab_free(struct strtab *table)
{
	if (table == NULL)
		return;
	while (table->blocks != NULL) {
		struct block *block = table->blocks;

		table->blocks = block->next;
		memory_free(block);
	}
	memory_free(table->entries);
	memory_free(table->index.entries);
	memory_free(table->shown);
	memory_free(table->recent);
	memory_free(table);
}

/* Copies the text, followed by a zero byte, to permanent memory. */
static const char *store(struct strtab *table, const char *text, size_t size)
{
	struct block *block = table->blocks;
	char *copy;

	if (block == NULL || size >= block->room - block->used) {
		size_t usual = block == NULL ? FIRST_BYTES : BLOCK_BYTES;
		size_t room = size >= usual ? size + 1 : usual;

		if (size > SIZE_MAX - sizeof(*block) - 1)
			return NULL;
		block = memory_new(sizeof(*block) + room);
		if (block == NULL)
			return NULL;
		block->next = table->blocks;
		block->used = 0;
		block->room = room;
		table->blocks = block;
	}
	copy = block->text + block->used;
	if (size > 0)
		memcpy(copy, text, size);
	copy[size] = '\0';
	block->used += size + 1;
	return copy;
}

/* Also stores the displayed form of a text with zero bytes, which is the next
 * entry's. False if out of memory. */
static bool store_shown(struct strtab *table, const char *text, size_t size)
{
	struct buffer words = BUFFER_INIT;
	struct shown shown = {.number = table->count};

	utf8_add_nonzero(&words, text, size);
	if (!words.failed)
		shown.text =
			store(table, (const char *)words.bytes, words.used);
	buffer_clear(&words);
	if (shown.text == NULL ||
		!array_reserve32(&table->shown, table->shown_count,
			&table->shown_room, sizeof(*table->shown)))
		return false;
	table->shown[table->shown_count++] = shown;
	return true;
}

static int grow_entries(struct strtab *table)
{
	uint32_t room = table->room == 0 ? 64 : table->room * 2;
	struct entry *entries;

	entries = memory_resize(table->entries, room * sizeof(*entries));
	if (entries == NULL)
		return -1;
	table->entries = entries;
	table->room = room;
	return 0;
}

static uint64_t load(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return word;
}

/* The cache slot of a string, by its ends, which distinguish most strings. */
static uint32_t *recent_place(
	struct strtab *table, const char *text, size_t size)
{
	uint64_t ends = size;

	if (size >= sizeof(ends))
		ends += load(text) + 3 * load(text + size - sizeof(ends));
	else if (size > 0)
		ends += (uint64_t)(unsigned char)text[0] << 16 |
			(uint64_t)(unsigned char)text[size / 2] << 24 |
			(uint64_t)(unsigned char)text[size - 1] << 32;
	return &table->recent[(ends * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
			      RECENT];
}

/* Most strings are short, so their ends are the whole text. */
static bool is_text(const struct entry *entry, const char *text, size_t size)
{
	if (entry->size != size)
		return false;
	if (size >= 8 && size <= 16)
		return load(entry->text) == load(text) &&
		       load(entry->text + size - 8) == load(text + size - 8);
	return size == 0 || memcmp(entry->text, text, size) == 0;
}

static uint32_t add(struct strtab *table, const char *text, size_t size)
{
	uint64_t hash = hash_bytes(text, size);
	uint32_t number;
	uint32_t slot;
	const char *copy;

	if (!index_reserve(&table->index, table->count))
		return STRTAB_NONE;
	slot = index_first(&table->index, hash);
	while ((number = index_find(&table->index, hash, &slot)) !=
		INDEX_NONE) {
		if (is_text(&table->entries[number], text, size))
			return number;
		slot = index_after(&table->index, slot);
	}
	if (table->count == table->room && grow_entries(table) != 0)
		return STRTAB_NONE;
	if (table->count == RECENT_FROM && table->recent == NULL)
		table->recent =
			memory_new_zeroed(RECENT, sizeof(*table->recent));
	copy = store(table, text, size);
	if (copy == NULL)
		return STRTAB_NONE;
	if (table->shows_zeros && size > 0 &&
		memchr(text, '\0', size) != NULL &&
		!store_shown(table, text, size))
		return STRTAB_NONE;
	table->entries[table->count] = (struct entry){copy, size};
	index_set(&table->index, slot, hash, table->count);
	return table->count++;
}

uint32_t strtab_add(struct strtab *table, const char *text, size_t size)
{
	uint32_t *recent;
	uint32_t number;

	if (table->recent == NULL)
		return add(table, text, size);
	recent = recent_place(table, text, size);
	if (is_text(&table->entries[*recent], text, size))
		return *recent;
	number = add(table, text, size);
	if (number != STRTAB_NONE)
		*recent = number;
	return number;
}

uint32_t strtab_count(const struct strtab *table)
{
	return table->count;
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t left = ((const struct shown *)a)->number;
	uint32_t right = ((const struct shown *)b)->number;

	return left < right ? -1 : left > right;
}

const char *strtab_text(
	const struct strtab *table, uint32_t number, size_t *size)
{
	const struct entry *entry = &table->entries[number];
	const struct shown *shown = NULL;

	if (size != NULL)
		*size = entry->size;
	else if (table->shown_count > 0)
		shown = bsearch(&(struct shown){.number = number}, table->shown,
			table->shown_count, sizeof(*shown), compare_numbers);
	return shown == NULL ? entry->text : shown->text;
}

int strtab_compare(const struct strtab *table, uint32_t left, uint32_t right)
{
	const struct entry *one = &table->entries[left];
	const struct entry *other = &table->entries[right];
	size_t size = one->size < other->size ? one->size : other->size;
	int order = size == 0 ? 0 : memcmp(one->text, other->text, size);

	return order != 0
		       ? order
		       : (one->size > other->size) - (one->size < other->size);
}
