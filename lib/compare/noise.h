/* SPDX-License-Identifier: MIT */
/* Medians, and whether two of them differ by more than chance. */
#ifndef NOISE_H
#define NOISE_H

#include <stddef.h>
#include <stdint.h>

/* The median of `count` values, at least one, which this sorts. Of an even
 * number it is the mean of the two in the middle, rounded down. */
uint64_t noise_median(uint64_t *values, size_t count);

/* So many runs a side at least tell noise from change. */
#define NOISE_RUNS_MIN 3

/* Of the runs of one side. */
struct noise_sample {
	uint64_t median;
	uint64_t spread;
	double deviation; /* the mean of the distances from the median */
	size_t count;
};

/* Two sides. */
struct noise_change {
	struct noise_sample base;
	struct noise_sample changed;
	/* How far the ranks of `changed` among all are above those of `base`,
	 * in standard deviations; 0 of few runs. */
	double rank;
};

/* Of values of both sides, at least one each, which this changes. */
struct noise_change noise_compare(uint64_t *base, size_t base_count,
	uint64_t *changed, size_t changed_count);

/*
 * 1 if `changed` is more than `base` by more than chance explains, -1 if it is
 * less, else 0. With fewer than NOISE_RUNS_MIN runs on a side nothing is known
 * of chance, and any change is one.
 */
int noise_sign(const struct noise_change *change);

#endif
