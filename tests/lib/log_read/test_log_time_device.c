/* SPDX-License-Identifier: MIT */
/* lib/log_read/log_time.[ch]: device clocks that drift, have another epoch, or
 * step, converted to log time within a microsecond of the truth. */
#include <check.h>
#include <stdlib.h>

#include "log/log.h"
#include "log_read/log_time.h"
#include "support/run_suite.h"

#define SECOND INT64_C(1000000000)
#define EPOCH INT64_C(1700000000123456789)

static struct log_time_device clock;

static void tear_down(void)
{
	log_time_device_clear(&clock);
}

static void add(int64_t log, int64_t device)
{
	ck_assert(log_time_device_add(&clock, log, device));
}

static int64_t place(int64_t device)
{
	int64_t end = device;

	log_time_device_place(&clock, &device, &end);
	ck_assert_int_eq(device, end);
	return device;
}

/* A device's clock: off by `epoch`, fast by `ppm`, and from `step_at` on ahead
 * by `step`. */
struct device {
	int64_t epoch;
	int64_t ppm;
	int64_t step_at;
	int64_t step;
};

static int64_t read_clock(const struct device *device, int64_t log)
{
	return device->epoch + log + log / 1000000 * device->ppm +
	       log % 1000000 * device->ppm / 1000000 +
	       (log >= device->step_at ? device->step : 0);
}

static const struct device devices[] = {
	{0, 0, INT64_MAX, 0},
	{EPOCH, 0, INT64_MAX, 0},
	{EPOCH, 200, INT64_MAX, 0},
	{EPOCH, -200, INT64_MAX, 0},
	{-EPOCH, 500, INT64_MAX, 0},
	{12345, -500, INT64_MAX, 0},
	/* Steps larger than the time between two instants: each time clearly
	 * belongs to one clock. */
	{EPOCH, 200, 7 * SECOND + 400000000, 2 * SECOND},
	{EPOCH, 200, 7 * SECOND + 400000000, -2 * SECOND},
	{EPOCH, -200, 7 * SECOND, 3600 * SECOND},
	{EPOCH, 30, 7 * SECOND, -3600 * SECOND},
	{EPOCH, 0, 3 * SECOND / 2, -EPOCH},
};

#define DEVICES (sizeof(devices) / sizeof(devices[0]))

/* The device's activities of each second are delivered at its end, after an
 * instant on both clocks, as libctprof-inject does. */
START_TEST(times_are_within_a_microsecond)
{
	const struct device *device = &devices[_i];

	add(0, read_clock(device, 0));
	for (int64_t log = SECOND; log < 20 * SECOND; log += SECOND) {
		add(log, read_clock(device, log));
		for (int64_t at = log - SECOND; at < log; at += 9999991) {
			int64_t off = place(read_clock(device, at)) - at;

			ck_assert_msg(off > -1000 && off < 1000,
				"off by %ld at %ld", (long)off, (long)at);
		}
	}
	ck_assert_uint_eq(clock.steps, device->step != 0);
}
END_TEST

/* A pair too close to the last one is used if it shows a step: nothing later
 * would place the activities between the step and the end of the recording. */
START_TEST(a_step_soon_after_a_pair_counts)
{
	add(0, EPOCH);
	add(SECOND, EPOCH + SECOND);
	add(SECOND + 300000,
		EPOCH + SECOND + 1300000); /* not beyond the limit */
	ck_assert_uint_eq(clock.steps, 0);
	ck_assert_int_eq(place(EPOCH + SECOND + 200000), SECOND + 200000);
	add(SECOND + 400000, EPOCH + 6 * SECOND + 400000);
	ck_assert_uint_eq(clock.steps, 1);
	ck_assert_int_eq(place(EPOCH + SECOND - 7), SECOND - 7);
	ck_assert_int_eq(place(EPOCH + 6 * SECOND + 350000), SECOND + 350000);
	add(SECOND + 400000, EPOCH); /* no time has passed */
	ck_assert_uint_eq(clock.steps, 1);
}
END_TEST

START_TEST(lines_are_exact_to_the_nanosecond)
{
	add(0, EPOCH);
	add(3 * SECOND, EPOCH + 3 * SECOND + 1000003);
	/* Compared with products that need more than 64 bits. */
	for (int64_t since = 0; since <= 3 * SECOND; since += 7654321) {
		__extension__ const __int128 wide =
			(__extension__(__int128) since) * (3 * SECOND);

		ck_assert_int_eq(place(EPOCH + since),
			(int64_t)(wide / (3 * SECOND + 1000003)));
	}
	ck_assert_int_eq(place(EPOCH + 3 * SECOND + 1000003), 3 * SECOND);
	/* Rounds down, also before the first. */
	ck_assert_int_eq(place(EPOCH - 1), -1);
	ck_assert_int_eq(place(EPOCH - 3 * SECOND - 1000003), -3 * SECOND);
}
END_TEST

START_TEST(times_that_rise_stay_so)
{
	int64_t last = INT64_MIN;

	add(SECOND, EPOCH);
	add(2 * SECOND, EPOCH + SECOND + 200000);
	add(3 * SECOND, EPOCH + 2 * SECOND - 400000);
	add(3 * SECOND + 2000000, EPOCH + 2 * SECOND + 1600000);
	for (int64_t at = -SECOND; at < 4 * SECOND; at += 33333) {
		int64_t now = place(EPOCH + at);

		ck_assert_int_gt(now, last);
		last = now;
	}
}
END_TEST

