/* SPDX-License-Identifier: MIT */
/* formats/chrome/chrome.c: device activities and their connection with
 * calls. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "chrome_check.h"
#include "chrome_device_case.h"
#include "support/run_suite.h"

START_TEST(a_launch_is_written_as_by_kineto)
{
	struct event events[] = {
		begin(step, 1000),
		begin(launch, 2000),
		call(9),
		end(3000),
		activity(kernel, 9, 4000, 500),
		end(5000),
	};
	static const char want[] =
		"{\"ph\":\"X\",\"pid\":100,\"tid\":101,\"ts\":2.000,"
		"\"dur\":1.000,\"name\":\"cuLaunchKernel\","
		"\"cat\":\"cuda_driver\",\"args\":{\"correlation\":9,"
		"\"External id\":1}},\n"
		"{\"ph\":\"s\",\"pid\":100,\"tid\":101,\"ts\":2.000,\"id\":9,"
		"\"cat\":\"ac2g\",\"name\":\"ac2g\"},\n"
		"{\"ph\":\"M\",";
	static const char want_kernel[] =
		"{\"ph\":\"X\",\"pid\":0,\"tid\":7,\"ts\":4.000,\"dur\":0.500,"
		"\"name\":\"axpy\",\"cat\":\"kernel\",\"args\":{"
		"\"grid\":[66,1,1],\"block\":[128,1,1],"
		"\"registers per thread\":16,\"shared memory\":0,"
		"\"graph id\":3,\"graph node id\":4,"
		"\"External id\":1,\"correlation\":9,"
		"\"device\":0,\"context\":1,\"stream\":7,\"queued\":0,"
		"\"blocks per SM\":0.5,\"warps per SM\":2.0,"
		"\"est. achieved occupancy %\":3}},\n"
		"{\"ph\":\"f\",\"pid\":0,\"tid\":7,\"ts\":4.000,\"id\":9,"
		"\"cat\":\"ac2g\",\"name\":\"ac2g\",\"bp\":\"e\"},\n"
		"{\"ph\":\"X\",\"pid\":100,\"tid\":101,\"ts\":1.000,"
		"\"dur\":4.000,\"name\":\"step\",\"cat\":\"cpu_op\","
		"\"args\":{\"External id\":1}}\n"
		"],\"deviceProperties\":[{\"name\":\"NVIDIA H100\","
		"\"numSms\":132,\"warpSize\":32,"
		"\"maxThreadsPerMultiprocessor\":2048,\"id\":0,\"pid\":100}],"
		"\"displayTimeUnit\":";
	json_t *json;
	char *text;

	events[4].arg_count = 6;
	json = WRITE(events, &text);
	ck_assert_msg(strstr(text, want) != NULL, "%s", text);
	ck_assert_msg(strstr(text, want_kernel) != NULL, "%s", text);
	ck_assert_uint_eq(check_devices(json), 1);
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 0);
	json_decref(json);
	free(text);
}
END_TEST

/* Nested calls, ranges that start together, launches at any depth. */
START_TEST(every_kernel_finds_the_range_that_launched_it)
{
	enum { STEPS = 12, EACH = 8 };
	struct event events[STEPS * EACH * 2];
	size_t count = 0;
	json_t *json;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * 100;

		events[count++] = begin(step, at);
		events[count++] = begin(step, at);
		events[count++] = begin(launch, at + i % 2);
		events[count++] = begin(launch, at + i % 3);
		events[count++] = call((uint64_t)i * 2 + 1);
		events[count++] = end(at + 10);
		events[count++] = end(at + 10);
		events[count++] = end(at + 10);
		events[count++] = begin(launch, at + 20);
		events[count++] = call((uint64_t)i * 2 + 2);
		events[count++] = end(at + 30);
		events[count++] = end(at + 30 + i % 2);
	}
	for (int i = 2 * STEPS; i > 0; i--)
		events[count++] =
			activity(kernel, (uint64_t)i, 6000 + i * 10, 10);
	ck_assert_uint_le(count, sizeof(events) / sizeof(events[0]));
	json = check_write(trace, events, count, NULL);
	ck_assert_uint_eq(check_devices(json), 2 * STEPS);
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 0);
	for (int i = 0; i < 2 * STEPS; i++) {
		json_t *args =
			check_args_of(find_slice(json, "axpy", (size_t)i));

		ck_assert_int_eq(check_number_of(args, "External id"),
			check_number_of(args, "correlation"));
	}
	json_decref(json);
}
END_TEST

