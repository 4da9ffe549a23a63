/* SPDX-License-Identifier: MIT */
/*
 * formats/chrome/chrome.c: the rows of tracks, their names, and events that do
 * not nest.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chrome_case.h"
#include "chrome_check.h"
#include "format.h"
#include "support/run_suite.h"

START_TEST(overlapping_slices_get_rows_of_their_own)
{
	const struct event events[] = {
		{.kind = EVENT_COMPLETE, .site = work_site, .dur_ns = 10},
		{.kind = EVENT_COMPLETE,
			.site = main_site,
			.time_ns = 5,
			.dur_ns = 10},
		{.kind = EVENT_COMPLETE,
			.site = work_site,
			.time_ns = 20,
			.dur_ns = 10},
	};
	json_t *json = WRITE(events, NULL);
	json_int_t first = check_number_of(check_find(json, "X", 0), "tid");
	json_int_t lane = check_number_of(check_find(json, "X", 1), "tid");

	ck_assert_int_eq(
		check_number_of(check_find(json, "X", 2), "tid"), first);
	ck_assert_int_ne(first, 101);
	ck_assert_int_ne(lane, 101);
	ck_assert_int_ne(lane, first);
	ck_assert_uint_eq(trace->losses[LOSS_OVERLAPS], 1);
	ck_assert_str_eq(
		check_text_of(check_find(json, "M", 6), "name"), "thread_name");
	ck_assert_int_eq(
		check_number_of(check_find(json, "M", 6), "tid"), lane);
	ck_assert_str_eq(
		check_text_of(check_args_of(check_find(json, "M", 6)), "name"),
		"thread 101 (lane 2)");
	json_decref(json);
}
END_TEST

START_TEST(slices_and_nested_ranges_do_not_share_a_row)
{
	const struct event events[] = {
		{.kind = EVENT_COMPLETE, .site = work_site, .dur_ns = 100},
		{.kind = EVENT_BEGIN, .site = main_site, .time_ns = 50},
		{.kind = EVENT_END, .time_ns = 150},
	};
	json_t *json = WRITE(events, NULL);
	const json_t *row = check_args_of(check_find(json, "M", 4));

	ck_assert_int_ne(check_number_of(check_find(json, "X", 0), "tid"), 101);
	ck_assert_int_eq(check_number_of(check_find(json, "X", 1), "tid"), 101);
	ck_assert_int_eq(check_number_of(row, "apart_from"), 101);
	ck_assert_uint_eq(trace->losses[LOSS_OVERLAPS], 0);
	json_decref(json);
}
END_TEST

START_TEST(no_two_tracks_share_a_row)
{
	static const struct trace_track tracks[] = {
		{.kind = TRACE_TIMELINE, .pid = 100, .tid = 101},
		{.pid = 200, .tid = 101},
		{.pid = 100, .tid = 0},
		{.pid = 100, .tid = -1},
		{.pid = 100, .tid = INT64_C(1) << 32},
		{.kind = TRACE_STREAM, .pid = 100, .tid = 7},
		{.kind = TRACE_STREAM, .pid = 0, .tid = 7},
		{.pid = 100, .tid = 1000000001},
	};
	enum { COUNT = sizeof(tracks) / sizeof(tracks[0]) };
	struct event events[COUNT + 1] = {{.kind = EVENT_INSTANT}};
	json_t *json;

	for (uint32_t i = 0; i < COUNT; i++)
		events[i + 1] = (struct event){.kind = EVENT_INSTANT,
			.track = trace_add_track(trace, tracks[i])};
	json = WRITE(events, NULL);
	ck_assert_int_eq(check_number_of(check_find(json, "i", 0), "tid"), 101);
	for (size_t i = 0; i <= COUNT; i++) {
		json_t *event = check_find(json, "i", i);

		ck_assert_int_gt(check_number_of(event, "tid"), 0);
		ck_assert_int_le(check_number_of(event, "tid"), UINT32_MAX);
		ck_assert_int_ge(check_number_of(event, "pid"), i == 6 ? 0 : 1);
		for (size_t j = 0; j < i; j++)
			ck_assert_int_ne(check_number_of(event, "tid"),
				check_number_of(
					check_find(json, "i", j), "tid"));
	}
	/* Device 0 of one process differs from another process's. */
	ck_assert_int_eq(check_number_of(check_find(json, "i", 1), "pid"), 100);
	ck_assert_int_eq(check_number_of(check_find(json, "i", 2), "pid"), 200);
	ck_assert_int_eq(check_number_of(check_find(json, "i", 6), "pid"), 0);
	json_decref(json);
}
END_TEST

