/* SPDX-License-Identifier: MIT */
/*
 * The spread of a quantity over ranks: integers only, so that sums do not
 * depend on the order of adding. Quantiles come from a histogram with 16
 * buckets per power of two and are within 3.2 % of the exact ones.
 */
#ifndef SPREAD_H
#define SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#define SPREAD_RANK_NONE INT64_MAX

__extension__ typedef unsigned __int128 spread_wide;

struct spread_bucket {
	uint32_t number;
	uint64_t count;
};

/* All zero is empty; free with spread_clear(). */
struct spread {
	uint64_t count;
	uint64_t sum_ns;
	spread_wide squares; /* saturates, as do all sums */
	uint64_t min_ns;
	uint64_t max_ns;
	/* The lowest ranks with these values; SPREAD_RANK_NONE: unknown. */
	int64_t min_rank;
	int64_t max_rank;
	struct spread_bucket *buckets; /* by number */
	uint32_t bucket_count;
	uint32_t bucket_room;
};

/* Both: false if out of memory; the spread is then unusable. */
bool spread_add_value(struct spread *spread, uint64_t value_ns, int64_t rank);
bool spread_add(struct spread *to, const struct spread *from);
void spread_clear(struct spread *spread);

/* Adds a number of values of 0, of unknown ranks. False if out of memory. */
bool spread_add_zeros(struct spread *spread, uint64_t count);

uint64_t spread_mean(const struct spread *spread);
uint64_t spread_deviation(const struct spread *spread);

/* The value that `percent` of all values do not exceed. */
uint64_t spread_quantile(const struct spread *spread, unsigned percent);

/* The time that ranks lose by waiting for the slowest: (max - mean) x ranks. */
uint64_t spread_lost(const struct spread *spread);

/* The bucket of a value, and the lowest value of a bucket. */
uint32_t spread_bucket_of(uint64_t value);
uint64_t spread_bucket_start(uint32_t bucket);

#endif
