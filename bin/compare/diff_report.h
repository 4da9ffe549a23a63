/* SPDX-License-Identifier: MIT */
/* Prints the differences between two sides. */
#ifndef DIFF_REPORT_H
#define DIFF_REPORT_H

#include <stdio.h>

#include "compare/delta.h"
#include "compare/comparison.h"

struct diff_view {
	const struct diff *diff; /* borrowed, like these */
	const struct comparison *comparison;
	const char *sort; /* the key of the row order */
	uint32_t top;     /* rows; 0: all */
	unsigned unit;    /* of DELTA_UNITS; text only, as is all below */
	bool color;
	size_t width;
};

/* Whether any shown row differs. */
bool diff_differs(const struct diff_view *view);

/* Each prints to `out`. Errors: reported; they return an exit status. Write
 * errors remain in the stream. */
int diff_print_text(const struct diff_view *view, FILE *out);
int diff_print_csv(const struct diff_view *view, FILE *out);
int diff_print_json(
	const struct diff_view *view, const struct report *report, FILE *out);

/*
 * Writes a differential flame graph as SVG to the path; the profiles must have
 * been read with trees.
 *
 * Errors: reported; returns an exit status. Profiles without call paths are
 * refused.
 */
int diff_svg_write(const struct comparison *comparison,
	const struct comparison_profiles *profiles, const char *path,
	bool force);

#endif
