/* SPDX-License-Identifier: MIT */
/*
 * The index: rows of (kind, name, file, line).
 */
#ifndef INDEX_H
#define INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"
#include "lex.h"

enum index_kind {
	INDEX_ENUM,
	INDEX_ENUMERATOR,
	INDEX_ERROR, /* a line that cannot be parsed; the name is its place */
	INDEX_FUNCTION,
	INDEX_MACRO,
	INDEX_MEMBER,
	INDEX_MISSING, /* an included file that is not found */
	INDEX_PROTOTYPE,
	INDEX_STRUCT,
	INDEX_TYPEDEF,
	INDEX_UNION,
	INDEX_VARIABLE,
};

struct index_row {
	enum index_kind kind;
	uint32_t line;
	const char *name;
	const char *path;
};

/* All zero, except the path, is an empty index. */
struct index {
	const char *path; /* of rows added from now on; borrowed until the index
			   * is cleared */
	struct arena arena;
	struct index_row *rows;
	size_t count;
	size_t room;
};

/* Adds a row; the name and the line are the token's. */
void index_add(
	struct index *index, enum index_kind kind, const struct token *token);

/* Moves the rows of `from` to `to`; they still need `from`'s arena. */
void index_append(struct index *to, struct index *from);

/* Sorts the rows by name, file, line and kind, and removes duplicates. */
void index_sort(struct index *index);

/* Returns whether all was written. */
bool index_write(const struct index *index, FILE *out);

void index_clear(struct index *index);

#endif
