/* SPDX-License-Identifier: MIT */
/* Several recordings in one log, whole and damaged: no part of one affects
 * another. */
#include <check.h>
#include <string.h>

#include "support/log_case.h"
#include "support/log_maker.h"
#include "support/run_suite.h"

/* A recording that gives number 1 this name, and number 2 none. */
static void add_recording(const char *name, int64_t realtime, int reader)
{
	log_maker_add_header(&log_case_made, realtime, reader);
	log_maker_add(&log_case_made, "[1, 1, [['%s', '', 0]]]", name);
	log_maker_add(&log_case_made, "[2, 1, 0, 7, '']");
	log_maker_add(
		&log_case_made, "[3, 1, 0, 0, [10, 1], [], [1], [2, 0], []]");
	log_maker_add(
		&log_case_made, "[6, {'log': 20, 'events': 2, 'blocks': 4}]");
}

START_TEST(two_recordings_are_read_one_after_the_other)
{
	add_recording("f", 1000, 1);
	add_recording("g", 1500, 1);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "0 10 begin f\n0 11 end\n"
					       "1 510 begin g\n1 511 end\n");
	ck_assert_str_eq(log_case_text.tracks,
		"thread 42 7 '' to 20\nthread 42 7 '' to 520\n");
	ck_assert_str_eq(log_case_text.losses, "");
}
END_TEST

/* Open ranges are closed where their own recording ended. */
START_TEST(a_recording_ends_before_an_earlier_one_that_lasts_longer)
{
	log_maker_add_header(&log_case_made, 1000, 1);
	log_maker_add(&log_case_made, "[2, 1, 0, 7, '']");
	log_maker_add(&log_case_made, "[6, {'log': 9000, 'events': 0}]");
	add_recording("g", 1500, 1);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.tracks,
		"thread 42 7 '' to 9000\nthread 42 7 '' to 520\n");
	ck_assert_int_eq(log_case_text.end_ns, 9000);
}
END_TEST

START_TEST(a_timeline_ends_with_its_own_recording)
{
	for (int i = 2; i >= 1; i--) {
		log_maker_add_header(&log_case_made, 1000, 1);
		log_maker_add(&log_case_made, "[2, 1, 1, 7, '']");
		log_maker_add(&log_case_made, "[1, 1, [['s', '', 0]]]");
		log_maker_add(&log_case_made,
			"[3, 1, 0, 0, [%d], [], [1], [2], []]", i * 100);
		log_maker_add(&log_case_made, "[6, {'log': 9, 'events': 1}]");
	}
	log_case_read_made();
	ck_assert_str_eq(log_case_text.tracks,
		"timeline 42 7 '' to 200\ntimeline 42 7 '' to 100\n");
}
END_TEST

static void add_process(int pid, const char *more, const char *rows)
{
	log_maker_add(&log_case_made,
		"[0, {'format': 'ctprof log', 'reader': 1, 'pid': %d, "
		"'command': ['/bin/py', 'a.py'], %s 'realtime': 1000}]",
		pid, more);
	log_maker_add(&log_case_made, "[1, 1, [['s', '', 0]]]");
	log_maker_add(&log_case_made,
		"[3, 1, 0, 0, [1, 1, 1, 1], [], [], [1, 1, 1, 1], %s]", rows);
	log_maker_add(&log_case_made,
		"[6, {'log': 9, 'events': 4, 'stalls': 2, 'stall_ns': 30, "
		"'recovered': 1}]");
}

START_TEST(equal_ids_of_two_processes_are_different)
{
	add_process(42, "", "[[4, 1, 5], [5, 1, 5], [9, 5], [9, 0]]");
	add_process(43, "", "[[4, 1, 5], [11, 1, 5, 0], [9, 5], [9, 0]]");
	add_process(44, "", "[[6, 5, 64, -1], [8, 1, 5, 1], [9, 0], [9, 0]]");
	log_case_read_made();
	ck_assert_str_eq(log_case_text.losses, "");
	ck_assert_str_eq(log_case_text.events,
		"0 1 async_begin s 5\n0 2 async_end s 5\n"
		"0 3 correlation 5\n0 4 correlation 0\n"
		"1 1 async_begin s 1099511627781\n"
		"1 2 flow s 1099511627781 start\n"
		"1 3 correlation 1099511627781\n1 4 correlation 0\n"
		"2 1 alloc 5 64 -1\n2 2 step s 5 advance=1\n"
		"2 3 correlation 0\n2 4 correlation 0\n");
}
END_TEST

