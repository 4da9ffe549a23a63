/* SPDX-License-Identifier: MIT */
/* Significance: medians, and whether two differ by more than chance. */
#ifndef SIGNIFICANCE_H
#define SIGNIFICANCE_H

#include <stddef.h>
#include <stdint.h>

/* The median of `count` values, at least one, which this sorts. Of an even
 * number it is the mean of the two in the middle, rounded down. */
uint64_t significance_median(uint64_t *values, size_t count);

/* So many runs a side at least tell noise from change. */
#define SIGNIFICANCE_RUNS_MIN 3

/* Of the runs of one side. */
struct significance_sample {
	uint64_t median;
	uint64_t spread;
	double deviation; /* the mean of the distances from the median */
	size_t count;
};

/* Two sides. */
struct significance_change {
	struct significance_sample base;
	struct significance_sample changed;
	/* How far the ranks of `changed` among all are above those of `base`,
	 * in standard deviations; 0 of few runs. */
	double rank;
};

/* Of values of both sides, at least one each, which this changes. */
struct significance_change significance_compare(uint64_t *base,
	size_t base_count, uint64_t *changed, size_t changed_count);

/*
 * 1 if `changed` is more than `base` by more than chance explains, -1 if it is
 * less, else 0. With fewer than SIGNIFICANCE_RUNS_MIN runs on a side nothing is known
 * of chance, and any change is one.
 */
int significance_sign(const struct significance_change *change);

#endif
