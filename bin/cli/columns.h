/* SPDX-License-Identifier: MIT */
/*
 * The columns of a report's tables. Each is described once; JSON, CSV, text and
 * doc/schemas follow. A report pushes its rows, each a flat structure, so that a
 * new column is a member and a COLUMN() line.
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

struct columns;
struct sheet;

enum column_type {
	COLUMN_COUNT,   /* uint64_t or uint32_t */
	COLUMN_TIME,    /* nanoseconds: uint64_t */
	COLUMN_BYTES,   /* int64_t */
	COLUMN_INTEGER, /* int64_t */
	COLUMN_PERCENT, /* hundredths of a percent: uint64_t */
	COLUMN_REAL,    /* double */
	COLUMN_BOOL,    /* bool */
	COLUMN_TEXT, /* const char *, NULL if unknown; or struct value_name */
	/* In JSON alone: */
	COLUMN_OBJECT, /* a row of `table`: const void *, NULL if unknown; or
			* without a member this row itself */
	COLUMN_MAP,    /* an object with the members that put() writes */
	COLUMN_LIST,   /* of what put() adds: rows of `table` or, if that is
			* NULL, texts */
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
	const char *page;  /* its title on pages; NULL: that of text, unless
			    * if_sorted. Values of a COUNT with a unit then
			    * end with it */
	size_t offset;     /* of the row's member that has the value */
	size_t size;       /* of that: of the type, or of struct value */
	/* In place of the member; `index` is its own. */
	struct value (*get)(const struct column *column, const void *row);
	struct value_name (*name)(const void *row);
	uint32_t index;
	void (*put)(struct sheet *sheet, const struct column *column,
		const void *row);
	const struct columns *table;
	const struct column_unit *unit; /* in text; NULL: the sheet's. On pages,
					 * an INTEGER with one is a change of
					 * time */
	const char *words; /* "a|b": the texts that occur, for doc/schemas; of
			    * COLUMN_MAP: the type of its values, "text" or
			    * "time"; NULL: any */
	const char *sort;  /* its words for --sort, "a|b"; columns with equal
			    * ones show the same */
	uint32_t when;     /* these bits of the sheet must all be set */
	size_t unless;     /* offset of a bool of the row, which has no value if
			    * it is set; 0: none */
	uint8_t place;     /* in text: from left to right, by this, then in
			    * order of the columns */
	uint8_t min_line;  /* in text: shorter lines do without it, unless the
			    * sheet is sorted by it */
	bool if_sorted;    /* in text: only if the sheet is sorted by it */
	bool optional;     /* in text: goes first if names have no room */
	bool nullable;     /* may be null, and empty in CSV */
	bool absent;       /* JSON objects may lack it */
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
#define COLUMN_ON_PAGE(type_, title_, ...) \
	{ \
		.type = COLUMN_##type_, .page = (title_), __VA_ARGS__ \
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
	uint64_t number; /* of signed types in two's complement */
	double real;
	const char *text; /* of other types than COLUMN_TEXT: shown instead in
			   * text */
	size_t size;      /* of COLUMN_TEXT in JSON; SIZE_MAX: to its end */
};

struct value value_number(uint64_t number);
struct value value_maybe(bool known, uint64_t number);
struct value value_share(uint64_t part, uint64_t whole); /* unknown of 0 */
struct value value_text(const char *text);               /* NULL: unknown */

/* In text: "NAME (file:line)", where a long name is shortened, not the place;
 * or `tail` behind a blank, and nothing is shortened. */
struct value_name {
	const char *before; /* or NULL */
	const char *name;
	const char *file; /* "" or NULL: no place */
	uint32_t line;
	const char *tail; /* NULL: none */
	size_t width;     /* of a text shortened in the middle; or 0 */
};

/* A table; key and help are those of its array in JSON. */
struct columns {
	const char *key; /* nested: its name in doc/schemas; NULL: its rows are
			  * not in a JSON array of their own */
	const char *help;
	const struct column *items;
	size_t count;
};

#define COLUMNS(key_, help_, items_) \
	{ \
		.key = (key_), .help = (help_), .items = (items_), \
		.count = sizeof(items_) / sizeof((items_)[0]) \
	}

#define COLUMN_TITLE_MAX 96
#define COLUMN_PLACES 8 /* numbers from 0 for `place` */

