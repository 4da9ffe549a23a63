/* SPDX-License-Identifier: MIT */
/* Medians, spreads, and how often chance is taken for a change. */
#include <check.h>
#include <math.h>
#include <stdint.h>

#include "noise.h"
#include "run_suite.h"

static uint64_t state;

/* Source: Marsaglia, "Xorshift RNGs". */
static double next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Normal noise of 1 %, around a million. */
static uint64_t next_time(void)
{
	double radius = sqrt(-2 * log(next_random()));
	double angle = 2 * acos(-1) * next_random();

	return (uint64_t)llround(1e6 * (1 + 0.01 * radius * cos(angle)));
}

static struct noise_sample take(size_t count, double factor)
{
	uint64_t values[64];

	ck_assert_uint_le(count, 64);
	for (size_t i = 0; i < count; i++)
		values[i] = (uint64_t)((double)next_time() * factor);
	return noise_sample(values, count);
}

/* In how many of so many pairs the second, which takes `factor` times as long,
 * is said to be more. */
static unsigned count_more(size_t count, double factor, unsigned pairs)
{
	unsigned more = 0;

	for (unsigned i = 0; i < pairs; i++) {
		struct noise_sample base = take(count, 1);
		struct noise_sample changed = take(count, factor);

		more += noise_exceeds(&base, &changed);
	}
	return more;
}

START_TEST(medians_are_in_the_middle)
{
	uint64_t one[] = {7};
	uint64_t odd[] = {30, 10, 21};
	uint64_t even[] = {1, 100, 4, 7};
	uint64_t large[] = {UINT64_MAX, UINT64_MAX - 2};

	ck_assert_uint_eq(noise_median(one, 1), 7);
	ck_assert_uint_eq(noise_median(odd, 3), 21);
	ck_assert_uint_eq(noise_median(even, 4), 5);
	ck_assert_uint_eq(noise_median(large, 2), UINT64_MAX - 1);
}
END_TEST

START_TEST(spread_and_deviation_are_of_distances)
{
	uint64_t one[] = {7};
	uint64_t odd[] = {30, 10, 21};
	uint64_t wild[] = {100, 101, 99, 5000, 100};
	struct noise_sample sample = noise_sample(one, 1);

	ck_assert_uint_eq(sample.spread, 0);
	sample = noise_sample(odd, 3);
	ck_assert_uint_eq(sample.median, 21);
	ck_assert_uint_eq(sample.spread, 9);
	ck_assert(fabs(sample.deviation * 3 - 20) < 1e-9);
	sample = noise_sample(wild, 5);
	ck_assert_uint_eq(sample.spread, 1);
	ck_assert(fabs(sample.deviation * 5 - 4902) < 1e-9);
}
END_TEST

START_TEST(without_spread_any_change_is_one)
{
	struct noise_sample base = {.median = 100, .count = 5};
	struct noise_sample more = {.median = 101, .count = 5};

	ck_assert(noise_exceeds(&base, &more));
	ck_assert(!noise_exceeds(&more, &base));
	ck_assert(!noise_exceeds(&base, &base));
}
END_TEST

START_TEST(of_few_runs_nothing_is_known_of_chance)
{
	struct noise_sample base = {.median = 100, .deviation = 50, .count = 2};
	struct noise_sample more = {.median = 101, .deviation = 50, .count = 9};

	ck_assert(noise_exceeds(&base, &more));
	base.count = 3;
	ck_assert(!noise_exceeds(&base, &more));
}
END_TEST

/* One in 333: as many as there should be, and not many less. */
START_TEST(chance_is_rarely_taken_for_a_change)
{
	static const size_t counts[] = {3, 4, 5, 6, 7, 8, 9, 10, 12, 20, 40};
	const unsigned pairs = 10000;

	state = 88172645463325252;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		unsigned more = count_more(counts[i], 1, pairs);

		ck_assert_msg(more >= 10 && more <= 50,
			"of %u pairs of %zu runs %u differ", pairs, counts[i],
			more);
	}
}
END_TEST

START_TEST(a_change_beyond_the_noise_is_always_found)
{
	state = 362436069;
	ck_assert_uint_eq(count_more(3, 1.2, 1000), 1000);
	ck_assert_uint_eq(count_more(8, 1.1, 1000), 1000);
	ck_assert_uint_eq(count_more(20, 1.03, 1000), 1000);
}
END_TEST

/* They make a median no other, and raise no alarm. */
START_TEST(wild_runs_change_nothing)
{
	uint64_t base[] = {100, 101, 99, 100, 102, 98, 100, 101, 99, 100};
	uint64_t wild[] = {100, 9000, 99, 100, 102, 98, 100, 5000, 99, 100};
	struct noise_sample one = noise_sample(base, 10);
	struct noise_sample two = noise_sample(wild, 10);

	ck_assert(!noise_exceeds(&one, &two));
	two.median = 110;
	ck_assert(noise_exceeds(&one, &two));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("noise");
	TCase *tests = tcase_create("noise");

	tcase_add_test(tests, medians_are_in_the_middle);
	tcase_add_test(tests, spread_and_deviation_are_of_distances);
	tcase_add_test(tests, without_spread_any_change_is_one);
	tcase_add_test(tests, of_few_runs_nothing_is_known_of_chance);
	tcase_add_test(tests, chance_is_rarely_taken_for_a_change);
	tcase_add_test(tests, a_change_beyond_the_noise_is_always_found);
	tcase_add_test(tests, wild_runs_change_nothing);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
