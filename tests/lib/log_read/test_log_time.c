/* SPDX-License-Identifier: MIT */
/* lib/log_read/log_time.[ch] against lib/log/FORMAT.md, "Time". */
#include <check.h>
#include <stdlib.h>

#include "log_read/log_time.h"
#include "support/run_suite.h"

static struct log_time time_table;

static void teardown(void)
{
	log_time_clear(&time_table);
}

static void add(int64_t log, int64_t raw)
{
	ck_assert(log_time_add(&time_table, log, raw));
}

static int64_t correct(int64_t log)
{
	return log_time_correct(&time_table, log);
}

START_TEST(without_an_entry_log_time_is_the_time)
{
	ck_assert_int_eq(correct(0), 0);
	ck_assert_int_eq(correct(-5), -5);
	ck_assert_int_eq(correct(INT64_MAX), INT64_MAX);
	ck_assert_int_eq(correct(INT64_MIN), INT64_MIN);
}
END_TEST

START_TEST(the_first_entry_is_time_zero)
{
	add(100, 5000);
	ck_assert_int_eq(correct(100), 0);
	ck_assert_int_eq(correct(99), -1);
	ck_assert_int_eq(correct(1000000100), 1000000000);
}
END_TEST

/* The log's clock runs 100 in a million slow. By hand:
 * truth 1,000,100,000; drift 100,000; y(10^9) is 10^9; ahead 200,000. */
START_TEST(a_slow_clock_is_caught_up_with)
{
	add(0, 0);
	add(1000000000, 1000100000);
	ck_assert_int_eq(correct(999999999), 999999999);
	ck_assert_int_eq(correct(1000000000), 1000000000);
	ck_assert_int_eq(correct(1000004999), 1000004999);
	ck_assert_int_eq(correct(1000005000), 1000005001);
	ck_assert_int_eq(correct(2000000000), 2000200000);
	/* truth 2,000,200,000; drift 200,000, by two seconds; ahead of y only
	 * by the next second's drift, 100,000. */
	add(2000000000, 2000200000);
	ck_assert_int_eq(correct(2000000000), 2000200000);
	ck_assert_int_eq(correct(3000000000), 3000300000);
	ck_assert_int_eq(correct(1500000000), 1500100000);
}
END_TEST

/* truth 699,999,999; drift -1, by 0.7 s rounded down -2; ahead -3. */
START_TEST(all_divisions_round_down)
{
	add(0, 0);
	add(700000000, 699999999);
	ck_assert_int_eq(correct(700000000), 700000000);
	ck_assert_int_eq(correct(700000001), 700000000);
	ck_assert_int_eq(correct(1033333333), 1033333332);
	ck_assert_int_eq(correct(1033333334), 1033333332);
	ck_assert_int_eq(correct(1700000000), 1699999997);
}
END_TEST

START_TEST(a_jump_is_followed_at_half_a_part_in_a_thousand)
{
	add(0, 0);
	add(1000000000, 11000000000);
	ck_assert_int_eq(correct(2000000000), 2000500000);
	add(2000000000, 0);
	ck_assert_int_eq(correct(2000000000), 2000500000);
	ck_assert_int_eq(correct(3000000000), 3000000000);
}
END_TEST

START_TEST(entries_too_close_change_nothing)
{
	add(0, 0);
	add(499999999, 600000000);
	ck_assert_int_eq(correct(900000000), 900000000);
	add(500000000, 500100000);
	/* truth 500,100,000; drift 100,000 in half a second: 200,000 more;
	 * ahead 300,000. */
	ck_assert_int_eq(correct(1500000000), 1500300000);
	add(999999999, 0);
	add(0, 77);
	add(-1000000000, 0);
	ck_assert_int_eq(correct(1500000000), 1500300000);
	ck_assert_int_eq(correct(0), 0);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) +
		 UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* The formula of lib/log/FORMAT.md, entry by entry. */
struct naive {
	int64_t log[64];
	int64_t y[64];
	int64_t slew[64];
	int64_t first_raw;
	size_t count;
};

static int64_t down(int64_t value, int64_t by)
{
	int64_t result = value / by;

	return result * by > value ? result - 1 : result;
}

static int64_t clamp(int64_t value, int64_t limit)
{
	return value > limit ? limit : value < -limit ? -limit : value;
}

static int64_t naive_y(const struct naive *naive, int64_t t)
{
	size_t i = naive->count - 1;

	while (i > 0 && naive->log[i] > t)
		i--;
	return naive->y[i] + (t - naive->log[i]) +
	       down((t - naive->log[i]) * naive->slew[i], 1000000000);
}

static void naive_add(struct naive *naive, int64_t log, int64_t raw)
{
	int64_t truth;
	int64_t since;
	int64_t drift;
	int64_t y;

	if (naive->count > 0 && log - naive->log[naive->count - 1] < 500000000)
		return;
	if (naive->count == 0) {
		naive->log[naive->count++] = log;
		naive->first_raw = raw;
		return;
	}
	truth = raw - naive->first_raw;
	since = log - naive->log[0];
	drift = clamp(truth - since, 1000000000);
	y = naive_y(naive, log);
	naive->slew[naive->count] =
		clamp(truth + down(drift * 1000000000, since) - y, 500000);
	naive->y[naive->count] = y;
	naive->log[naive->count++] = log;
}

