/* SPDX-License-Identifier: MIT */
/*
 * Of many runs, a few wild ones are to change nothing: the standard error of a
 * median of n values is 1.2533 s / sqrt(n), where s, their standard deviation,
 * is 1.4826 times their median absolute deviation. Of few, that deviation is
 * often much too small by chance, and the mean of the distances tells more;
 * wild runs only make it larger, which raises no alarm. Both hold for normal
 * noise. How many of these are beyond chance is such that medians of equal
 * programs differ by more once in 333 times.
 * Source: Rousseeuw, Croux, "Alternatives to the Median Absolute Deviation",
 * JASA 88 (1993). The limits are of a simulation, 400000 pairs for each count;
 * tests/test_noise.c does that again.
 */
#include "noise.h"

#include <stdlib.h>

#define ERROR_OF_SPREAD (1.2533 * 1.4826)

/* So many mean distances are more than chance. */
static const double few_limits[] = {
	[NOISE_RUNS_MIN] = 7.62, 4.53, 3.77, 3.08, 2.83, 2.49, 2.35};

#define MANY (sizeof(few_limits) / sizeof(few_limits[0]))

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

struct noise_sample noise_sample(uint64_t *values, size_t count)
{
	struct noise_sample sample = {
		.median = noise_median(values, count), .count = count};
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		values[i] = values[i] > sample.median
				    ? values[i] - sample.median
				    : sample.median - values[i];
		sum += (double)values[i];
	}
	sample.spread = noise_median(values, count);
	sample.deviation = sum / (double)count;
	return sample;
}

/* Of both sides together: they are of one program, or nearly. */
static double deviation_of(
	const struct noise_sample *base, const struct noise_sample *changed)
{
	double sum = base->deviation * (double)base->count +
		     changed->deviation * (double)changed->count;

	return sum / (double)(base->count + changed->count);
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
	double errors = 2.75 + 8.5 / (double)fewer;
	double change;

	if (changed->median <= base->median)
		return false;
	if (fewer < NOISE_RUNS_MIN)
		return true;
	change = (double)(changed->median - base->median);
	if (fewer < MANY)
		return change > few_limits[fewer] * deviation_of(base, changed);
	/* Squared, so that no root is needed. */
	return change * change >
	       errors * errors * (error_squared(base) + error_squared(changed));
}
