/* SPDX-License-Identifier: MIT */
/*
 * A function is slower if it is over its limit and the change is significant,
 * by the medians and spreads of the runs. Either alone raises false alarms: a
 * limit at every disturbance, and significance, with many runs, at irrelevant
 * changes.
 */
#include "compare/regression.h"

#define MILLION 1000000

__extension__ typedef unsigned __int128 wide;

const char *regression_name(enum regression regression)
{
	static const char *const names[REGRESSION_COUNT] = {
		[REGRESSION_PASSED] = "passed",
		[REGRESSION_SLOWER] = "slower",
		[REGRESSION_NOISE] = "noise",
		[REGRESSION_SHORT] = "short",
		[REGRESSION_OFF] = "off",
		[REGRESSION_ADDED] = "added",
		[REGRESSION_REMOVED] = "removed",
	};

	return names[regression];
}

bool regression_is_judged(enum regression regression)
{
	return regression <= REGRESSION_NOISE;
}

static uint64_t time_of(
	const struct diff_figures *figures, enum diff_key figure)
{
	return figure == DIFF_SELF ? figures->median.self_ns
				   : figures->median.total_ns;
}

bool regression_is_over(
	const struct regression_limit *limit, uint64_t base_ns, uint64_t new_ns)
{
	uint64_t more = new_ns > base_ns ? new_ns - base_ns : 0;

	if (limit->ppm == 0)
		return more > limit->time_ns;
	/* A change equal to the limit is not over it: nothing is rounded. */
	return (wide)more * MILLION > (wide)base_ns * limit->ppm;
}

enum regression regression_of(const struct diff *diff,
	const struct diff_row *row, enum diff_key figure,
	const struct regression_limit *limit, uint64_t min_ns)
{
	uint64_t base = time_of(&row->side[DIFF_BASE], figure);
	uint64_t changed = time_of(&row->side[DIFF_NEW], figure);

	if (limit->off)
		return REGRESSION_OFF;
	if (base < min_ns && changed < min_ns)
		return REGRESSION_SHORT;
	if (row->side[DIFF_BASE].found == 0)
		return REGRESSION_ADDED;
	if (row->side[DIFF_NEW].found == 0)
		return REGRESSION_REMOVED;
	if (!regression_is_over(limit, base, changed))
		return REGRESSION_PASSED;
	return diff_sign(diff, row, figure) > 0 ? REGRESSION_SLOWER
						: REGRESSION_NOISE;
}
