/* SPDX-License-Identifier: MIT */
/* Is a function slower than allowed? */
#ifndef VERDICT_H
#define VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "compare/diff.h"

/* By how much more time a function may take. */
struct verdict_limit {
	bool off;         /* by anything */
	uint32_t ppm;     /* of the base; or, if that is 0, */
	uint64_t time_ns; /* so long */
};

enum verdict {
	VERDICT_PASSED,  /* it is within the limit */
	VERDICT_SLOWER,  /* it is not */
	VERDICT_NOISE,   /* it is not, but chance explains that */
	VERDICT_SHORT,   /* it takes too little time to tell */
	VERDICT_OFF,     /* it has no limit */
	VERDICT_ADDED,   /* there is nothing to compare it with */
	VERDICT_REMOVED, /* likewise */
	VERDICT_COUNT
};

/* "passed". */
const char *verdict_name(enum verdict verdict);

/* Was it compared with a limit? */
bool verdict_is_judged(enum verdict verdict);

/* Is a time over the limit, whatever the noise? */
bool verdict_is_over(
	const struct verdict_limit *limit, uint64_t base_ns, uint64_t new_ns);

/* Of DIFF_TOTAL or DIFF_SELF. What takes less than `min_ns` on both sides is
 * too short. */
enum verdict verdict_of(const struct diff *diff, const struct diff_row *row,
	enum diff_key figure, const struct verdict_limit *limit,
	uint64_t min_ns);

#endif