START_TEST(names_are_written_before_the_first_event_of_a_track)
{
	const struct event events[] = {
		{.kind = EVENT_INSTANT, .site = main_site}};
	json_t *json;
	json_t *list;

	trace->tracks[track].name = add_text("lex\"er");
	trace->tracks[track].process_name = add_text("cindex");
	json = WRITE(events, NULL);
	list = json_object_get(json, "traceEvents");
	ck_assert_uint_eq(json_array_size(list), 5);
	ck_assert_str_eq(
		check_text_of(check_args_of(check_find(json, "M", 0)), "name"),
		"cindex");
	ck_assert_str_eq(check_text_of(check_find(json, "M", 1), "name"),
		"process_sort_index");
	ck_assert_str_eq(
		check_text_of(check_args_of(check_find(json, "M", 2)), "name"),
		"lex\"er");
	ck_assert_str_eq(check_text_of(check_find(json, "M", 3), "name"),
		"thread_sort_index");
	ck_assert_str_eq(check_text_of(json_array_get(list, 4), "ph"), "i");
	json_decref(json);
}
END_TEST

/* A source that learns the thread's name after its first event. */
START_TEST(names_that_come_late_are_written_at_the_end)
{
	const struct event event = {.kind = EVENT_INSTANT, .site = main_site};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct timeline_writer *writer;
	const char *first;

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(
		chrome_format.new_timeline(out, trace, NULL, &writer, NULL),
		CTP_OK);
	ck_assert_int_eq(writer->add(writer, &event, NULL), CTP_OK);
	trace->tracks[track].name = add_text("late");
	ck_assert_int_eq(writer->finish(writer, NULL), CTP_OK);
	writer->free(writer);
	ck_assert_int_eq(fclose(out), 0);
	first = strstr(text, "{\"name\":\"thread 101\"}");
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_nonnull(strstr(first, "{\"name\":\"late\"}"));
	free(text);
}
END_TEST

START_TEST(asynchronous_ranges_match_by_name_and_id)
{
	const struct event events[] = {
		{.kind = EVENT_ASYNC_BEGIN, .site = work_site, .id = 0},
		{.kind = EVENT_ASYNC_END,
			.site = work_site,
			.id = UINT64_MAX,
			.time_ns = 7},
	};
	json_t *json = WRITE(events, NULL);

	ck_assert_str_eq(check_text_of(check_find(json, "b", 0), "id"), "0x0");
	ck_assert_str_eq(check_text_of(check_find(json, "e", 0), "id"),
		"0xffffffffffffffff");
	ck_assert_str_eq(
		check_text_of(check_find(json, "e", 0), "scope"), "work");
	ck_assert_str_eq(
		check_text_of(check_find(json, "e", 0), "name"), "work");
	ck_assert_int_eq(check_ns(check_find(json, "e", 0), "ts"), 7);
	json_decref(json);
}
END_TEST

