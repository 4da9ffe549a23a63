/* SPDX-License-Identifier: MIT */
/* Medians, spreads, and the rate of false alarms. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "compare/diff.h"
#include "support/run_suite.h"

#define RUNS_MAX 64

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
static double next_time(void)
{
	double radius = sqrt(-2 * log(next_random()));
	double angle = 2 * acos(-1) * next_random();

	return 1e6 * (1 + 0.01 * radius * cos(angle));
}

/* The sign of a change by this factor, with `count` runs on each side. */
static int compare_runs(size_t count, double factor)
{
	uint64_t base[RUNS_MAX];
	uint64_t changed[RUNS_MAX];
	struct significance_change change;

	ck_assert_uint_le(count, RUNS_MAX);
	for (size_t i = 0; i < count; i++) {
		base[i] = (uint64_t)next_time();
		changed[i] = (uint64_t)(next_time() * factor);
	}
	change = significance_compare(base, count, changed, count);
	return significance_sign(&change);
}

/* The sign of one run by this factor beside `count` runs of the base. */
static int compare_run(size_t count, double factor)
{
	uint64_t base[RUNS_MAX];
	uint64_t changed = (uint64_t)(next_time() * factor);
	struct significance_change change;

	ck_assert_uint_le(count, RUNS_MAX);
	for (size_t i = 0; i < count; i++)
		base[i] = (uint64_t)next_time();
	change = significance_compare(base, count, &changed, 1);
	return significance_sign(&change);
}

/* The number of pairs with such a sign. */
static unsigned count_signs(
	int sign, size_t count, double factor, unsigned pairs)
{
	unsigned found = 0;

	for (unsigned i = 0; i < pairs; i++)
		found += compare_runs(count, factor) == sign;
	return found;
}

START_TEST(medians_are_in_the_middle)
{
	uint64_t one[] = {7};
	uint64_t odd[] = {30, 10, 21};
	uint64_t even[] = {1, 100, 4, 7};
	uint64_t large[] = {UINT64_MAX, UINT64_MAX - 2};

	ck_assert_uint_eq(significance_median(one, 1), 7);
	ck_assert_uint_eq(significance_median(odd, 3), 21);
	ck_assert_uint_eq(significance_median(even, 4), 5);
	ck_assert_uint_eq(significance_median(large, 2), UINT64_MAX - 1);
}
END_TEST

START_TEST(spread_and_deviation_are_of_distances)
{
	uint64_t odd[] = {30, 10, 21};
	uint64_t wild[] = {100, 101, 99, 5000, 100};
	struct significance_change change =
		significance_compare(odd, 3, wild, 5);

	ck_assert_uint_eq(change.base.median, 21);
	ck_assert_uint_eq(change.base.spread, 9);
	ck_assert(fabs(change.base.deviation * 3 - 20) < 1e-9);
	ck_assert_uint_eq(change.changed.spread, 1);
	ck_assert(fabs(change.changed.deviation * 5 - 4902) < 1e-9);
}
END_TEST

START_TEST(ranks_count_pairs)
{
	uint64_t base[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	uint64_t changed[] = {5, 5, 11, 11, 11, 11, 11, 11, 11, 11};
	struct significance_change change =
		significance_compare(base, 10, changed, 10);

	/* 89 of 100 pairs are larger, where 50 are expected. */
	ck_assert(fabs(change.rank - 39 / sqrt(175)) < 1e-9);
}
END_TEST

START_TEST(without_spread_any_change_is_one)
{
	uint64_t base[] = {100, 100, 100};
	uint64_t more[] = {101, 101, 101};
	struct significance_change change =
		significance_compare(base, 3, more, 3);

	ck_assert_int_eq(significance_sign(&change), 1);
	change = significance_compare(base, 3, base, 3);
	ck_assert_int_eq(significance_sign(&change), 0);
}
END_TEST

START_TEST(few_runs_cannot_exclude_chance)
{
	struct significance_change change = {
		.base = {.median = 101, .deviation = 50, .count = 2},
		.changed = {.median = 100, .deviation = 50, .count = 9},
	};

	ck_assert_int_eq(significance_sign(&change), -1);
	change.base.count = 3;
	ck_assert_int_eq(significance_sign(&change), 0);
}
END_TEST

/* For few runs one in 333, and hardly fewer; for many one in 2000. */
START_TEST(chance_is_rarely_taken_for_a_change)
{
	static const size_t counts[] = {3, 4, 5, 6, 7, 8, 9, 10, 12, 20, 40};
	const unsigned pairs = 10000;

	state = 88172645463325252;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		bool few = counts[i] < 10;
		unsigned more = count_signs(1, counts[i], 1, pairs);

		ck_assert_msg(more >= (few ? 15 : 0) && more <= (few ? 50 : 12),
			"of %u pairs of %zu runs %u differ", pairs, counts[i],
			more);
	}
}
END_TEST

