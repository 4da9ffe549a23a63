/* SPDX-License-Identifier: MIT */
/* base/clock.[ch]: the arithmetic exactly, the clocks themselves as far as they
 * can be relied on. */
#include <check.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "support/run_suite.h"

#define ONE (UINT64_C(1) << 32)

static struct clock_scale between(uint64_t ticks, int64_t ns)
{
	struct clock_sync from = {1000, 500, 0};
	struct clock_sync to = {1000 + ticks, 500 + ns, 0};

	return clock_scale_between(&from, &to, true);
}

START_TEST(the_scale_is_nanoseconds_by_ticks)
{
	/* 10 ms of a 2.5 GHz counter: 0.4 × 2^32 = 1,717,986,918.4. */
	struct clock_scale scale = between(25000000, 10000000);

	ck_assert_uint_eq(scale.start, 1000);
	ck_assert_uint_eq(scale.ns_per_tick, 1717986918);
	ck_assert_uint_eq(between(1000000, 1000000).ns_per_tick, ONE);
	/* A slow counter: 40 ns a tick. */
	ck_assert_uint_eq(between(25000, 1000000).ns_per_tick, 40 * ONE);
	/* 3 GHz: 2^32 / 3 = 1,431,655,765.33. */
	ck_assert_uint_eq(between(30000000, 10000000).ns_per_tick, 1431655765);
}
END_TEST

START_TEST(long_spans_do_not_overflow)
{
	/* 2^40 ns, 18 minutes, of a 2 GHz counter: exactly one half. */
	ck_assert_uint_eq(
		between(UINT64_C(1) << 41, INT64_C(1) << 40).ns_per_tick,
		ONE / 2);
	/* Half a century. */
	ck_assert_uint_eq(
		between(UINT64_C(1) << 62, INT64_C(1) << 61).ns_per_tick,
		ONE / 2);
}
END_TEST

START_TEST(without_a_counter_ticks_are_nanoseconds)
{
	struct clock_sync from = {77, 77, 0};
	struct clock_sync to = {1000077, 999, 0};
	struct clock_scale scale = clock_scale_between(&from, &to, false);

	ck_assert_uint_eq(scale.start, 77);
	ck_assert_uint_eq(scale.ns_per_tick, ONE);
	ck_assert_int_eq(clock_ns(&scale, 1000077), 1000000);
}
END_TEST

START_TEST(instants_that_make_no_sense_give_a_scale_of_1)
{
	ck_assert_uint_eq(between(0, 1000).ns_per_tick, ONE);
	ck_assert_uint_eq(between(1000, 0).ns_per_tick, ONE);
	ck_assert_uint_eq(between(1000, -5).ns_per_tick, ONE);
	/* Too few ticks: shifting leaves 0. */
	ck_assert_uint_eq(between(1, INT64_C(1) << 61).ns_per_tick, ONE);
}
END_TEST

/* Adds up the steps between instants around the start and far from it. */
START_TEST(steps_add_up_to_the_same_nanoseconds)
{
	static const uint64_t rates[] = {0, 1, 1717986918, ONE, 40 * ONE + 7,
		UINT64_C(1) << 48, UINT64_MAX};
	static const uint64_t origins[] = {
		0, 900, 1000, UINT64_C(1) << 45, UINT64_MAX - 5000};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]) * 5; i++) {
		const struct clock_scale scale = {1000, rates[i / 5]};
		const uint64_t origin = origins[i % 5];
		struct clock_steps steps = clock_steps(&scale, origin);
		uint64_t ns = 0;
		uint64_t ticks = 0;
		uint32_t step_ns;

		for (uint64_t j = 0; j < 4000; j++) {
			ticks = j % 512 == 511 ? ticks * 5 / 4 - j % 3
				: j % 64 == 63 ? ticks - 20
					       : ticks + j * j % 97;
			if (clock_steps_add(&steps, ticks, &step_ns)) {
				ck_assert_uint_le(step_ns, CLOCK_STEP_MAX);
				ns += step_ns;
			} else {
				clock_steps_jump(&steps, ticks);
				ns = (uint64_t)clock_steps_ns(&steps);
			}
			ck_assert_uint_eq(
				ns, (uint64_t)clock_ns(&scale, origin + ticks));
		}
	}
}
END_TEST

START_TEST(ticks_become_nanoseconds_exactly)
{
	struct clock_scale scale = {1000, 1717986918}; /* 2.5 GHz */

	ck_assert_int_eq(clock_ns(&scale, 1000), 0);
	ck_assert_int_eq(clock_ns(&scale, 1001), 0);
	ck_assert_int_eq(clock_ns(&scale, 1003), 1);
	/* 25,000,000 × 1,717,986,918 / 2^32 = 9,999,999.9976…, down. */
	ck_assert_int_eq(clock_ns(&scale, 25001000), 9999999);
	/* 2^32 ticks: the fixed-point number itself. */
	ck_assert_int_eq(clock_ns(&scale, 1000 + ONE), 1717986918);
	/* 2^32 × 1000 + 1000 ticks. */
	ck_assert_int_eq(clock_ns(&scale, 2000 + 1000 * ONE),
		1717986918 * INT64_C(1000) + 399);
}
END_TEST

