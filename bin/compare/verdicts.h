/* SPDX-License-Identifier: MIT */
/* Every function of a comparison, with what is to be said of it. */
#ifndef VERDICTS_H
#define VERDICTS_H

#include "compare/regression.h"
#include "compare/allowed.h"
#include "compare/sides.h"

struct verdicts_item {
	const struct diff_row *row; /* borrowed */
	const char *name;           /* of the row, or of the sum it is */
	const struct regression_limit *limit; /* borrowed */
	enum regression verdict;
};

struct verdicts {
	struct verdicts_item *items; /* sums first, then in the rows' order */
	size_t count;
	size_t counts[REGRESSION_COUNT];
};

struct verdicts_options {
	enum diff_key figure;
	struct regression_limit usual; /* of what `limits` has none for */
	struct allowed limits;
	uint64_t min_ns;  /* what takes less is too short; or such */
	uint32_t min_ppm; /* a share of the sum of the host's or GPUs' */
};

/* False if out of memory. Rows that `sides` does not show are left out. */
bool verdicts_make(struct verdicts *verdicts, const struct diff *diff,
	const struct sides *sides, struct verdicts_options *options);
void verdicts_clear(struct verdicts *verdicts);

/* So many were compared with a limit. */
size_t verdicts_judged(const struct verdicts *verdicts);

#endif
