/* SPDX-License-Identifier: MIT */
/*
 * The columns of a report. Each is described once; JSON objects, CSV lines, text
 * tables and the rows of doc/schemas follow. A report fills one flat structure
 * per row: to add a column, add a member and a COLUMN() line.
 * Source: uftrace's struct display_field has the same purpose.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/table.h"
#include "json/json.h"

enum column_type {
	COLUMN_COUNT,   /* uint64_t or uint32_t */
	COLUMN_TIME,    /* nanoseconds: uint64_t */
	COLUMN_INTEGER, /* int64_t */
	COLUMN_PERCENT, /* hundredths of a percent: uint64_t */
	COLUMN_REAL,    /* double */
	COLUMN_BOOL,    /* bool */
	COLUMN_TEXT,    /* const char *; NULL: unknown */
	COLUMN_JSON,    /* of the type column_json_fn; not in CSV or text */
};

struct column_unit {
	const char *name;
	uint64_t size;
};

struct column {
	enum column_type type;
	const char *json;  /* key; NULL: not in JSON */
	const char *csv;   /* title; NULL: not in CSV */
	const char *title; /* NULL: not in text; the name of the unit is added
			    * to a blank at the end */
	const char *help;  /* for doc/schemas */
	size_t offset;     /* of the row's member that has the value */
	size_t size;       /* of that: of the type, or of struct value */
	const struct column_unit *unit; /* in text; NULL: the report's */
	uint32_t when;    /* these bits of struct columns must all be set */
	uint8_t place;    /* in text: from left to right, by this, then in
			   * order of the columns */
	uint8_t min_line; /* in text: shorter lines do without it, unless the
			   * report is sorted by it */
	uint8_t sort;     /* its sort key + 1 */
	bool optional;    /* in text: goes first if names have no room */
};

/* A column in JSON, CSV and (if `title_` is not NULL) text; it ends with its
 * COLUMN_OF() and other members. The others are in one form alone. */
#define COLUMN(type_, key_, title_, help_, ...) \
	{ \
		.type = COLUMN_##type_, .json = (key_), .csv = (key_), \
		.title = (title_), .help = (help_), __VA_ARGS__ \
	}
#define COLUMN_IN_JSON(type_, key_, help_, ...) \
	{ \
		.type = COLUMN_##type_, .json = (key_), .help = (help_), \
		__VA_ARGS__ \
	}
#define COLUMN_IN_CSV(type_, key_, help_, ...) \
	{ \
		.type = COLUMN_##type_, .csv = (key_), .help = (help_), \
		__VA_ARGS__ \
	}
#define COLUMN_IN_TEXT(type_, title_, ...) \
	{ \
		.type = COLUMN_##type_, .title = (title_), __VA_ARGS__ \
	}

/* The member of the row that has the value. */
#define COLUMN_OF(row, member) \
	.offset = offsetof(row, member), .size = sizeof(((row *)NULL)->member)

/* A value that may be missing, or looks different in text. */
struct value {
	enum value_state {
		VALUE_ABSENT,  /* no JSON member; nothing in CSV and text */
		VALUE_UNKNOWN, /* null; nothing in CSV; "-" in text */
		VALUE_KNOWN,
	} state;
	uint64_t number; /* of COLUMN_INTEGER in two's complement */
	double real;
	const char *text; /* of other types than COLUMN_TEXT: shown instead in
			   * text */
	size_t size;      /* of COLUMN_TEXT in JSON; SIZE_MAX: to its end */
};

struct value value_number(uint64_t number);
struct value value_maybe(bool known, uint64_t number);
struct value value_real(bool known, double real);
struct value value_text(const char *text); /* NULL: unknown */

/* Writes the value of a COLUMN_JSON; nothing for VALUE_ABSENT. */
typedef void column_json_fn(const void *row, struct json *json);

/* What a function's name in text is made of: COLUMN_TEXT with this member. */
struct value_name {
	const char *before; /* or NULL */
	const char *name;
	const char *file; /* "" or NULL: no "(file:line)" */
	uint32_t line;
};

struct columns {
	const struct column *items;
	size_t count;
	/*
	 * Fills the row of this index below row_count, which has zeroes, and
	 * returns its style in text. clear() frees the row's memory, also if
	 * there was too little; NULL: nothing to free.
	 */
	enum table_style (*fill)(
		const struct columns *columns, uint32_t index, void *row);
	void (*clear)(void *row);
	size_t row_size;
	uint32_t first_row, row_count;
	uint32_t top; /* rows to show at most; 0: all */
	const void *user;
	bool is_text; /* set while text is printed */

	uint32_t shown;          /* bits for `when` */
	struct column_unit unit; /* in text: of times */
	uint8_t sort;            /* the sort key + 1, or 0 */
	size_t width;            /* of text lines; 0: no limit */
	bool color;
};

#define COLUMNS_ROW_MAX 1024 /* bytes */

/* Other results of fill(). */
#define COLUMNS_LEFT_OUT ((enum table_style)0)
#define COLUMNS_NO_MEMORY ((enum table_style)(-1))

/* The items, and the structure of a row. */
#define COLUMNS(items_, row) \
	.items = (items_), .count = sizeof(items_) / sizeof((items_)[0]), \
	.row_size = sizeof(row)

/*
 * Rows by fill(): objects; a member with an array of them; CSV lines; the text
 * table and, in a line, the number of rows beyond `top`. Errors: false if out of
 * memory; a JSON writer remembers that itself.
 */
void columns_put_objects(const struct columns *columns, struct json *json);
void columns_put_rows(
	const struct columns *columns, struct json *json, const char *key);
bool columns_put_lines(const struct columns *columns, FILE *out);
bool columns_print(const struct columns *columns, FILE *out);

/* The number of rows that fill() does not leave out in text; whether rows are
 * beyond `top` in other forms. */
uint32_t columns_count_text(const struct columns *columns);
bool columns_has_more(const struct columns *columns);

/* One row: an object with a member per column; its members alone; CSV. */
void columns_put_json(
	const struct columns *columns, struct json *json, const void *row);
void columns_put_members(
	const struct columns *columns, struct json *json, const void *row);
void columns_put_titles(const struct columns *columns, FILE *out);
void columns_put_csv(const struct columns *columns, FILE *out, const void *row);

/* The text table, row by row. */
struct columns_text {
	const struct columns *columns; /* borrowed */
	const struct column *order[TABLE_COLUMNS_MAX];
	struct table_column titles[TABLE_COLUMNS_MAX];
	char title_texts[TABLE_COLUMNS_MAX][32];
	size_t count;
	struct table table;
};

void columns_text_init(
	struct columns_text *text, const struct columns *columns);
void columns_text_add(
	struct columns_text *text, enum table_style style, const void *row);

/* Prints and clears it. False if out of memory since columns_text_init(). */
bool columns_text_print(struct columns_text *text, FILE *out);

#endif
