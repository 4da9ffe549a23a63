/* SPDX-License-Identifier: MIT */
/*
 * Each worker has its own index, so that adding a row needs no lock; sorting at
 * the end makes the result independent of the distribution of files.
 */
#include "index.h"

#include <stdlib.h>
#include <string.h>

#include <ctprof.h>

static const char *const kind_names[] = {
	[INDEX_ENUM] = "enum",
	[INDEX_ENUMERATOR] = "enumerator",
	[INDEX_ERROR] = "error",
	[INDEX_FUNCTION] = "function",
	[INDEX_MACRO] = "macro",
	[INDEX_MEMBER] = "member",
	[INDEX_MISSING] = "missing",
	[INDEX_PROTOTYPE] = "prototype",
	[INDEX_STRUCT] = "struct",
	[INDEX_TYPEDEF] = "typedef",
	[INDEX_UNION] = "union",
	[INDEX_VARIABLE] = "variable",
};

static void reserve(struct index *index, size_t more)
{
	if (more <= index->room - index->count)
		return;
	index->room = index->room * 2 + more + 1000;
	index->rows =
		memory_resize(index->rows, index->room, sizeof(index->rows[0]));
}

void index_add(
	struct index *index, enum index_kind kind, const struct token *token)
{
	char *name = arena_text(&index->arena, token->text, token->length);

	/* Literals may contain tabs, and a row is a line. */
	for (char *c = name; *c != '\0'; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	reserve(index, 1);
	index->rows[index->count++] = (struct index_row){
		.kind = kind,
		.line = token->line,
		.name = name,
		.path = index->path,
	};
}

void index_append(struct index *to, struct index *from)
{
	reserve(to, from->count);
	if (from->count != 0)
		memcpy(to->rows + to->count, from->rows,
			from->count * sizeof(from->rows[0]));
	to->count += from->count;
	from->count = 0;
}

static int compare(const void *left_row, const void *right_row)
{
	const struct index_row *left = left_row;
	const struct index_row *right = right_row;
	int order = strcmp(left->name, right->name);

	if (order == 0)
		order = strcmp(left->path, right->path);
	if (order == 0)
		order = (left->line > right->line) - (left->line < right->line);
	if (order == 0)
		order = (left->kind > right->kind) - (left->kind < right->kind);
	return order;
}

void index_sort(struct index *index)
{
	size_t kept = 0;
	CTP_FUNCTION();

	ctp_arg_int("rows", (int64_t)index->count);
	if (index->count == 0)
		return;
	qsort(index->rows, index->count, sizeof(index->rows[0]), compare);
	for (size_t i = 1; i < index->count; i++)
		if (compare(&index->rows[kept], &index->rows[i]) != 0)
			index->rows[++kept] = index->rows[i];
	index->count = kept + 1;
}

bool index_write(const struct index *index, FILE *out)
{
	CTP_FUNCTION();

	for (size_t i = 0; i < index->count; i++) {
		const struct index_row *row = &index->rows[i];

		fprintf(out, "%s\t%s\t%s\t%u\n", kind_names[row->kind],
			row->name, row->path, (unsigned)row->line);
	}
	return fflush(out) == 0 && !ferror(out);
}

void index_clear(struct index *index)
{
	free(index->rows);
	arena_clear(&index->arena);
	*index = (struct index){0};
}