START_TEST(every_other_process_is_one_fact)
{
	add_process(42, "", "[[9, 0], [9, 0], [9, 0], [9, 0]]");
	add_process(43, "'rank': 3, 'parent': 42,",
		"[[9, 0], [9, 0], [9, 0], [9, 0]]");
	add_process(44, "'parent': 43,", "[[9, 0], [9, 0], [9, 0], [9, 0]]");
	log_case_read_made();
	ck_assert_str_eq(log_case_text.facts,
		"format=ctprof log\nreader=1\npid=42\n"
		"command=/bin/py a.py\nrealtime=1000\n"
		"stalls=6\nstall_ns=90\nrecovered=3\n"
		"process 43=rank 3, forked by 42: /bin/py a.py\n"
		"process 44=forked by 43: /bin/py a.py\n");
	ck_assert_str_eq(log_case_text.losses, "");
}
END_TEST

START_TEST(a_log_twice_is_everything_twice)
{
	log_case_copy_members(0, SIZE_MAX);
	log_case_copy_members(0, SIZE_MAX);
	log_case_read_made();
	ck_assert_uint_eq(strlen(log_case_text.events),
		2 * strlen(log_case_whole.events));
	ck_assert_uint_eq(log_case_lost("dropped_ranges"), 6);
	ck_assert_uint_eq(log_case_lost("damaged_blocks"), 0);
	ck_assert_uint_eq(log_case_lost("missing_blocks"), 0);
}
END_TEST

/* `_i` bytes of the first recording are missing at its end. */
START_TEST(a_recording_that_was_cut_off_costs_the_next_nothing)
{
	add_recording("f", 1000, 1);
	log_case_made.used -= (size_t)_i;
	add_recording("g", 1500, 1);
	log_case_read_made();
	ck_assert_uint_eq(log_case_lost("truncated"), _i > 0);
	ck_assert_ptr_nonnull(
		strstr(log_case_text.events, "1 510 begin g\n1 511 end\n"));
	ck_assert_uint_eq(log_case_lost("missing_blocks"), 0);
}
END_TEST

START_TEST(zeros_and_garbage_between_recordings_are_counted)
{
	static const uint8_t zeros[5000];

	add_recording("f", 1000, 1);
	buffer_add(&log_case_made, zeros, sizeof(zeros));
	add_recording("g", 1500, 1);
	buffer_add(&log_case_made, "tail", 4);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "0 10 begin f\n0 11 end\n"
					       "1 510 begin g\n1 511 end\n");
	ck_assert_str_eq(log_case_text.losses, "skipped_bytes 5004\n");
}
END_TEST

/* Its numbers differ in meaning from those of the recording before it. */
START_TEST(a_recording_without_its_header_is_not_the_one_before)
{
	struct log_maker_span header;

	add_recording("f", 1000, 1);
	add_recording("g", 1500, 1);
	ck_assert(log_maker_find(&log_case_made, 5, &header));
	log_case_made.bytes[header.begin + 30] ^= 1;
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "0 10 begin f\n0 11 end\n"
					       "1 10 begin g\n1 11 end\n");
	ck_assert_uint_eq(log_case_lost("damaged_blocks"), 1);
	ck_assert_uint_eq(log_case_lost("missing_events"), 0);
}
END_TEST

START_TEST(a_recording_for_newer_readers_is_passed_over_and_counted)
{
	add_recording("f", 1000, 1);
	add_recording("future", 1200, 2);
	add_recording("g", 1500, 1);
	log_case_read_made();
	ck_assert_int_eq(log_case_text.status, CTP_END);
	ck_assert_str_eq(log_case_text.events, "0 10 begin f\n0 11 end\n"
					       "1 510 begin g\n1 511 end\n");
	ck_assert_str_eq(log_case_text.losses, "unknown_blocks 5\n");
}
END_TEST

START_TEST(a_log_that_begins_with_a_newer_recording_is_refused)
{
	add_recording("future", 1200, 2);
	add_recording("g", 1500, 1);
	log_case_read_made();
	ck_assert_int_eq(log_case_text.status, CTP_ERR_UNSUPPORTED);
	ck_assert_str_eq(log_case_text.err.message,
		"this log needs a newer ctprof (reader version 2, this is 1)");
}
END_TEST

