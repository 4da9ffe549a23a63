/* SPDX-License-Identifier: MIT */
#include "profile/profile_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

struct profile_lines *profile_lines_new(void)
{
	return memory_new_zeroed(1, sizeof(struct profile_lines));
}

void profile_lines_free(struct profile_lines *lines)
{
	if (lines == NULL)
		return;
	memory_free(lines->rows);
	memory_free(lines->index.entries);
	memory_free(lines);
}

struct profile_line *profile_lines_add(
	struct profile_lines *lines, const char *file, uint32_t line)
{
	uint64_t hash = hash_pair((uintptr_t)file, line);
	uint32_t slot;
	uint32_t number;

	if (!array_reserve32(&lines->rows, lines->count, &lines->room,
		    sizeof(*lines->rows)) ||
		!index_reserve(&lines->index, lines->count))
		return NULL;
	slot = index_first(&lines->index, hash);
	while ((number = index_find(&lines->index, hash, &slot)) !=
		INDEX_NONE) {
		struct profile_line *row = &lines->rows[number];

		if (row->file == file && row->line == line)
			return row;
		slot = index_after(&lines->index, slot);
	}
	index_set(&lines->index, slot, hash, lines->count);
	lines->rows[lines->count] =
		(struct profile_line){.file = file, .line = line};
	return &lines->rows[lines->count++];
}

static int compare(const void *a, const void *b)
{
	const struct profile_line *left = a;
	const struct profile_line *right = b;
	int order = strcmp(left->file, right->file);

	if (order != 0)
		return order;
	return (left->line > right->line) - (left->line < right->line);
}

void profile_lines_sort(struct profile_lines *lines)
{
	if (lines->count != 0)
		qsort(lines->rows, lines->count, sizeof(*lines->rows), compare);
	memory_free(lines->index.entries);
	lines->index = (struct index){0};
}

uint32_t profile_lines_find(
	const struct profile_lines *lines, const char *file, uint32_t line)
{
	struct profile_line wanted = {.file = file, .line = line};
	uint32_t first = 0;
	uint32_t after = lines->count;

	while (first < after) {
		uint32_t middle = first + (after - first) / 2;

		if (compare(&lines->rows[middle], &wanted) < 0)
			first = middle + 1;
		else
			after = middle;
	}
	return first;
}
