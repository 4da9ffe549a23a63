/* SPDX-License-Identifier: MIT */
/* The ways to print what is different. */
#ifndef DIFF_REPORT_H
#define DIFF_REPORT_H

#include <stdio.h>

#include "compare/delta.h"
#include "compare/comparison.h"

struct diff_view {
	const struct diff *diff; /* borrowed, as are these */
	const struct comparison *comparison;
	const char *sort; /* the word that the rows are in order of */
	uint32_t top;     /* rows; 0: all */
	unsigned unit;    /* of DELTA_UNITS; text only, as is all below */
	bool color;
	size_t width;
};

/* Is any of what is shown not the same on both sides? */
bool diff_differs(const struct diff_view *view);

/* Each prints to `out`. Errors: said; they return an exit status; those of
 * writing show on the stream. */
int diff_print_text(const struct diff_view *view, FILE *out);
int diff_print_csv(const struct diff_view *view, FILE *out);
int diff_print_json(
	const struct diff_view *view, const struct report *report, FILE *out);

/*
 * Writes a flame graph of it as SVG to the path, of profiles that were read with
 * their trees.
 *
 * Errors: said; returns an exit status. Profiles that tell no paths of calls
 * are refused.
 */
int diff_svg_write(const struct comparison *comparison,
	const struct comparison_profiles *profiles, const char *path,
	bool force);

#endif