static void check_table(const struct naive *naive, uint64_t *state)
{
	int64_t end = naive->log[naive->count - 1] + 3000000000;

	for (size_t i = 0; i < naive->count; i++)
		for (int64_t t = naive->log[i] - 3; t < naive->log[i] + 3;
			t++) {
			int64_t step = correct(t + 1) - correct(t);

			ck_assert_int_eq(correct(t), naive_y(naive, t));
			ck_assert_int_ge(step, 0);
			ck_assert_int_le(step, 2);
		}
	for (int64_t t = naive->log[0] - 1000000000, last = INT64_MIN; t < end;
		t += (int64_t)(next_random(state) % 100000000)) {
		ck_assert_int_eq(correct(t), naive_y(naive, t));
		ck_assert_int_ge(correct(t), last);
		last = correct(t);
	}
}

START_TEST(random_entries_follow_the_formula)
{
	uint64_t state = (uint64_t)_i;

	for (int round = 0; round < 50; round++) {
		struct naive naive = {.count = 0};
		int64_t log = (int64_t)next_random(&state) - 1000000000;
		int64_t raw = (int64_t)next_random(&state) * 1000;

		for (int i = 0; i < 60; i++) {
			int64_t span =
				(int64_t)next_random(&state) % 2000000000;
			int64_t error = (int64_t)next_random(&state) % 2000001;

			/* Jumps by seconds now and then. */
			if (next_random(&state) % 16 == 0)
				error *= 1000;
			add(log, raw);
			naive_add(&naive, log, raw);
			log += span;
			raw += span + error - 1000000;
		}
		check_table(&naive, &state);
		log_time_clear(&time_table);
	}
}
END_TEST

START_TEST(many_times_at_once_are_as_one_by_one)
{
	int64_t times[4000];
	int64_t log = 250000000;
	uint64_t state = 1;

	add(0, 0);
	for (int64_t i = 1; i < 10; i++)
		add(i * 1000000000, i * 1000123456 - i * i * 5000);
	for (size_t i = 0; i < 4000; i++) /* a fifth goes back */
		times[i] = (int64_t)(next_random(&state) % 5000000) - 1000000;
	log_time_correct_all(&time_table, 250000000, 777, times, 4000);
	state = 1;
	for (size_t i = 0; i < 4000; i++) {
		log += (int64_t)(next_random(&state) % 5000000) - 1000000;
		ck_assert_int_eq(times[i], correct(log) + 777);
	}
}
END_TEST

START_TEST(deltas_and_shifts_wrap_around)
{
	int64_t times[] = {INT64_MAX, 1, -1, INT64_MIN, 5};

	log_time_correct_all(&time_table, 1, INT64_MAX, times, 5);
	ck_assert_int_eq(times[0], -1);
	ck_assert_int_eq(times[1], 0);
	ck_assert_int_eq(times[2], -1);
	ck_assert_int_eq(times[3], INT64_MAX);
	ck_assert_int_eq(times[4], INT64_MIN + 4);
}
END_TEST

/* Clocks of centuries: no sum overflows. `_i` is whether the second entry comes
 * at once. */
START_TEST(hostile_entries_do_no_harm)
{
	static const int64_t values[] = {INT64_MIN, INT64_MIN / 2,
		INT64_MIN / 4, INT64_MIN / 4 + 1000000000, INT64_MIN / 8, -1, 0,
		2000000000, INT64_MAX / 8, INT64_MAX / 4 - 1000000000,
		INT64_MAX / 4, INT64_MAX / 4 + 1, INT64_MAX / 2, INT64_MAX};
	enum { COUNT = sizeof(values) / sizeof(values[0]) };

	for (size_t first = 0; first < COUNT; first++) {
		uint64_t soon = (uint64_t)values[first] + 500000000;

		for (size_t code = 0; code < COUNT * COUNT * COUNT; code++) {
			add(values[first], values[code % COUNT]);
			add(_i == 0 ? values[first] / 2 : (int64_t)soon,
				values[code / COUNT % COUNT]);
			add(values[10], values[code / COUNT / COUNT]);
			for (size_t i = 0; i < COUNT; i++)
				(void)correct(values[i]);
			log_time_clear(&time_table);
		}
	}
}
END_TEST

/* A fast second piece, and then a raw clock that went back as far as it can:
 * the third piece is slow. */
START_TEST(the_farthest_jump_back_is_one)
{
	int64_t most = INT64_MAX / 8;

	add(-most, most - 2000000000);
	add(-most + 500000000, most);
	ck_assert_int_eq(correct(-most + 1500000000), 1500500000);
	add(most - 1000000000, -most);
	ck_assert_int_eq(correct(most) - correct(most - 1000000000),
		1000000000 - 500000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("log_time");
	TCase *tests = tcase_create("log_time");

	tcase_add_checked_fixture(tests, NULL, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, without_an_entry_log_time_is_the_time);
	tcase_add_test(tests, the_first_entry_is_time_zero);
	tcase_add_test(tests, a_slow_clock_is_caught_up_with);
	tcase_add_test(tests, all_divisions_round_down);
	tcase_add_test(tests, a_jump_is_followed_at_half_a_part_in_a_thousand);
	tcase_add_test(tests, entries_too_close_change_nothing);
	tcase_add_loop_test(tests, random_entries_follow_the_formula, 0, 4);
	tcase_add_test(tests, many_times_at_once_are_as_one_by_one);
	tcase_add_test(tests, deltas_and_shifts_wrap_around);
	tcase_add_loop_test(tests, hostile_entries_do_no_harm, 0, 2);
	tcase_add_test(tests, the_farthest_jump_back_is_one);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
