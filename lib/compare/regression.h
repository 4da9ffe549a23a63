/* SPDX-License-Identifier: MIT */
/* The check for regressions: is a function slower than its limit allows? */
#ifndef REGRESSION_H
#define REGRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/diff.h"

/* By how much more time a function may take. */
struct regression_limit {
	bool off;         /* by anything */
	uint32_t ppm;     /* of the base; or, if that is 0, */
	uint64_t time_ns; /* so long */
};

enum regression {
	REGRESSION_PASSED,  /* it is within the limit */
	REGRESSION_SLOWER,  /* it is not */
	REGRESSION_NOISE,   /* it is not, but chance explains that */
	REGRESSION_SHORT,   /* it takes too little time to tell */
	REGRESSION_OFF,     /* it has no limit */
	REGRESSION_ADDED,   /* there is nothing to compare it with */
	REGRESSION_REMOVED, /* likewise */
	REGRESSION_COUNT
};

/* "passed". */
const char *regression_name(enum regression regression);

/* Was it compared with a limit? */
bool regression_is_judged(enum regression regression);

/* Is a time over the limit, whatever the noise? */
bool regression_is_over(const struct regression_limit *limit, uint64_t base_ns,
	uint64_t new_ns);

/* Of DIFF_TOTAL or DIFF_SELF. What takes less than `min_ns` on both sides is
 * too short. */
enum regression regression_of(const struct diff *diff,
	const struct diff_row *row, enum diff_key figure,
	const struct regression_limit *limit, uint64_t min_ns);

#endif
