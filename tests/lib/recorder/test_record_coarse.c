/* SPDX-License-Identifier: MIT */
/* A clock so coarse that most ranges have no length, like the counter of some
 * processors: the order of records gives the order of events. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record_case.h"
#include "support/run_suite.h"

#define TICK_NS 100000
#define EVENTS 5000
#define NAMES 5

/* Replaces the C library's, for the recorder as well. */
__attribute__((visibility("default"))) int clock_gettime(
	clockid_t clock, struct timespec *now)
{
	long result = syscall(SYS_clock_gettime, clock, now);

	if (result == 0 && clock == CLOCK_MONOTONIC_RAW)
		now->tv_nsec -= now->tv_nsec % TICK_NS;
	return (int)result;
}

/* Records randomly nested ranges, and writes the expected result of
 * record_case_read_events(). */
static void record_by_chance(uint64_t state, FILE *expected)
{
	struct ctp_site *sites[NAMES];
	char name[2] = "a";
	int depth = 0;

	for (int i = 0; i < NAMES; i++, name[0]++)
		sites[i] = ctp_site_intern(name, "coarse.c", 1);
	for (int i = 0; i < EVENTS; i++) {
		uint32_t chance;

		state = state * UINT64_C(6364136223846793005) + 1;
		chance = (uint32_t)(state >> 33);
		if (depth > 0 && chance % 100 < 49) {
			depth--;
			ctp_end_inline();
			(void)fputs("end; ", expected);
		} else {
			depth++;
			(void)ctp_begin_inline(sites[chance % NAMES]);
			(void)fprintf(expected, "begin %s; ",
				sites[chance % NAMES]->name);
		}
	}
	for (; depth > 0; depth--) {
		ctp_end();
		(void)fputs("end; ", expected);
	}
}

/* `_i` is the program, and whether the system's clock is used. */
START_TEST(order_is_kept_where_times_are_equal)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct case_content content;
	char *text = NULL;
	size_t size;
	FILE *expected = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(expected);
	options.out = record_case_path;
	options.clock = _i % 2 == 0 ? CTP_CLOCK_SYSTEM : CTP_CLOCK_TSC;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	record_by_chance((uint64_t)_i, expected);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_int_eq(fclose(expected), 0);
	record_case_expect(record_case_path, text);
	free(text);
	content = record_case_read_log(record_case_path, "a");
	ck_assert(content.ordered);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("record_coarse");
	TCase *tests = tcase_create("record_coarse");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(tests, order_is_kept_where_times_are_equal, 0, 8);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
