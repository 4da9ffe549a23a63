/* SPDX-License-Identifier: MIT */
/* A table for people: columns as wide as their content; numbers to the right.
 * And CSV's quoting, for programs. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buffer.h"

#define TABLE_COLUMNS_MAX 48

struct table_column {
	const char *title; /* "" for the first: no line of titles */
	bool number;
};

/* Where a cell is that has a function's name, and where that begins and ends. */
struct table_name {
	size_t cell, begin, end;
};

struct table {
	const struct table_column *columns; /* borrowed */
	size_t column_count;
	size_t min_line_width[TABLE_COLUMNS_MAX]; /* of table_hide_below() */
	struct buffer text;       /* rows of cells, each with a zero byte */
	struct table_name *names; /* in the order of their cells */
	size_t name_count;
	size_t name_room;
};

enum table_style { TABLE_PLAIN = 1, TABLE_HOT, TABLE_FAINT, TABLE_GOOD };

void table_init(struct table *table, const struct table_column *columns,
	size_t column_count);
void table_clear(struct table *table);

/* The column of this title is left out where lines have fewer characters. It is
 * not the last one. */
void table_hide_below(struct table *table, const char *title, size_t width);

/* Begins a row, of which every cell is added then. The style shows only in
 * colour. */
void table_add_row(struct table *table, enum table_style style);
void table_add(struct table *table, const char *text);

/* The same, shortened in its middle to `width` columns, at least 4. */
void table_add_short(struct table *table, const char *text, size_t width);

/* Adds a function's name between other text. Where there is no room, what it has
 * of C++'s parameters, template arguments and scopes goes first. */
void table_add_name(struct table *table, const char *before, const char *name,
	const char *after);

/*
 * Prints. Columns of text are shortened in their middle so that lines have at
 * most `width` characters; 0: not at all.
 *
 * Errors: false if out of memory since table_init().
 */
bool table_print(
	const struct table *table, FILE *out, bool color, size_t width);

/* Prints text of a file's in a line of its own making, as table_print() does: a
 * terminal must not obey it. */
void table_text(FILE *out, const char *bytes, size_t size);

/* One field of CSV, as csv_field.h has it, and what ends it: ',' or '\n'. */
void table_csv(FILE *out, const char *text, char end);

/* From now on texts stay as they are, also what a spreadsheet would run. */
void table_csv_raw(void);

#endif
