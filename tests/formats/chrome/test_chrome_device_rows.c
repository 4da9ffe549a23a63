/* SPDX-License-Identifier: MIT */
/* formats/chrome/chrome_rows.c and chrome.c: the rows of devices. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "chrome_check.h"
#include "chrome_device_case.h"
#include "support/run_suite.h"

static void check_row(const json_t *json, json_int_t tid, const char *name)
{
	json_t *events = json_object_get(json, "traceEvents");
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		if (strcmp(check_text_of(event, "ph"), "M") != 0 ||
			strcmp(check_text_of(event, "name"), "thread_name") !=
				0 ||
			check_number_of(event, "tid") != tid)
			continue;
		ck_assert_str_eq(
			check_text_of(check_args_of(event), "name"), name);
		return;
	}
	ck_abort_msg("no row %s", name);
}

START_TEST(rows_of_a_device_have_names_of_kineto)
{
	const struct event events[] = {activity(kernel, 0, 0, 1)};
	json_t *json;

	trace->tracks[stream].process_name = add_text("train");
	json = WRITE(events, NULL);
	ck_assert_str_eq(
		check_text_of(check_args_of(check_find(json, "M", 0)), "name"),
		"train GPU 0");
	ck_assert_str_eq(check_text_of(check_args_of(check_find(json, "M", 1)),
				 "labels"),
		"GPU 0");
	ck_assert_str_eq(check_text_of(check_find(json, "M", 2), "name"),
		"process_sort_index");
	ck_assert_str_eq(
		check_text_of(check_args_of(check_find(json, "M", 3)), "name"),
		"stream 7 ");
	json_decref(json);
}
END_TEST

START_TEST(waits_and_overlapping_kernels_have_rows_of_their_own)
{
	const struct event events[] = {
		activity(kernel, 0, 0, 100),
		activity(wait, 0, 50, 100),
		activity(wait, 0, 60, 100),
		activity(kernel, 0, 90, 100),
		activity(kernel, 0, 200, 100),
	};
	static const char *const rows[] = {"stream 7 ", "stream 7 (host)",
		"stream 7 (host) (lane 2)", "stream 7 (lane 2)", "stream 7 "};
	json_t *json = WRITE(events, NULL);

	for (size_t i = 0; i < 5; i++) {
		json_t *slice = check_find(json, "X", i);

		check_row(json, check_number_of(slice, "tid"), rows[i]);
		ck_assert_int_eq(
			check_number_of(check_args_of(slice), "stream"), 7);
		ck_assert_int_eq(check_number_of(slice, "pid"), 0);
	}
	ck_assert_uint_eq(trace->losses[LOSS_OVERLAPS], 2);
	json_decref(json);
}
END_TEST

START_TEST(work_of_the_whole_device_has_no_stream)
{
	struct event events[] = {
		activity(wait, 0, 0, 100), activity(wait, 0, 0, 100)};
	json_t *json;

	events[0].track = add_stream(100, 0, INT64_C(0xffffffff));
	events[1].track = add_stream(100, 0, -1);
	json = WRITE(events, NULL);
	for (size_t i = 0; i < 2; i++) {
		json_t *slice = check_find(json, "X", i);

		check_row(
			json, check_number_of(slice, "tid"), "Device 0 (host)");
		ck_assert_int_eq(
			check_number_of(check_args_of(slice), "stream"), -1);
	}
	json_decref(json);
}
END_TEST

/* It needs no recorded call, and is not a device activity. */
START_TEST(overhead_is_the_hosts)
{
	const struct event events[] = {
		activity(add_site("Buffer Flush", "overhead"), 5, 0, 100)};
	json_t *json = WRITE(events, NULL);
	json_t *slice = check_find(json, "X", 0);

	check_row(json, check_number_of(slice, "tid"), "stream 7 (host)");
	ck_assert(!has_arg(slice, "stream"));
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 0);
	json_decref(json);
}
END_TEST

START_TEST(devices_of_processes_do_not_collide)
{
	uint32_t other = trace_add_track(
		trace, (struct trace_track){.pid = 200, .tid = 201});
	uint32_t theirs = add_stream(200, 0, 7);
	uint32_t second = add_stream(100, 1, 7);
	struct event events[] = {begin(launch, 0), call(1), end(1),
		activity(kernel, 1, 5, 1), begin(launch, 0), call(1), end(1),
		activity(kernel, 1, 5, 1), activity(kernel, 2, 5, 1)};
	json_t *json;

	for (int i = 4; i < 7; i++)
		events[i].track = other;
	events[7].track = theirs;
	events[8].track = second;
	add_device(200, 0);
	add_device(100, 1);
	json = WRITE(events, NULL);
	ck_assert_int_eq(
		check_number_of(find_slice(json, "axpy", 0), "pid"), 0);
	ck_assert_int_gt(
		check_number_of(find_slice(json, "axpy", 1), "pid"), 1000000);
	ck_assert_int_eq(
		check_number_of(find_slice(json, "axpy", 2), "pid"), 1);
	for (int i = 0; i < 2; i++) {
		json_t *start = check_find(json, "s", (size_t)i);
		json_t *finish = check_find(json, "f", (size_t)i);

		ck_assert_int_eq(check_number_of(start, "id"),
			check_number_of(finish, "id"));
		ck_assert_int_eq(
			check_number_of(start, "pid"), i == 0 ? 100 : 200);
	}
	ck_assert_int_ne(check_number_of(check_find(json, "s", 0), "id"),
		check_number_of(check_find(json, "s", 1), "id"));
	ck_assert_uint_eq(
		json_array_size(json_object_get(json, "deviceProperties")), 3);
	json_decref(json);
}
END_TEST

/* The driver reports all calls, also those with a range. */
START_TEST(recorded_calls_stand_beside_their_thread)
{
	uint32_t calls = trace_add_track(
		trace, (struct trace_track){
			       .kind = TRACE_CALLS, .pid = 100, .tid = 101});
	struct event events[] = {begin(launch, 0), call(1), end(10),
		activity(launch, 1, 1, 8),
		activity(add_site("cudaGetDevice", "cuda_runtime"), 2, 20, 1)};
	json_t *json;

	events[3].track = calls;
	events[4].track = calls;
	json = WRITE(events, NULL);
	for (size_t i = 1; i < 3; i++) {
		json_t *slice = check_find(json, "X", i);

		ck_assert_int_eq(check_number_of(slice, "pid"), 100);
		check_row(json, check_number_of(slice, "tid"),
			"thread 101 (device calls)");
		ck_assert(has_arg(slice, "correlation") == (i == 2));
		ck_assert(!has_arg(slice, "stream"));
	}
	ck_assert_int_eq(check_number_of(check_find(json, "X", 0), "tid"), 101);
	ck_assert_ptr_null(check_find(json, "f", 0));
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 0);
	json_decref(json);
}
END_TEST

static void add_tests(TCase *tests)
{
	tcase_add_test(tests, rows_of_a_device_have_names_of_kineto);
	tcase_add_test(
		tests, waits_and_overlapping_kernels_have_rows_of_their_own);
	tcase_add_test(tests, work_of_the_whole_device_has_no_stream);
	tcase_add_test(tests, overhead_is_the_hosts);
	tcase_add_test(tests, devices_of_processes_do_not_collide);
	tcase_add_test(tests, recorded_calls_stand_beside_their_thread);
}

int main(void)
{
	Suite *suite = suite_create("chrome device rows");
	TCase *tests = tcase_create("device");

	tcase_add_checked_fixture(tests, case_setup, case_teardown);
	add_tests(tests);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
