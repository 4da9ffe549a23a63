/* SPDX-License-Identifier: MIT */
/* Every function of a comparison, with what is to be said of it. */
#ifndef REGRESSION_ROWS_H
#define REGRESSION_ROWS_H

#include "compare/regression.h"
#include "compare/limits_file.h"
#include "compare/comparison.h"

struct regression_row {
	const struct diff_row *row; /* borrowed */
	const char *name;           /* of the row, or of the sum it is */
	const struct regression_limit *limit; /* borrowed */
	enum regression verdict;
};

struct regression_rows {
	struct regression_row *items; /* sums first, then in the rows' order */
	size_t count;
	size_t counts[REGRESSION_COUNT];
};

struct regression_rows_options {
	enum diff_key key;
	struct regression_limit
		default_limit; /* of what `limits` has none for */
	struct limits_file limits;
	uint64_t min_ns;  /* what takes less is too short; or such */
	uint32_t min_ppm; /* a share of the sum of the host's or GPUs' */
};

/* False if out of memory. Rows that `comparison` does not show are left out. */
bool regression_rows_init(struct regression_rows *regressions,
	const struct diff *diff, const struct comparison *comparison,
	struct regression_rows_options *options);
void regression_rows_clear(struct regression_rows *regressions);

/* So many were compared with a limit. */
size_t regression_rows_judged_count(const struct regression_rows *regressions);

#endif
