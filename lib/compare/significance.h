/* SPDX-License-Identifier: MIT */
/* Significance: medians, and whether two differ by more than chance. */
#ifndef SIGNIFICANCE_H
#define SIGNIFICANCE_H

#include <stddef.h>
#include <stdint.h>

/* Sorts `count` (at least one) values and returns their median. For an even
 * number it is the mean of the middle two, rounded down. */
uint64_t significance_median(uint64_t *values, size_t count);

/* Fewest runs per side that distinguish noise from change. */
#define SIGNIFICANCE_RUNS_MIN 3

/* Statistics of the runs of one side. */
struct significance_sample {
	uint64_t median;
	uint64_t spread;
	double deviation; /* mean distance from the median */
	size_t count;
};

/* Comparison of two sides. */
struct significance_change {
	struct significance_sample base;
	struct significance_sample changed;
	/* Difference of the ranks of `changed` and `base` among all runs, in
	 * standard deviations; 0 with few runs. */
	double rank;
};

/* Compares the values of both sides, at least one each, and overwrites them. */
struct significance_change significance_compare(uint64_t *base,
	size_t base_count, uint64_t *changed, size_t changed_count);

/*
 * 1 if `changed` is significantly larger than `base`, -1 if smaller, else 0.
 * With fewer than SIGNIFICANCE_RUNS_MIN runs on a side the noise is unknown,
 * and any change counts.
 */
int significance_sign(const struct significance_change *change);

#endif