START_TEST(before_the_start_is_negative)
{
	struct clock_scale scale = {1000, 1717986918};
	struct clock_scale half = {0, ONE / 2};

	ck_assert_int_eq(clock_ns(&scale, 999), 0);
	ck_assert_int_eq(clock_ns(&scale, 0), -399);
	ck_assert_int_eq(clock_ns(&scale, UINT64_MAX - 24998999), -9999999);
	/* The counter has wrapped in between. */
	ck_assert_int_eq(clock_ns(&half, UINT64_MAX - 999), -500);
}
END_TEST

START_TEST(huge_counts_are_defined)
{
	struct clock_scale half = {0, ONE / 2};
	struct clock_scale one = {0, ONE};
	struct clock_scale slow = {0, UINT64_MAX};

	ck_assert_int_eq(
		clock_ns(&half, INT64_MAX), INT64_C(4611686018427387903));
	ck_assert_int_eq(clock_ns(&half, UINT64_C(1) << 63),
		INT64_C(-4611686018427387904));
	ck_assert_int_eq(clock_ns(&one, INT64_MAX), INT64_MAX);
	ck_assert_int_eq(clock_ns(&one, UINT64_C(1) << 63), INT64_MIN);
	/* Meaningless, but harmless: corrupt chunks hold any number. */
	(void)clock_ns(&slow, INT64_MAX);
	(void)clock_ns(&slow, UINT64_C(1) << 63);
}
END_TEST

START_TEST(later_ticks_are_never_earlier_nanoseconds)
{
	static const uint64_t rates[] = {1, ONE / 5, 1431655765, 1717986918,
		ONE - 1, ONE, ONE + 1, 40 * ONE + 12345};
	uint64_t state = 1;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct clock_scale scale = {UINT64_C(1) << 50, rates[i]};
		uint64_t ticks = scale.start - 5000000;
		int64_t last = clock_ns(&scale, ticks);

		for (int j = 0; j < 20000; j++) {
			int64_t ns;

			state = state * UINT64_C(6364136223846793005) + 1;
			ticks += state >> 32 & ((1u << j % 32) - 1);
			ns = clock_ns(&scale, ticks);
			ck_assert_int_ge(ns, last);
			last = ns;
		}
	}
}
END_TEST

START_TEST(a_range_costs_time_unless_events_are_counted)
{
	ck_assert_uint_gt(clock_range_ps(false), 0);
	ck_assert_uint_lt(clock_range_ps(false), 1000000000);
	clock_count_events(true);
	ck_assert_uint_eq(clock_range_ps(false), 0);
	clock_count_events(false);
}
END_TEST

/* `_i` is whether the counter is used; without a counter, its test is empty. */
START_TEST(the_clocks_go_forward_together)
{
	bool tsc = _i != 0 && clock_has_tsc();
	struct clock_sync from = clock_sync_now(tsc);
	struct timespec rest = {0, 20000000};
	struct clock_sync to;
	struct clock_scale scale;
	uint64_t ticks = clock_ticks(tsc);

	ck_assert_uint_ge(ticks, from.ticks);
	(void)nanosleep(&rest, NULL);
	to = clock_sync_now(tsc);
	ck_assert_uint_gt(to.ticks, ticks);
	ck_assert_int_ge(to.raw_ns - from.raw_ns, 19000000);
	ck_assert_int_gt(from.realtime_ns, INT64_C(1000000000000000000));
	scale = clock_scale_between(&from, &to, tsc);
	ck_assert_int_eq(clock_ns(&scale, from.ticks), 0);
	/* Within the rounding error of the scale over this span. */
	ck_assert_int_le(
		llabs(clock_ns(&scale, to.ticks) - (to.raw_ns - from.raw_ns)),
		tsc ? 1000 : 10000000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("clock");
	TCase *tests = tcase_create("clock");

	tcase_add_test(tests, the_scale_is_nanoseconds_by_ticks);
	tcase_add_test(tests, long_spans_do_not_overflow);
	tcase_add_test(tests, without_a_counter_ticks_are_nanoseconds);
	tcase_add_test(tests, instants_that_make_no_sense_give_a_scale_of_1);
	tcase_add_test(tests, ticks_become_nanoseconds_exactly);
	tcase_add_test(tests, steps_add_up_to_the_same_nanoseconds);
	tcase_add_test(tests, before_the_start_is_negative);
	tcase_add_test(tests, huge_counts_are_defined);
	tcase_add_test(tests, later_ticks_are_never_earlier_nanoseconds);
	tcase_add_test(tests, a_range_costs_time_unless_events_are_counted);
	tcase_add_loop_test(tests, the_clocks_go_forward_together, 0, 2);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
