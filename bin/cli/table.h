/* SPDX-License-Identifier: MIT */
/* Text tables with columns as wide as their content and right-aligned numbers;
 * and CSV quoting. */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/buffer.h"

#define TABLE_COLUMNS_MAX 48

struct table_column {
	const char *title; /* "" in the first column: no titles */
	bool number;
};

/* The position of a cell with a function name, and the name in it. */
struct table_name {
	size_t cell, begin, end;
};

struct table {
	const struct table_column *columns; /* borrowed */
	size_t column_count;
	/* Columns, not the last, that shorter lines do without; and those that
	 * go, from the first, if text would otherwise have too little room. */
	size_t min_line_width[TABLE_COLUMNS_MAX];
	bool optional[TABLE_COLUMNS_MAX];
	struct buffer text;       /* rows of cells, each with a zero byte */
	struct table_name *names; /* in cell order */
	size_t name_count;
	size_t name_room;
};

enum table_style { TABLE_PLAIN = 1, TABLE_HOT, TABLE_FAINT, TABLE_GOOD };

void table_init(struct table *table, const struct table_column *columns,
	size_t column_count);
void table_clear(struct table *table);

/* Begins a row; add all its cells next. The style is visible only in color. */
void table_add_row(struct table *table, enum table_style style);
void table_add(struct table *table, const char *text);

/* The same, shortened in the middle to `width` (at least 4) columns. */
void table_add_short(struct table *table, const char *text, size_t width);

/* Adds a function name between other text. If it does not fit, its C++
 * parameters, template arguments and scopes are dropped first. */
void table_add_name(struct table *table, const char *before, const char *name,
	const char *after);

/*
 * Prints the table. Text columns are shortened in the middle so that lines have
 * at most `width` characters, if its numbers have fewer; 0: no limit.
 *
 * Errors: false if out of memory since table_init().
 */
bool table_print(
	const struct table *table, FILE *out, bool color, size_t width);

/* Prints text from a file outside of tables, escaped like table_print() does
 * it. */
void table_text(FILE *out, const char *bytes, size_t size);

/* Prints a CSV field, quoted by csv_field.h. */
void table_csv_field(FILE *out, const char *text);

/* Turns off the protection against formulas in spreadsheets. */
void table_csv_raw(void);

#endif
