/* SPDX-License-Identifier: MIT */
/* lib/ranks/spread: sums, limits and quantiles, computed by hand. */
#include <check.h>
#include <stdlib.h>

#include "ranks/spread.h"
#include "support/run_suite.h"

/* Values of ranks 0, 1, ... */
static struct spread make(const uint64_t *values, size_t count)
{
	struct spread spread = {0};

	for (size_t i = 0; i < count; i++)
		ck_assert(spread_add_value(&spread, values[i], (int64_t)i));
	return spread;
}

#define MAKE(...) \
	make((const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void check_equal(const struct spread *one, const struct spread *other)
{
	ck_assert_uint_eq(one->count, other->count);
	ck_assert_uint_eq(one->sum_ns, other->sum_ns);
	ck_assert(one->squares == other->squares);
	ck_assert_uint_eq(one->min_ns, other->min_ns);
	ck_assert_uint_eq(one->max_ns, other->max_ns);
	ck_assert_int_eq(one->min_rank, other->min_rank);
	ck_assert_int_eq(one->max_rank, other->max_rank);
	ck_assert_uint_eq(one->bucket_count, other->bucket_count);
	for (uint32_t i = 0; i < one->bucket_count; i++) {
		ck_assert_uint_eq(
			one->buckets[i].number, other->buckets[i].number);
		ck_assert_uint_eq(
			one->buckets[i].count, other->buckets[i].count);
	}
}

START_TEST(buckets_have_sixteen_steps_per_power_of_two)
{
	static const struct {
		uint64_t value;
		uint32_t bucket;
		uint64_t start;
	} cases[] = {
		{0, 0, 0},
		{15, 15, 15},
		{16, 16, 16},
		{31, 31, 31},
		{32, 32, 32},
		{33, 32, 32},
		{34, 33, 34},
		{1000, 111, 992},
		{1024, 112, 1024},
		{UINT64_C(1) << 63, 960, UINT64_C(1) << 63},
		{UINT64_MAX, 975, UINT64_C(0xf800000000000000)},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t bucket = spread_bucket_of(cases[i].value);

		ck_assert_uint_eq(bucket, cases[i].bucket);
		ck_assert_uint_eq(spread_bucket_start(bucket), cases[i].start);
	}
	for (uint32_t bucket = 0; bucket <= 975; bucket++)
		ck_assert_uint_eq(
			spread_bucket_of(spread_bucket_start(bucket)), bucket);
}
END_TEST

START_TEST(four_values_have_exact_sums)
{
	struct spread spread = MAKE(20, 40, 10, 30);

	ck_assert_uint_eq(spread.count, 4);
	ck_assert_uint_eq(spread.sum_ns, 100);
	ck_assert(spread.squares == 3000);
	ck_assert_uint_eq(spread.min_ns, 10);
	ck_assert_int_eq(spread.min_rank, 2);
	ck_assert_uint_eq(spread.max_ns, 40);
	ck_assert_int_eq(spread.max_rank, 1);
	ck_assert_uint_eq(spread_mean(&spread), 25);
	/* (4 * 3000 - 100 * 100) / 16 = 125 */
	ck_assert_uint_eq(spread_deviation(&spread), 11);
	ck_assert_uint_eq(spread_lost(&spread), 60);
	ck_assert_uint_eq(spread_quantile(&spread, 25), 10);
	ck_assert_uint_eq(spread_quantile(&spread, 50), 20);
	ck_assert_uint_eq(spread_quantile(&spread, 75), 30);
	/* The bucket is [40, 42), and no quantile is above the maximum. */
	ck_assert_uint_eq(spread_quantile(&spread, 95), 40);
	spread_clear(&spread);
}
END_TEST

START_TEST(an_empty_spread_is_zero)
{
	struct spread spread = {0};
	struct spread empty = {0};

	ck_assert(spread_add(&spread, &empty));
	ck_assert_uint_eq(spread.count, 0);
	ck_assert_uint_eq(spread_mean(&spread), 0);
	ck_assert_uint_eq(spread_deviation(&spread), 0);
	ck_assert_uint_eq(spread_quantile(&spread, 50), 0);
	ck_assert_uint_eq(spread_lost(&spread), 0);
}
END_TEST

START_TEST(the_lowest_rank_has_a_limit_that_several_share)
{
	struct spread one = MAKE(7, 7, 9, 9);
	struct spread other = {0};

	for (int64_t rank = 3; rank >= 0; rank--)
		ck_assert(spread_add_value(&other, rank < 2 ? 7 : 9, rank));
	ck_assert_int_eq(one.min_rank, 0);
	ck_assert_int_eq(one.max_rank, 2);
	check_equal(&one, &other);
	spread_clear(&one);
	spread_clear(&other);
}
END_TEST

START_TEST(a_known_rank_comes_before_an_unknown_one)
{
	struct spread spread = {0};

	ck_assert(spread_add_value(&spread, 5, SPREAD_RANK_NONE));
	ck_assert_int_eq(spread.min_rank, SPREAD_RANK_NONE);
	ck_assert(spread_add_value(&spread, 5, 12));
	ck_assert_int_eq(spread.min_rank, 12);
	ck_assert_int_eq(spread.max_rank, 12);
	spread_clear(&spread);
}
END_TEST

START_TEST(ranks_without_an_item_count_as_zero)
{
	struct spread spread = MAKE(100);

	ck_assert(spread_add_zeros(&spread, 3));
	ck_assert_uint_eq(spread.count, 4);
	ck_assert_uint_eq(spread_mean(&spread), 25);
	ck_assert_uint_eq(spread.min_ns, 0);
	ck_assert_int_eq(spread.min_rank, SPREAD_RANK_NONE);
	ck_assert_int_eq(spread.max_rank, 0);
	ck_assert_uint_eq(spread_lost(&spread), 300);
	ck_assert_uint_eq(spread_quantile(&spread, 50), 0);
	ck_assert_uint_eq(spread_quantile(&spread, 95), 100);
	spread_clear(&spread);
}
END_TEST

START_TEST(adding_is_associative)
{
	struct spread all = MAKE(3, 1000, 500, 3, 70000, 17);
	struct spread left = {0};
	struct spread right = {0};

	for (int64_t rank = 0; rank < 6; rank++) {
		static const uint64_t values[] = {3, 1000, 500, 3, 70000, 17};

		ck_assert(spread_add_value(
			rank % 2 == 0 ? &left : &right, values[rank], rank));
	}
	ck_assert(spread_add(&right, &left));
	check_equal(&all, &right);
	spread_clear(&all);
	spread_clear(&left);
	spread_clear(&right);
}
END_TEST

START_TEST(sums_saturate)
{
	struct spread spread = MAKE(UINT64_MAX, UINT64_MAX, 1);
	struct spread twice = {0};

	ck_assert_uint_eq(spread.sum_ns, UINT64_MAX);
	ck_assert(spread.squares == ~(spread_wide)0);
	ck_assert(spread_deviation(&spread) > 0);
	ck_assert(spread_quantile(&spread, 95) >= UINT64_C(0xf800000000000000));
	spread.count = UINT64_MAX;
	spread.buckets[1].count = UINT64_MAX;
	ck_assert(spread_add(&twice, &spread));
	ck_assert(spread_add(&twice, &spread));
	ck_assert_uint_eq(twice.count, UINT64_MAX);
	ck_assert_uint_eq(twice.buckets[1].count, UINT64_MAX);
	ck_assert_uint_eq(spread_mean(&twice), 1);
	ck_assert_uint_eq(spread_lost(&twice), UINT64_MAX);
	spread_clear(&spread);
	spread_clear(&twice);
}
END_TEST

/* Half a second and one and a half, of 10^6 ranks each. */
START_TEST(the_deviation_of_long_times_is_near)
{
	struct spread spread = {.count = 2000000,
		.sum_ns = UINT64_C(2000000) * 1000000000,
		.squares = (spread_wide)1000000 * 500000000 * 500000000 +
			   (spread_wide)1000000 * 1500000000 * 1500000000};

	ck_assert_uint_eq(spread_deviation(&spread), 500000000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spread");
	TCase *tests = tcase_create("spread");

	tcase_add_test(tests, buckets_have_sixteen_steps_per_power_of_two);
	tcase_add_test(tests, four_values_have_exact_sums);
	tcase_add_test(tests, an_empty_spread_is_zero);
	tcase_add_test(tests, the_lowest_rank_has_a_limit_that_several_share);
	tcase_add_test(tests, a_known_rank_comes_before_an_unknown_one);
	tcase_add_test(tests, ranks_without_an_item_count_as_zero);
	tcase_add_test(tests, adding_is_associative);
	tcase_add_test(tests, sums_saturate);
	tcase_add_test(tests, the_deviation_of_long_times_is_near);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
