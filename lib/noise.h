/* SPDX-License-Identifier: MIT */
/* Medians, and whether two of them differ by more than chance. */
#ifndef NOISE_H
#define NOISE_H

#include <stdbool.h>
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

/* Of `count` values, at least one, which this changes. */
struct noise_sample noise_sample(uint64_t *values, size_t count);

/*
 * Is `changed` more than `base` by more than chance explains? With fewer than
 * NOISE_RUNS_MIN runs on a side nothing is known of chance, and any change is.
 */
bool noise_exceeds(
	const struct noise_sample *base, const struct noise_sample *changed);

#endif
