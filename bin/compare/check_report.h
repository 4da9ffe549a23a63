/* SPDX-License-Identifier: MIT */
/* The ways to print whether anything is slower than allowed. */
#ifndef CHECK_REPORT_H
#define CHECK_REPORT_H

#include <stdio.h>

#include "compare/delta.h"
#include "compare/regression_rows.h"

struct check_view {
	const struct regression_rows *regressions; /* borrowed, as is */
	const struct comparison *comparison;
	enum diff_key key;
	bool all;      /* also what was not compared, and as text what passed */
	unsigned unit; /* of DELTA_UNITS; text only, as is all below */
	bool color;
	size_t width;
};

/* Each prints to `out`. Errors: said; they return an exit status; those of
 * writing show on the stream. */
int check_print_text(const struct check_view *view, FILE *out);
int check_print_csv(const struct check_view *view, FILE *out);
int check_print_json(
	const struct check_view *view, const struct report *report, FILE *out);

/* As JUnit's XML, with a test case for all that was compared with a limit.
 * Source: https://github.com/testmoapp/junitxml, as of CI servers there is no
 * other document. */
int check_print_junit(const struct check_view *view, FILE *out);

/* A limit as text, "5%", "200 us" or "off". Returns `text`. */
const char *check_limit_text(
	char text[QUANTITY_TEXT], const struct regression_limit *limit);

#endif
