/* SPDX-License-Identifier: MIT */
/* Every function of a comparison with its verdict, and the ways to print whether
 * anything is slower than allowed. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include <stdio.h>

#include "compare/delta.h"
#include "compare/diff.h"
#include "compare/limits_file.h"
#include "compare/comparison.h"

struct check_row {
	const struct diff_row *row;           /* borrowed */
	const char *name;                     /* the row's, or the sum's */
	const struct regression_limit *limit; /* borrowed */
	enum regression verdict;
};

struct check_rows {
	struct check_row *items; /* sums first, then in row order */
	size_t count;
	size_t counts[REGRESSION_COUNT];
};

struct check_options {
	enum diff_key key;
	struct limits_file limits;
	struct regression_limit default_limit; /* of others */
	uint64_t min_ns;  /* shorter functions are not judged; or by */
	uint32_t min_ppm; /* share of the host's or GPUs' sum */
};

/* False if out of memory. Rows that `comparison` does not show are left out. */
bool check_rows_init(struct check_rows *regressions, const struct diff *diff,
	const struct comparison *comparison, struct check_options *options);
void check_rows_clear(struct check_rows *regressions);

/* The number of functions that were compared with a limit. */
size_t check_rows_judged_count(const struct check_rows *regressions);

struct check_view {
	const struct check_rows *regressions; /* borrowed, like these */
	const struct diff *diff;
	const struct comparison *comparison;
	enum diff_key key;
	bool all;      /* includes rows not compared and, in text, passed
		        * rows */
	uint32_t top;  /* rows; 0: all */
	unsigned unit; /* of DELTA_UNITS, in text */
};

/* The largest time of a row. */
uint64_t check_largest_ns(const struct check_view *view);

/* A limit as text, "5%", "200 us" or "off". Returns `text`. */
const char *check_limit_text(
	char text[QUANTITY_TEXT], const struct regression_limit *limit);

/* Whether rows are beyond `top`. */
bool check_has_more(const struct check_view *view);

extern const struct report_form check_form;

/* For report_write(); `view` is a struct check_view. */
void check_write(struct sheet *sheet, const void *view);

/*
 * Prints JUnit XML with a test case for each row compared with a limit; `view`
 * is a struct check_view. Errors: reported; returns an exit status. Write errors
 * remain in the stream.
 * Source: https://github.com/testmoapp/junitxml; CI servers have no other
 * specification.
 */
int check_print_junit(void *view, FILE *out);

#endif