/* Kinds unknown to all versions so far, and elements after the known ones. */
START_TEST(blocks_and_elements_of_the_future_are_passed_over)
{
	log_maker_add_header(&log_case_made, 1000, 1);
	log_maker_add(&log_case_made, "[99, {'a': [1, 2]}, 'b']");
	log_maker_add(
		&log_case_made, "[1, 1, [['f', '', 0, nil, {'x': 1}]], 8]");
	log_maker_add(&log_case_made, "[2, 1, 0, 7, '', 0, 0, 42, '', 'more']");
	log_maker_add(&log_case_made, "[18446744073709551615, 1]");
	log_maker_add(&log_case_made,
		"[3, 1, 0, 0, [1, 1, 1], [], [1], [2, 1, 0], "
		"[[77, 1, 2]], 'new', [5]]");
	log_maker_add(&log_case_made, "[6, {'log': 9, 'events': 3, 'blocks': 6,"
				      " 'new': [1]}, 5]");
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "0 1 begin f\n0 3 end\n");
	ck_assert_str_eq(
		log_case_text.losses, "unknown_blocks 2\nunknown_events 1\n");
}
END_TEST

/* Tables as large as its numbers would take 96 MiB each. */
START_TEST(huge_numbers_cost_no_more_than_small_ones)
{
	for (int i = 0; i < 500; i++) {
		log_maker_add(&log_case_made,
			"[0, {'format': 'ctprof log', 'reader': 1}]");
		log_maker_add(&log_case_made, "[3, 4194303, 0, 0, [1], [], "
					      "[16777215], [2], []]");
		log_maker_add(&log_case_made, "[6, {'log': 9}]");
	}
	log_case_read_made();
	ck_assert_int_eq(log_case_text.status, CTP_END);
	ck_assert_str_eq(log_case_text.losses, "unknown_sites 500\n");
}
END_TEST

START_TEST(totals_that_are_too_large_or_too_small_change_nothing)
{
	static const char *const totals[] = {
		"-1", "0", "1", "18446744073709551615", "'2'", "[]", "nil"};

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		log_maker_add_header(&log_case_made, 0, 1);
		log_maker_add(&log_case_made, "[1, 1, [['f', '', 0]]]");
		log_maker_add(&log_case_made,
			"[3, 1, 0, 0, [1, 1], [], [1], [2, 0], []]");
		log_maker_add(&log_case_made,
			"[6, {'log': 9, 'events': %s, 'blocks': %s}]",
			totals[i], totals[i]);
		log_case_read_made();
		ck_assert_str_eq(
			log_case_text.events, "0 1 begin f\n0 2 end\n");
		ck_assert_str_eq(log_case_text.losses, "");
	}
}
END_TEST

static TCase *make_concat(void)
{
	TCase *tests = tcase_create("concat");

	tcase_add_checked_fixture(tests, log_case_set_up, log_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, two_recordings_are_read_one_after_the_other);
	tcase_add_test(tests,
		a_recording_ends_before_an_earlier_one_that_lasts_longer);
	tcase_add_test(tests, a_timeline_ends_with_its_own_recording);
	tcase_add_test(tests, equal_ids_of_two_processes_are_different);
	tcase_add_test(tests, every_other_process_is_one_fact);
	tcase_add_test(tests, a_log_twice_is_everything_twice);
	tcase_add_loop_test(tests,
		a_recording_that_was_cut_off_costs_the_next_nothing, 0, 60);
	tcase_add_test(tests, zeros_and_garbage_between_recordings_are_counted);
	tcase_add_test(
		tests, a_recording_without_its_header_is_not_the_one_before);
	tcase_add_test(tests,
		a_recording_for_newer_readers_is_passed_over_and_counted);
	tcase_add_test(
		tests, a_log_that_begins_with_a_newer_recording_is_refused);
	tcase_add_test(
		tests, blocks_and_elements_of_the_future_are_passed_over);
	tcase_add_test(tests, huge_numbers_cost_no_more_than_small_ones);
	tcase_add_test(
		tests, totals_that_are_too_large_or_too_small_change_nothing);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("log_concat");

	suite_add_tcase(suite, make_concat());
	return run_suite(suite);
}
