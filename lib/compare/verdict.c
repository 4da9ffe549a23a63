/* SPDX-License-Identifier: MIT */
/*
 * Slower is what is over its limit and also beyond what chance explains, by the
 * medians and spreads of the runs. Either alone cries wolf: a limit at every
 * disturbance, and chance, with many runs, at a change that nobody minds.
 */
#include "compare/verdict.h"

#define MILLION 1000000

__extension__ typedef unsigned __int128 wide;

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[VERDICT_COUNT] = {
		[VERDICT_PASSED] = "passed",
		[VERDICT_SLOWER] = "slower",
		[VERDICT_NOISE] = "noise",
		[VERDICT_SHORT] = "short",
		[VERDICT_OFF] = "off",
		[VERDICT_ADDED] = "added",
		[VERDICT_REMOVED] = "removed",
	};

	return names[verdict];
}

bool verdict_is_judged(enum verdict verdict)
{
	return verdict <= VERDICT_NOISE;
}

static uint64_t time_of(
	const struct diff_figures *figures, enum diff_key figure)
{
	return figure == DIFF_SELF ? figures->median.self_ns
				   : figures->median.total_ns;
}

bool verdict_is_over(
	const struct verdict_limit *limit, uint64_t base_ns, uint64_t new_ns)
{
	uint64_t more = new_ns > base_ns ? new_ns - base_ns : 0;

	if (limit->ppm == 0)
		return more > limit->time_ns;
	/* What is just the limit is not over it: nothing is rounded. */
	return (wide)more * MILLION > (wide)base_ns * limit->ppm;
}

enum verdict verdict_of(const struct diff *diff, const struct diff_row *row,
	enum diff_key figure, const struct verdict_limit *limit,
	uint64_t min_ns)
{
	uint64_t base = time_of(&row->side[DIFF_BASE], figure);
	uint64_t changed = time_of(&row->side[DIFF_NEW], figure);

	if (limit->off)
		return VERDICT_OFF;
	if (base < min_ns && changed < min_ns)
		return VERDICT_SHORT;
	if (row->side[DIFF_BASE].found == 0)
		return VERDICT_ADDED;
	if (row->side[DIFF_NEW].found == 0)
		return VERDICT_REMOVED;
	if (!verdict_is_over(limit, base, changed))
		return VERDICT_PASSED;
	return diff_sign(diff, row, figure) > 0 ? VERDICT_SLOWER
						: VERDICT_NOISE;
}