/* Slices that Perfetto would not nest are written as begins and ends. */
START_TEST(calls_without_a_duration_start_arrows_too)
{
	const struct event events[] = {
		begin(step, 0),
		begin(launch, 5),
		call(1),
		end(5),
		begin(launch, 5),
		call(2),
		end(5),
		end(5),
		activity(kernel, 1, 10, 1),
		activity(kernel, 2, 11, 1),
	};
	json_t *json = WRITE(events, NULL);
	bool seen[3] = {false};

	for (size_t i = 0; i < 2; i++) {
		json_int_t id = check_number_of(check_find(json, "s", i), "id");

		ck_assert(id == 1 || id == 2);
		seen[id] = true;
	}
	ck_assert(seen[1] && seen[2]);
	ck_assert_ptr_null(check_find(json, "s", 2));
	ck_assert_ptr_nonnull(check_find(json, "B", 0));
	json_decref(json);
}
END_TEST

START_TEST(a_graph_has_many_kernels_for_one_launch)
{
	struct event events[34] = {
		begin(step, 0), begin(launch, 1), call(5), end(2), end(3)};
	json_t *json;

	for (int i = 5; i < 34; i++)
		events[i] = activity(kernel, 5, i * 10, 10);
	json = WRITE(events, NULL);
	ck_assert_uint_eq(check_devices(json), 29);
	ck_assert_ptr_null(check_find(json, "s", 1));
	json_decref(json);
}
END_TEST

START_TEST(a_category_makes_room_for_that_of_operations)
{
	uint32_t op = add_site("forward", "python");
	const struct event events[] = {begin(op, 0), end(1), begin(op, 2),
		begin(launch, 3), call(5), end(4), end(5)};
	json_t *json = WRITE(events, NULL);
	json_t *plain = find_slice(json, "forward", 0);
	json_t *parent = find_slice(json, "forward", 1);

	ck_assert_str_eq(check_text_of(plain, "cat"), "python");
	ck_assert(!has_arg(plain, "External id"));
	ck_assert_str_eq(check_text_of(parent, "cat"), "cpu_op");
	ck_assert_str_eq(
		check_text_of(check_args_of(parent), "category"), "python");
	json_decref(json);
}
END_TEST

START_TEST(a_call_in_no_range_has_no_external_id)
{
	const struct event events[] = {
		begin(launch, 3), call(5), end(4), activity(kernel, 5, 10, 10)};
	json_t *json = WRITE(events, NULL);

	ck_assert_uint_eq(check_devices(json), 1);
	ck_assert(!has_arg(find_slice(json, "axpy", 0), "External id"));
	ck_assert(
		!has_arg(find_slice(json, "cuLaunchKernel", 0), "External id"));
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 0);
	json_decref(json);
}
END_TEST

START_TEST(activities_without_their_call_are_counted)
{
	const struct event events[] = {call(8), activity(kernel, 8, 10, 10),
		activity(copy, 9, 20, 10), activity(wait, 0, 30, 10)};
	json_t *json = WRITE(events, NULL);

	ck_assert_uint_eq(check_devices(json), 0);
	ck_assert(!has_arg(find_slice(json, "axpy", 0), "External id"));
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 2);
	ck_assert_uint_eq(trace->losses[LOSS_NOT_SHOWN], 1);
	json_decref(json);
}
END_TEST

START_TEST(copies_have_bytes_and_bandwidth)
{
	struct event events[] = {
		activity(copy, 1, 10, 2000), activity(copy, 2, 3000, 0)};
	json_t *json;
	json_t *args;

	events[0].bytes = 3000;
	events[1].bytes = UINT32_MAX;
	json = WRITE(events, NULL);
	args = check_args_of(check_find(json, "X", 0));
	ck_assert_int_eq(check_number_of(args, "bytes"), 3000);
	ck_assert(json_real_value(json_object_get(
			  args, "memory bandwidth (GB/s)")) == 1.5);
	args = check_args_of(check_find(json, "X", 1));
	ck_assert_int_eq(check_number_of(args, "bytes"), UINT32_MAX);
	ck_assert_ptr_null(json_object_get(args, "memory bandwidth (GB/s)"));
	ck_assert_ptr_null(json_object_get(args, "queued"));
	json_decref(json);
}
END_TEST

