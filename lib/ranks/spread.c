/* SPDX-License-Identifier: MIT */
#include "ranks/spread.h"

#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"

#define BITS 4 /* of the mantissa that select a bucket */
#define PER_POWER (1u << BITS)

uint32_t spread_bucket_of(uint64_t value)
{
	unsigned power;

	if (value < PER_POWER)
		return (uint32_t)value;
	power = 63 - (unsigned)__builtin_clzll(value);
	return (power - BITS + 1) * PER_POWER +
	       (uint32_t)(value >> (power - BITS) & (PER_POWER - 1));
}

uint64_t spread_bucket_start(uint32_t bucket)
{
	uint32_t power = bucket / PER_POWER;

	if (power == 0)
		return bucket;
	return (uint64_t)(PER_POWER + bucket % PER_POWER) << (power - 1);
}

/* The index of the first bucket that is not less than this. */
static uint32_t find_bucket(const struct spread *spread, uint32_t number)
{
	uint32_t low = 0;
	uint32_t high = spread->bucket_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (spread->buckets[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool count_bucket(struct spread *spread, uint32_t number, uint64_t count)
{
	uint32_t at = find_bucket(spread, number);
	struct spread_bucket *bucket;

	if (at == spread->bucket_count ||
		spread->buckets[at].number != number) {
		if (!array_reserve32(&spread->buckets, spread->bucket_count,
			    &spread->bucket_room, sizeof(*spread->buckets)))
			return false;
		bucket = &spread->buckets[at];
		memmove(bucket + 1, bucket,
			(spread->bucket_count - at) * sizeof(*bucket));
		*bucket = (struct spread_bucket){.number = number};
		spread->bucket_count++;
	}
	bucket = &spread->buckets[at];
	bucket->count = saturate_sum(bucket->count, count);
	return true;
}

static spread_wide sum_wide(spread_wide left, spread_wide right)
{
	spread_wide sum;

	return __builtin_add_overflow(left, right, &sum) ? ~(spread_wide)0
							 : sum;
}

static void take_limits(struct spread *to, const struct spread *from)
{
	if (to->count == 0 || from->min_ns < to->min_ns ||
		(from->min_ns == to->min_ns && from->min_rank < to->min_rank)) {
		to->min_ns = from->min_ns;
		to->min_rank = from->min_rank;
	}
	if (to->count == 0 || from->max_ns > to->max_ns ||
		(from->max_ns == to->max_ns && from->max_rank < to->max_rank)) {
		to->max_ns = from->max_ns;
		to->max_rank = from->max_rank;
	}
}

bool spread_add(struct spread *to, const struct spread *from)
{
	if (from->count == 0)
		return true;
	take_limits(to, from);
	to->count = saturate_sum(to->count, from->count);
	to->sum_ns = saturate_sum(to->sum_ns, from->sum_ns);
	to->squares = sum_wide(to->squares, from->squares);
	for (uint32_t i = 0; i < from->bucket_count; i++)
		if (!count_bucket(to, from->buckets[i].number,
			    from->buckets[i].count))
			return false;
	return true;
}

bool spread_add_value(struct spread *spread, uint64_t value_ns, int64_t rank)
{
	struct spread_bucket bucket = {spread_bucket_of(value_ns), 1};
	const struct spread one = {.count = 1,
		.sum_ns = value_ns,
		.squares = (spread_wide)value_ns * value_ns,
		.min_ns = value_ns,
		.max_ns = value_ns,
		.min_rank = rank,
		.max_rank = rank,
		.buckets = &bucket,
		.bucket_count = 1};

	return spread_add(spread, &one);
}

bool spread_add_zeros(struct spread *spread, uint64_t count)
{
	struct spread_bucket bucket = {0, count};
	const struct spread zeros = {.count = count,
		.min_rank = SPREAD_RANK_NONE,
		.max_rank = SPREAD_RANK_NONE,
		.buckets = &bucket,
		.bucket_count = 1};

	return spread_add(spread, &zeros);
}

void spread_clear(struct spread *spread)
{
	memory_free(spread->buckets);
	*spread = (struct spread){.count = 0};
}

uint64_t spread_mean(const struct spread *spread)
{
	return spread->count == 0 ? 0 : spread->sum_ns / spread->count;
}

static uint64_t root(spread_wide square)
{
	uint64_t found = 0;

	for (unsigned bit = 64; bit-- > 0;) {
		uint64_t guess = found | UINT64_C(1) << bit;

		if ((spread_wide)guess * guess <= square)
			found = guess;
	}
	return found;
}

uint64_t spread_deviation(const struct spread *spread)
{
	spread_wide count = spread->count;
	spread_wide mean = spread_mean(spread);
	spread_wide square = (spread_wide)spread->sum_ns * spread->sum_ns;
	spread_wide all;

	if (count == 0)
		return 0;
	if (!__builtin_mul_overflow(spread->squares, count, &all))
		return all <= square ? 0
				     : root((all - square) / (count * count));
	/* Above 10^12 ns, a mean without its fraction is enough. */
	all = spread->squares / count;
	return all <= mean * mean ? 0 : root(all - mean * mean);
}

uint64_t spread_quantile(const struct spread *spread, unsigned percent)
{
	spread_wide wanted = (spread_wide)spread->count * percent;
	uint64_t count = 0;
	uint64_t value = spread->max_ns;

	for (uint32_t i = 0; i < spread->bucket_count; i++) {
		uint32_t number = spread->buckets[i].number;
		uint64_t start = spread_bucket_start(number);

		count = saturate_sum(count, spread->buckets[i].count);
		if ((spread_wide)count * 100 < wanted)
			continue;
		value = start + (spread_bucket_start(number + 1) - start) / 2;
		break;
	}
	if (value < spread->min_ns)
		return spread->min_ns;
	return value > spread->max_ns ? spread->max_ns : value;
}

uint64_t spread_lost(const struct spread *spread)
{
	spread_wide all = (spread_wide)spread->max_ns * spread->count;
	spread_wide lost = all <= spread->sum_ns ? 0 : all - spread->sum_ns;

	return lost > UINT64_MAX ? UINT64_MAX : (uint64_t)lost;
}
