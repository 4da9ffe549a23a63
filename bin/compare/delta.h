/* SPDX-License-Identifier: MIT */
/* Changes between two sides as text and in machine-readable forms, common to
 * all reports of comparisons. */
#ifndef DELTA_H
#define DELTA_H

#include "compare/diff.h"
#include "json/json.h"
#include "cli/quantity.h"
#include "cli/table.h"

/* The unit of times in text: a value of --unit; with "auto", one in which
 * `largest_ns` is not 0. */
#define DELTA_UNITS "auto|ns|us|ms|s"

struct delta_unit {
	const char *name;
	uint64_t size_ns;
};

const struct delta_unit *delta_unit(unsigned value, uint64_t largest_ns);

/* Columns of a table, with storage for their titles. */
#define DELTA_COLUMNS_MAX 12
#define DELTA_TITLE_SIZE 16

struct delta_columns {
	struct table_column items[DELTA_COLUMNS_MAX];
	char titles[DELTA_COLUMNS_MAX][DELTA_TITLE_SIZE];
	size_t count;
};

/* `words` ends with NULL. The unit is appended to words that end with a space;
 * "+-" is omitted without `spread`. All columns but the last are numbers. */
void delta_columns(struct delta_columns *columns, const char *const *words,
	bool spread, const struct delta_unit *unit);

/* "+1.250", "-3", "0". Returns `text`. */
const char *delta_time(char text[QUANTITY_TEXT], uint64_t base,
	uint64_t changed, uint64_t unit_ns);

/* "+12.50", in percent; "-" if undefined. Returns `text`. */
const char *delta_percent(
	char text[QUANTITY_TEXT], uint64_t base, uint64_t changed);

/* Adds "NAME (file.c:12)". */
void delta_add_name(struct table *table, const struct diff_row *row);

/* The name of the sum row. */
const char *delta_sum_name(bool device);

/* "function", "kernel", "gpu_memcpy", "gpu_memset". */
const char *delta_kind(const struct diff_row *row);

/* Writes the members "base", "new", "delta_ns", "ratio", "delta_self_ns" and
 * "delta_count". */
void delta_write(struct json *json, const struct diff_row *row);

/* The same as CSV fields; the line continues, or ends with '\n'. */
#define DELTA_CSV_TITLES \
	"base_count,base_total_ns,base_self_ns,base_total_mad_ns," \
	"base_self_mad_ns,new_count,new_total_ns,new_self_ns," \
	"new_total_mad_ns,new_self_mad_ns,delta_ns,ratio,delta_self_ns," \
	"delta_count"
void delta_csv(FILE *out, const struct diff_row *row, char end);

#endif