/* None can repeat a key. */
START_TEST(arguments_of_the_trace_stand_instead_of_the_writers)
{
	struct event_arg args[] = {
		number_arg("stream", 99), number_arg("id", 98)};
	struct trace_device device = {
		.pid = 100, .number = 0, .arg_count = 2, .args = args};
	struct event events[] = {activity(copy, 0, 10, 1)};
	json_t *json;

	events[0].args = args;
	events[0].arg_count = 1;
	ck_assert_uint_ne(trace_add_device(trace, &device), TRACE_NONE);
	json = WRITE(events, NULL);
	ck_assert_int_eq(
		check_number_of(
			check_args_of(check_find(json, "X", 0)), "stream"),
		99);
	ck_assert_int_eq(
		check_number_of(
			json_array_get(
				json_object_get(json, "deviceProperties"), 0),
			"id"),
		0);
	json_decref(json);
}
END_TEST

/* Nothing is renumbered, and nothing becomes an op. */
START_TEST(arguments_that_kineto_wrote_stay)
{
	struct event_arg op[] = {number_arg("External id", 500)};
	struct event_arg launched[] = {
		number_arg("correlation", 9), number_arg("External id", 9)};
	struct event_arg work[] = {number_arg("External id", 9),
		number_arg("stream", 7), number_arg("correlation", 9)};
	struct event events[] = {begin(step, 1000), begin(launch, 2000),
		call(9), end(3000), activity(kernel, 9, 4000, 500), end(5000)};
	json_t *json;
	char *text;

	events[0].args = op;
	events[0].arg_count = 1;
	events[1].args = launched;
	events[1].arg_count = 2;
	events[4].args = work;
	events[4].arg_count = 3;
	json = WRITE(events, &text);
	ck_assert_msg(
		strstr(text, "\"cat\":\"cuda_driver\",\"args\":{"
			     "\"correlation\":9,\"External id\":9}}") != NULL,
		"%s", text);
	ck_assert_msg(strstr(text, "\"cat\":\"range\",\"args\":{"
				   "\"External id\":500}}") != NULL,
		"%s", text);
	ck_assert_msg(
		strstr(text, "\"cat\":\"kernel\",\"args\":{\"External id\":9,"
			     "\"stream\":7,\"correlation\":9}},") != NULL,
		"%s", text);
	ck_assert_ptr_nonnull(check_find(json, "s", 0));
	ck_assert_ptr_nonnull(check_find(json, "f", 0));
	json_decref(json);
	free(text);
}
END_TEST

/* Not an op's External id, and exact in readers that use doubles. */
START_TEST(arrows_of_external_ids_are_numbers_for_all)
{
	uint64_t id = UINT64_C(1) << 63 | 5;
	struct event events[] = {begin(step, 1000), call(id),
		activity(copy, id, 4000, 500), end(5000)};
	json_t *json = WRITE(events, NULL);
	json_int_t flow = check_number_of(check_find(json, "s", 0), "id");

	ck_assert_int_eq(check_number_of(check_find(json, "f", 0), "id"), flow);
	ck_assert_int_gt(flow, 0);
	ck_assert_int_lt(flow, INT64_C(1) << 53);
	ck_assert(!has_arg(find_slice(json, "step", 0), "correlation"));
	ck_assert(!has_arg(check_find(json, "X", 0), "correlation"));
	ck_assert_uint_eq(trace->losses[LOSS_UNMATCHED], 0);
	json_decref(json);
}
END_TEST

static void add_tests(TCase *tests)
{
	tcase_add_test(tests, a_launch_is_written_as_by_kineto);
	tcase_add_test(tests, every_kernel_finds_the_range_that_launched_it);
	tcase_add_test(tests, calls_without_a_duration_start_arrows_too);
	tcase_add_test(tests, a_graph_has_many_kernels_for_one_launch);
	tcase_add_test(tests, a_category_makes_room_for_that_of_operations);
	tcase_add_test(tests, a_call_in_no_range_has_no_external_id);
	tcase_add_test(tests, activities_without_their_call_are_counted);
	tcase_add_test(tests, copies_have_bytes_and_bandwidth);
	tcase_add_test(
		tests, arguments_of_the_trace_stand_instead_of_the_writers);
	tcase_add_test(tests, arguments_that_kineto_wrote_stay);
	tcase_add_test(tests, arrows_of_external_ids_are_numbers_for_all);
}

int main(void)
{
	Suite *suite = suite_create("chrome device");
	TCase *tests = tcase_create("device");

	tcase_add_checked_fixture(tests, case_setup, case_teardown);
	add_tests(tests);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
