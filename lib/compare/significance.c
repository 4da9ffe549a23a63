/* SPDX-License-Identifier: MIT */
/*
 * With many runs, ranks are compared: how often a run of one side exceeds one
 * of the other does not depend on the distribution of the noise, and outliers
 * have little effect. With few runs, the mean distance from the median is used;
 * outliers only increase it, which raises no false alarm. Its limits assume
 * normal noise: medians of equal programs differ by more once in 333 times.
 * Median absolute deviations are unsuitable, because with few runs they are
 * often nearly 0 by chance.
 * Source: Mann, Whitney, "On a test of whether one of two random variables is
 * stochastically larger than the other", 1947. The limits for few runs are from
 * a simulation of 400000 pairs for each count;
 * tests/lib/compare/test_significance.c repeats it.
 */
#include "compare/significance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Chance exceeds this once in 2000 times. */
#define RANK_LIMIT 3.3

/* Significance limit in mean distances, by number of runs. */
static const double few_limits[] = {
	[SIGNIFICANCE_RUNS_MIN] = 7.62, 4.53, 3.77, 3.08, 2.83, 2.49, 2.35};

#define MANY (sizeof(few_limits) / sizeof(few_limits[0]))

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a;
	const uint64_t *right = b;

	return *left < *right ? -1 : *left > *right;
}

uint64_t significance_median(uint64_t *values, size_t count)
{
	uint64_t upper;
	uint64_t lower;

	qsort(values, count, sizeof(*values), compare);
	upper = values[count / 2];
	lower = values[(count - 1) / 2];
	return lower + (upper - lower) / 2;
}

/* Takes `count` sorted values and replaces them by their distances. */
static struct significance_sample sample_of(uint64_t *values, size_t count)
{
	struct significance_sample sample = {
		.median = significance_median(values, count), .count = count};
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		values[i] = values[i] > sample.median
				    ? values[i] - sample.median
				    : sample.median - values[i];
		sum += (double)values[i];
	}
	sample.spread = significance_median(values, count);
	sample.deviation = sum / (double)count;
	return sample;
}

/* Takes sorted values. Equal pairs count half. */
static double rank_of(const uint64_t *base, size_t base_count,
	const uint64_t *changed, size_t changed_count)
{
	double pairs = (double)base_count * (double)changed_count;
	double more = 0;
	size_t less = 0; /* base values below the current one */
	size_t equal = 0;

	for (size_t i = 0; i < changed_count; i++) {
		while (less < base_count && base[less] < changed[i])
			less++;
		if (equal < less)
			equal = less;
		while (equal < base_count && base[equal] == changed[i])
			equal++;
		more += (double)(less + equal) / 2;
	}
	return (more - pairs / 2) /
	       sqrt(pairs * (double)(base_count + changed_count + 1) / 12);
}

struct significance_change significance_compare(uint64_t *base,
	size_t base_count, uint64_t *changed, size_t changed_count)
{
	struct significance_change change = {0};

	qsort(base, base_count, sizeof(*base), compare);
	qsort(changed, changed_count, sizeof(*changed), compare);
	if (base_count >= MANY && changed_count >= MANY)
		change.rank = rank_of(base, base_count, changed, changed_count);
	change.base = sample_of(base, base_count);
	change.changed = sample_of(changed, changed_count);
	return change;
}

/* Pools both sides, which are almost the same program. */
static double deviation_of(const struct significance_sample *base,
	const struct significance_sample *changed)
{
	double sum = base->deviation * (double)base->count +
		     changed->deviation * (double)changed->count;

	return sum / (double)(base->count + changed->count);
}

int significance_sign(const struct significance_change *change)
{
	const struct significance_sample *base = &change->base;
	const struct significance_sample *changed = &change->changed;
	size_t fewer =
		base->count < changed->count ? base->count : changed->count;
	double more = (double)changed->median - (double)base->median;
	bool is_change = true;

	if (changed->median == base->median)
		return 0;
	if (fewer >= MANY)
		is_change =
			(more > 0 ? change->rank : -change->rank) > RANK_LIMIT;
	else if (fewer >= SIGNIFICANCE_RUNS_MIN)
		is_change = fabs(more) >
			    few_limits[fewer] * deviation_of(base, changed);
	return !is_change ? 0 : more > 0 ? 1 : -1;
}
