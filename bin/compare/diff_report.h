/* SPDX-License-Identifier: MIT */
/* Prints the differences between two sides. */
#ifndef DIFF_REPORT_H
#define DIFF_REPORT_H

#include "compare/delta.h"
#include "compare/comparison.h"
#include "compare/flame_diff.h"

struct diff_view {
	const struct diff *diff; /* borrowed, like these */
	const struct comparison *comparison;
	const char *sort; /* the key of the row order */
	uint32_t top;     /* rows; 0: all */
	unsigned unit;    /* of DELTA_UNITS, in text */
};

/* Whether the row differs in anything that is shown. */
bool diff_is_changed(const struct diff_row *row);

/* The largest sum of a side. */
uint64_t diff_largest_ns(const struct diff_view *view);

/* Whether any shown row differs. */
bool diff_differs(const struct diff_view *view);

/* Whether rows are beyond `top`. */
bool diff_has_more(const struct diff_view *view);

extern const struct report_form diff_form;

/* For report_write(); `view` is a struct diff_view. */
void diff_write(struct sheet *sheet, const void *view);

/* The first profile with functions but without call paths; their number if all
 * have some. */
size_t diff_find_pathless(const struct comparison_profiles *profiles);

/* Compares the call paths of the runs; NULL if out of memory. */
struct flame_diff *diff_join_paths(const struct comparison *comparison,
	const struct comparison_profiles *profiles);

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
