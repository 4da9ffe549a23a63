/* SPDX-License-Identifier: MIT */
/* The columns that all reports of comparisons have, and a row's values. */
#ifndef DELTA_H
#define DELTA_H

#include "cli/columns.h"
#include "cli/quantity.h"
#include "compare/diff.h"

/* The unit of times in text: a value of --unit; with "auto", one in which
 * `largest_ns` is not 0. */
#define DELTA_UNITS "auto|ns|us|ms|s"
const struct column_unit *delta_unit(unsigned value, uint64_t largest_ns);

struct delta_line {
	const char *name, *file, *kind;
	uint32_t line;
	const struct diff_figures *side[DIFF_SIDES]; /* NULL: missing */
	int64_t delta_ns, delta_self_ns, delta_count;
	struct value ratio;
	/* In text; times of the figure that is shown. */
	struct value time[DIFF_SIDES], spread[DIFF_SIDES], count[DIFF_SIDES];
	struct value change, percent, self_change;
	struct value_name function;
	char change_text[QUANTITY_TEXT];
	char percent_text[QUANTITY_TEXT];
	char self_text[QUANTITY_TEXT];
	/* ctprof check only. */
	const char *verdict;
	struct value allowed_ppm, allowed_ns, allowed;
	char allowed_text[QUANTITY_TEXT];
};

/* Fills all but the last four members. It points into itself: do not copy it.
 * `name` is the row's, or that of a sum. */
void delta_line_init(struct delta_line *line, const struct diff_row *row,
	const char *name, enum diff_key figure, const struct column_unit *unit);

#define DELTA_RUNS 1u /* for `shown`: several runs per side */

#define DELTA_OF(member) COLUMN_OF(struct delta_line, member)
#define DELTA_SIDE(side_, member) \
	.get = delta_side_value, \
	.index = (side_) * sizeof(struct diff_figures) + \
		 offsetof(struct diff_figures, member)

/* clang-format off */
#define DELTA_NAME_COLUMNS \
	COLUMN(TEXT, "name", NULL, "the function", DELTA_OF(name)), \
	COLUMN(TEXT, "file", NULL, "its file; empty if unknown", \
		DELTA_OF(file)), \
	COLUMN(COUNT, "line", NULL, "its line, from 1; 0 if unknown", \
		DELTA_OF(line)), \
	COLUMN(TEXT, "kind", NULL, "its kind", \
		DELTA_OF(kind), \
		.words = "function|kernel|gpu_memcpy|gpu_memset")
#define DELTA_CSV_COLUMNS(side, name) \
	COLUMN_IN_CSV(COUNT, name "_count", "number of calls", \
		DELTA_SIDE(side, median.count)), \
	COLUMN_IN_CSV(TIME, name "_total_ns", "total time", \
		DELTA_SIDE(side, median.total_ns)), \
	COLUMN_IN_CSV(TIME, name "_self_ns", "own time", \
		DELTA_SIDE(side, median.self_ns)), \
	COLUMN_IN_CSV(TIME, name "_total_mad_ns", \
		"median absolute deviation of the total time", \
		DELTA_SIDE(side, spread.total_ns)), \
	COLUMN_IN_CSV(TIME, name "_self_mad_ns", \
		"median absolute deviation of the own time", \
		DELTA_SIDE(side, spread.self_ns))
#define DELTA_COLUMNS \
	COLUMN_IN_JSON(OBJECT, "base", "the base; null if it is missing there",\
		DELTA_OF(side[DIFF_BASE]), .table = &delta_side_table, \
		.nullable = true), \
	COLUMN_IN_JSON(OBJECT, "new", \
		"the new side; null if it is missing there", \
		DELTA_OF(side[DIFF_NEW]), .table = &delta_side_table, \
		.nullable = true), \
	DELTA_CSV_COLUMNS(DIFF_BASE, "base"), \
	DELTA_CSV_COLUMNS(DIFF_NEW, "new"), \
	COLUMN(INTEGER, "delta_ns", NULL, "growth of total_ns", \
		DELTA_OF(delta_ns)), \
	COLUMN(REAL, "ratio", NULL, \
		"total_ns divided by the base's; null if undefined", \
		DELTA_OF(ratio), .nullable = true), \
	COLUMN(INTEGER, "delta_self_ns", NULL, "growth of self_ns", \
		DELTA_OF(delta_self_ns)), \
	COLUMN(INTEGER, "delta_count", NULL, "growth of the number of calls", \
		DELTA_OF(delta_count))
#define DELTA_TEXT_COLUMNS \
	COLUMN_IN_TEXT(TIME, "base ", DELTA_OF(time[DIFF_BASE])), \
	COLUMN_IN_TEXT(TIME, "+-", DELTA_OF(spread[DIFF_BASE]), \
		.when = DELTA_RUNS), \
	COLUMN_IN_TEXT(TIME, "new ", DELTA_OF(time[DIFF_NEW])), \
	COLUMN_IN_TEXT(TIME, "+-", DELTA_OF(spread[DIFF_NEW]), \
		.when = DELTA_RUNS), \
	COLUMN_IN_TEXT(TIME, "change ", DELTA_OF(change)), \
	COLUMN_IN_TEXT(PERCENT, "change %", DELTA_OF(percent))
/* clang-format on */

/* One side as an object, and DELTA_COLUMNS alone, for sums. */
extern const struct columns delta_side_table;
extern const struct columns delta_sum_table;

struct value delta_side_value(const struct column *column, const void *row);

/* "+12.50", in percent; "-" if undefined. Returns `text`. */
const char *delta_percent(
	char text[QUANTITY_TEXT], uint64_t base, uint64_t changed);

/* Replaces the percentage of a row that is only on one side by "added" or
 * "removed". */
void delta_line_name_side(struct delta_line *line);

/* "function", "kernel", "gpu_memcpy", "gpu_memset". */
const char *delta_kind(const struct diff_row *row);

/* The name of the sum row. */
const char *delta_sum_name(bool device);

#endif