/* One run against several of the base; beyond ten hardly fewer than one in
 * 333. */
START_TEST(chance_is_rarely_taken_for_a_change_of_one_run)
{
	static const size_t counts[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 30};
	const unsigned tries = 20000;

	state = 88172645463325252;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		unsigned found = 0;

		for (unsigned k = 0; k < tries; k++)
			found += compare_run(counts[i], 1) != 0;
		ck_assert_msg(
			found >= (counts[i] <= 12 ? 35 : 1) && found <= 90,
			"of %u runs beside %zu %u differ", tries, counts[i],
			found);
	}
}
END_TEST

START_TEST(one_run_beyond_the_noise_is_always_found)
{
	state = 362436069;
	for (int i = 0; i < 1000; i++) {
		ck_assert_int_eq(compare_run(6, 1.2), 1);
		ck_assert_int_eq(compare_run(10, 0.88), -1);
	}
}
END_TEST

START_TEST(a_change_beyond_the_noise_is_always_found)
{
	state = 362436069;
	ck_assert_uint_eq(count_signs(1, 3, 1.2, 1000), 1000);
	ck_assert_uint_eq(count_signs(1, 8, 1.1, 1000), 1000);
	ck_assert_uint_eq(count_signs(-1, 8, 0.9, 1000), 1000);
	ck_assert_uint_eq(count_signs(1, 20, 1.03, 1000), 1000);
	ck_assert_uint_eq(count_signs(-1, 20, 0.97, 1000), 1000);
}
END_TEST

/* They do not change a median, and raise no alarm. */
START_TEST(wild_runs_change_nothing)
{
	uint64_t base[] = {100, 101, 99, 100, 102, 98, 100, 101, 99, 100};
	uint64_t wild[] = {100, 9000, 99, 100, 103, 98, 100, 5000, 99, 101};
	uint64_t more[] = {110, 9000, 109, 107, 113, 108, 110, 5000, 109, 111};
	struct significance_change change =
		significance_compare(base, 10, wild, 10);

	ck_assert_int_eq(significance_sign(&change), 0);
	for (size_t i = 0; i < 10; i++)
		base[i] = 98 + i % 5;
	change = significance_compare(base, 10, more, 10);
	ck_assert_int_eq(significance_sign(&change), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("significance");
	TCase *tests = tcase_create("significance");

	tcase_add_test(tests, medians_are_in_the_middle);
	tcase_add_test(tests, spread_and_deviation_are_of_distances);
	tcase_add_test(tests, ranks_count_pairs);
	tcase_add_test(tests, without_spread_any_change_is_one);
	tcase_add_test(tests, few_runs_cannot_exclude_chance);
	tcase_add_test(tests, chance_is_rarely_taken_for_a_change);
	tcase_add_test(tests, chance_is_rarely_taken_for_a_change_of_one_run);
	tcase_add_test(tests, one_run_beyond_the_noise_is_always_found);
	tcase_add_test(tests, a_change_beyond_the_noise_is_always_found);
	tcase_add_test(tests, wild_runs_change_nothing);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