START_TEST(counters_are_numbers)
{
	struct event_arg args[3] = {
		{.kind = ARG_INT, .value = {-7}},
		{.kind = ARG_FLOAT},
		{.kind = ARG_FLOAT},
	};
	const struct event events[] = {
		{.kind = EVENT_COUNTER,
			.site = main_site,
			.arg_count = 1,
			.args = &args[0]},
		{.kind = EVENT_COUNTER,
			.site = main_site,
			.arg_count = 1,
			.args = &args[1]},
		{.kind = EVENT_COUNTER,
			.site = main_site,
			.arg_count = 1,
			.args = &args[2]},
		{.kind = EVENT_COUNTER, .site = main_site},
	};
	json_t *json;

	args[1].value.real = 0.5;
	args[2].value.real = (double)INFINITY;
	json = WRITE(events, NULL);
	ck_assert_int_eq(
		check_number_of(
			check_args_of(check_find(json, "C", 0)), "main"),
		-7);
	ck_assert(json_real_value(json_object_get(
			  check_args_of(check_find(json, "C", 1)), "main")) ==
		  0.5);
	ck_assert_ptr_null(check_find(json, "C", 2));
	ck_assert_uint_eq(trace->losses[LOSS_NOT_SHOWN], 2);
	json_decref(json);
}
END_TEST

START_TEST(memory_is_summed_per_device)
{
	const struct event events[] = {
		{.kind = EVENT_ALLOC, .id = 4096, .bytes = 100, .device = -1},
		{.kind = EVENT_ALLOC, .id = 8192, .bytes = 50, .device = 0},
		{.kind = EVENT_FREE, .id = 4096, .bytes = 130, .device = -1},
	};
	json_t *json = WRITE(events, NULL);
	json_t *args = check_args_of(check_find(json, "i", 2));

	ck_assert_str_eq(
		check_text_of(check_find(json, "i", 0), "name"), "[memory]");
	ck_assert_int_eq(check_number_of(args, "Total Allocated"), -30);
	ck_assert_int_eq(check_number_of(args, "Bytes"), -130);
	ck_assert_int_eq(check_number_of(args, "Addr"), 4096);
	ck_assert_int_eq(check_number_of(args, "Device Id"), -1);
	ck_assert_int_eq(check_number_of(args, "Device Type"), 0);
	ck_assert_str_eq(check_text_of(check_find(json, "C", 0), "name"),
		"Total Allocated (host)");
	ck_assert_str_eq(check_text_of(check_find(json, "C", 1), "name"),
		"Total Allocated (device 0)");
	ck_assert_int_eq(
		check_number_of(
			check_args_of(check_find(json, "C", 1)), "bytes"),
		50);
	json_decref(json);
}
END_TEST

START_TEST(steps_and_instants_are_instants)
{
	const struct event events[] = {
		{.kind = EVENT_STEP, .site = work_site, .id = 12},
		{.kind = EVENT_INSTANT, .site = main_site, .time_ns = 3},
	};
	json_t *json = WRITE(events, NULL);

	ck_assert_str_eq(check_text_of(check_find(json, "i", 0), "name"),
		"ProfilerStep#12");
	ck_assert_str_eq(check_text_of(check_args_of(check_find(json, "i", 0)),
				 "requester"),
		"work");
	ck_assert_str_eq(
		check_text_of(check_find(json, "i", 1), "name"), "main");
	ck_assert_str_eq(check_text_of(check_find(json, "i", 1), "s"), "t");
	json_decref(json);
}
END_TEST

static void add_tests(TCase *tests)
{
	tcase_add_test(tests, overlapping_slices_get_rows_of_their_own);
	tcase_add_test(tests, slices_and_nested_ranges_do_not_share_a_row);
	tcase_add_test(tests, no_two_tracks_share_a_row);
	tcase_add_test(
		tests, names_are_written_before_the_first_event_of_a_track);
	tcase_add_test(tests, names_that_come_late_are_written_at_the_end);
	tcase_add_test(tests, asynchronous_ranges_match_by_name_and_id);
	tcase_add_test(tests, counters_are_numbers);
	tcase_add_test(tests, memory_is_summed_per_device);
	tcase_add_test(tests, steps_and_instants_are_instants);
}

int main(void)
{
	Suite *suite = suite_create("chrome rows");
	TCase *tests = tcase_create("rows");

	tcase_add_checked_fixture(tests, case_setup, case_teardown);
	add_tests(tests);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
