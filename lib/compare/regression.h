/* SPDX-License-Identifier: MIT */
/* The check for regressions: whether a function is slower than its limit
 * allows. */
#ifndef REGRESSION_H
#define REGRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/diff.h"

/* The increase in time that a function may have. */
struct regression_limit {
	bool off;         /* no limit */
	uint32_t ppm;     /* of the base; or, if that is 0, */
	uint64_t time_ns; /* this much time */
};

enum regression {
	REGRESSION_PASSED,  /* within the limit */
	REGRESSION_SLOWER,  /* over the limit */
	REGRESSION_NOISE,   /* over the limit, but not significant */
	REGRESSION_SHORT,   /* too short to judge */
	REGRESSION_OFF,     /* no limit */
	REGRESSION_ADDED,   /* missing in the base */
	REGRESSION_REMOVED, /* missing in the new side */
	REGRESSION_COUNT
};

/* "passed". */
const char *regression_name(enum regression regression);

/* Whether it was compared with a limit. */
bool regression_is_judged(enum regression regression);

/* Whether a time is over the limit, regardless of noise. */
bool regression_is_over(const struct regression_limit *limit, uint64_t base_ns,
	uint64_t new_ns);

/* Judges DIFF_TOTAL or DIFF_SELF. Less than `min_ns` on both sides is too
 * short. */
enum regression regression_of(const struct diff *diff,
	const struct diff_row *row, enum diff_key figure,
	const struct regression_limit *limit, uint64_t min_ns);

#endif