/* For doc/schemas: the members and arrays of JSON, and the table of CSV. Forms
 * with the same schema are alternatives. */
struct report_form {
	const char *schema; /* "ctprof/stats/1" */
	const char *title;  /* "ctprof stats" */
	uint32_t always;    /* bits that all these reports have, */
	uint32_t never;     /* and those that none of them has */
	const struct columns *heads[3];
	const struct columns *arrays[6];
	uint32_t array_bits[6];    /* the bits that the arrays need */
	const struct columns *csv; /* or NULL */
};

enum report_style {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_PAGE, /* see columns_page.h */
};

/* The output of a report in its style. */
struct sheet {
	enum report_style style;
	FILE *out;
	struct json json;
	bool titles; /* CSV: print titles first */
	bool color;
	size_t width; /* of text lines; 0: no limit */
	bool all;     /* text has columns although lines are short */
	bool failed;  /* out of memory */

	/* A page: */
	bool brief;       /* rows cannot be unfolded */
	size_t max_bytes; /* of `json`: rows beyond are hidden; 0: no limit */
	uint32_t clipped; /* texts that were too long */
	const char *page_key; /* of the last table */

	struct column_unit unit;   /* in text: of times */
	uint32_t shown;            /* bits for `when` */
	const struct column *sort; /* or NULL */

	/* The text table that has begun. */
	const struct column *order[TABLE_COLUMNS_MAX];
	struct table_column heads[TABLE_COLUMNS_MAX];
	char title_texts[TABLE_COLUMNS_MAX][COLUMN_TITLE_MAX];
	struct table table;
};

/*
 * Write a table in the sheet's style: the key or titles, each row, and the end.
 * A table without columns in that style leaves no trace. Text tables do not
 * nest. Errors: sheet->failed is set.
 */
void columns_begin(struct sheet *sheet, const struct columns *columns);
void columns_add(struct sheet *sheet, const struct columns *columns,
	enum table_style style, const void *row);
void columns_end(struct sheet *sheet, const struct columns *columns);

/* The same for `count` rows of an array, of which it shows at most `top`; 0:
 * all. */
void columns_write(struct sheet *sheet, const struct columns *columns,
	const void *rows, size_t count, size_t row_size, uint32_t top);

/* Writes a row's members into the object that has begun; only in JSON and
 * pages. */
void columns_members(
	struct sheet *sheet, const struct columns *columns, const void *row);

/* Whether the next row would be beyond the limit of a page. */
bool columns_full(const struct sheet *sheet);

/* Prints if the style is text; the second the rows beyond --top, if any, also
 * for pages. */
void columns_note(struct sheet *sheet, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void columns_hidden(struct sheet *sheet, uint64_t count);

/* Writes the value of a column as JSON has it. */
void columns_put(struct sheet *sheet, const struct column *column,
	const void *row, const struct value *value);

/* The value of a column, and whether the sheet has it. */
struct value columns_value(const struct column *column, const void *row);
bool columns_has(const struct sheet *sheet, const struct column *column);

/* The name of a column that shows names. */
bool columns_has_name(const struct column *column);
struct value_name columns_name(const struct column *column, const void *row);

/* Sorts rows by a column of integers, the largest first, where equal ones keep
 * their order. False: out of memory. */
bool columns_sort(const struct columns *columns, const char *json_key,
	void *rows, size_t count, size_t row_size);

/* The rows of a table to show. */
struct columns_choice {
	const struct column *like; /* sorted by the column with its words */
	const char *min;           /* the column with this word for --sort */
	uint64_t least;            /* must have this; 0: any value */
	uint32_t top;              /* and at most these many are kept; 0: all */
};

/* Sorts rows, and keeps those chosen. False: out of memory. */
bool columns_choose(const struct columns *columns, struct columns_choice choice,
	void *rows, uint32_t *count, size_t row_size);

/* The table's column with the other's words for --sort, or NULL. */
const struct column *columns_like(
	const struct columns *columns, const struct column *other);

/* The column with this word for --sort, NULL if there is none; and all words,
 * "a|b". */
#define COLUMNS_WORDS_MAX 512
const struct column *columns_find_sort(
	const struct columns *columns, const char *word);
const char *columns_sort_words(
	const struct columns *columns, char words[COLUMNS_WORDS_MAX]);

#endif