START_TEST(outside_the_nearest_rate_continues)
{
	add(0, 0);
	ck_assert_int_eq(place(-5), -5);
	ck_assert_int_eq(place(7), 7);
	/* Too close together to give a rate. */
	add(400000000, 400000400);
	ck_assert_int_eq(place(SECOND + 400), SECOND);
	ck_assert_int_eq(place(-SECOND), -SECOND);
	add(500000000, 500000500);
	ck_assert_int_eq(place(2 * SECOND + 2000), 2 * SECOND);
	ck_assert_int_eq(place(-SECOND - 1000), -SECOND);
	/* After the last instant, by the nearest ones. */
	add(2 * SECOND, 2 * SECOND + 500 + 3000);
	ck_assert_int_eq(place(3 * SECOND + 500 + 5000), 3 * SECOND);
}
END_TEST

START_TEST(without_an_instant_the_clock_is_the_systems)
{
	clock.start = EPOCH;
	ck_assert_int_eq(place(EPOCH + 17), 17);
	ck_assert_int_eq(place(EPOCH - 17), -17);
}
END_TEST

START_TEST(activities_across_a_clock_step_use_one_clock)
{
	int64_t begin = EPOCH + SECOND - 100;
	int64_t end = EPOCH + 2 * SECOND;

	add(0, EPOCH);
	add(SECOND, EPOCH + SECOND);
	add(2 * SECOND, EPOCH + 100 * SECOND);
	log_time_device_place(&clock, &begin, &end);
	ck_assert_int_eq(begin, SECOND - 100);
	ck_assert_int_eq(end, 2 * SECOND);
	ck_assert_uint_eq(clock.steps, 1);
}
END_TEST

START_TEST(a_step_is_more_than_a_thousandth)
{
	add(0, 0);
	add(SECOND, SECOND + 1020000);
	ck_assert_uint_eq(clock.steps, 0);
	add(2 * SECOND, 2 * SECOND + 1020000 - 1020001);
	ck_assert_uint_eq(clock.steps, 1);
}
END_TEST

START_TEST(pairs_without_sense_change_nothing)
{
	add(0, 0);
	add(SECOND, SECOND);
	add(SECOND + 999999, SECOND + 77); /* too soon */
	add(SECOND - 1, 77);
	add(INT64_MIN, 77);
	add(INT64_MAX, 77);
	add(5 * SECOND, INT64_MIN);
	add(5 * SECOND, INT64_MAX);
	ck_assert_uint_eq(clock.count, 2);
	ck_assert_uint_eq(clock.steps, 0);
	ck_assert_int_eq(place(SECOND / 2), SECOND / 2);
}
END_TEST

START_TEST(log_times_stand_as_they_are)
{
	add(0, 0);
	ck_assert_int_eq(place(5), 5);
	ck_assert_int_eq(place(INT64_MIN), INT64_MIN);
	ck_assert_int_eq(place(INT64_MAX), INT64_MAX);
}
END_TEST

START_TEST(times_at_the_limits_are_kept_within)
{
	static const int64_t times[] = {
		INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
	static const int64_t pairs[][2] = {{0, 0}, {-(INT64_MAX / 8), 0},
		{INT64_MAX / 8, INT64_MAX / 2}, {INT64_MAX / 8, INT64_MIN / 2},
		{0, INT64_MAX / 2}, {1, INT64_MIN / 2}};

	for (size_t p = 0; p < sizeof(pairs) / sizeof(pairs[0]); p++)
		for (size_t q = 0; q < sizeof(pairs) / sizeof(pairs[0]); q++) {
			log_time_device_clear(&clock);
			add(pairs[p][0], pairs[p][1]);
			add(pairs[q][0], pairs[q][1]);
			if (clock.count == 1 &&
				clock.pairs[0].log == clock.pairs[0].device)
				continue;
			for (size_t t = 0; t < sizeof(times) / sizeof(times[0]);
				t++) {
				int64_t log = place(times[t]);

				ck_assert_int_ge(log, -(INT64_MAX / 8));
				ck_assert_int_le(log, INT64_MAX / 8);
			}
		}
}
END_TEST

/* The search is limited to those that fit. */
START_TEST(a_clock_that_only_steps_costs_little)
{
	for (int64_t i = 0; i < 200000; i++)
		add(i * 2000000, i % 2 * 40 * SECOND);
	ck_assert_uint_eq(clock.steps, 199999);
	for (int i = 0; i < 200000; i++)
		(void)place(20 * SECOND + i);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device_time");
	TCase *tests = tcase_create("device_time");

	tcase_add_checked_fixture(tests, NULL, tear_down);
	tcase_add_loop_test(
		tests, times_are_within_a_microsecond, 0, (int)DEVICES);
	tcase_add_test(tests, a_step_soon_after_a_pair_counts);
	tcase_add_test(tests, lines_are_exact_to_the_nanosecond);
	tcase_add_test(tests, times_that_rise_stay_so);
	tcase_add_test(tests, outside_the_nearest_rate_continues);
	tcase_add_test(tests, without_an_instant_the_clock_is_the_systems);
	tcase_add_test(tests, activities_across_a_clock_step_use_one_clock);
	tcase_add_test(tests, a_step_is_more_than_a_thousandth);
	tcase_add_test(tests, pairs_without_sense_change_nothing);
	tcase_add_test(tests, log_times_stand_as_they_are);
	tcase_add_test(tests, times_at_the_limits_are_kept_within);
	tcase_add_test(tests, a_clock_that_only_steps_costs_little);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
