/* SPDX-License-Identifier: MIT */
/*
 * The standard error of a median of n values is 1.2533 s / sqrt(n), where s,
 * their standard deviation, is 1.4826 times their median absolute deviation;
 * both hold for normal noise, and a few wild runs change neither median. All
 * is squared, so that no root is needed.
 * Source: Rousseeuw, Croux, "Alternatives to the Median Absolute Deviation",
 * JASA 88 (1993); Kenney, Keeping, "Mathematics of Statistics", part 2.
 */
#include "noise.h"

#include <stdlib.h>

#define ERROR_OF_SPREAD (1.2533 * 1.4826)
#define ERRORS 3.0 /* chance goes beyond these once in 740 times */

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a;
	const uint64_t *right = b;

	return *left < *right ? -1 : *left > *right;
}

uint64_t noise_median(uint64_t *values, size_t count)
{
	uint64_t upper;
	uint64_t lower;

	qsort(values, count, sizeof(*values), compare);
	upper = values[count / 2];
	lower = values[(count - 1) / 2];
	return lower + (upper - lower) / 2;
}

uint64_t noise_spread(uint64_t *values, size_t count, uint64_t median)
{
	for (size_t i = 0; i < count; i++)
		values[i] = values[i] > median ? values[i] - median
					       : median - values[i];
	return noise_median(values, count);
}

static double error_squared(const struct noise_sample *sample)
{
	double deviation = ERROR_OF_SPREAD * (double)sample->spread;

	return deviation * deviation / (double)sample->count;
}

bool noise_exceeds(
	const struct noise_sample *base, const struct noise_sample *changed)
{
	double change;

	if (changed->median <= base->median)
		return false;
	if (base->count < NOISE_RUNS_MIN || changed->count < NOISE_RUNS_MIN)
		return true;
	change = (double)(changed->median - base->median);
	return change * change >
	       ERRORS * ERRORS * (error_squared(base) + error_squared(changed));
}
