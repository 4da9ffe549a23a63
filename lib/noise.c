/* SPDX-License-Identifier: MIT */
/*
 * The standard error of a median of n values is 1.2533 s / sqrt(n), where s,
 * their standard deviation, is 1.4826 times their median absolute deviation;
 * both hold for normal noise, and a few wild runs change neither. Of few values
 * that deviation is often much too small by chance, so that it takes more
 * errors: so many that medians of equal programs differ by more once in 333
 * times. All is squared, so that no root is needed.
 * Source: Rousseeuw, Croux, "Alternatives to the Median Absolute Deviation",
 * JASA 88 (1993). The numbers of errors are of a simulation, 400000 pairs for
 * each count; tests/test_noise.c does that again.
 */
#include "noise.h"

#include <stdlib.h>

#define ERROR_OF_SPREAD (1.2533 * 1.4826)

/* How many standard errors are more than chance. */
static double errors_of(size_t count)
{
	static const double few[] = {[NOISE_RUNS_MIN] = 17.3,
		6.31,
		6.21,
		4.58,
		4.55,
		3.93,
		3.93,
		3.58};

	if (count < sizeof(few) / sizeof(few[0]))
		return few[count];
	return 2.75 + 8.5 / (double)count;
}

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
	size_t fewer =
		base->count < changed->count ? base->count : changed->count;
	double errors;
	double change;

	if (changed->median <= base->median)
		return false;
	if (base->count < NOISE_RUNS_MIN || changed->count < NOISE_RUNS_MIN)
		return true;
	errors = errors_of(fewer);
	change = (double)(changed->median - base->median);
	return change * change >
	       errors * errors * (error_squared(base) + error_squared(changed));
}
