/* SPDX-License-Identifier: MIT */
/* formats/chrome/chrome.c: the contents of the file. Nesting of ranges:
 * test_chrome_nesting. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chrome_case.h"
#include "chrome_check.h"
#include "format.h"
#include "support/run_suite.h"

#define BASE_NS INT64_C(1700000000123456789)

START_TEST(an_empty_trace_is_a_whole_file)
{
	char *text;

	json_decref(check_write(trace, NULL, 0, &text));
	ck_assert_str_eq(text,
		"{\"schemaVersion\":1,\"ctprof\":\"0.2.0\","
		"\"traceEvents\":[\n"
		"],\"displayTimeUnit\":\"ns\","
		"\"otherData\":{\"tool\":\"ctprof 0.2.0\","
		"\"title\":\"a title\",\"facts\":{},\"losses\":{}}}\n");
	free(text);
}
END_TEST

START_TEST(a_range_is_one_slice_with_its_place)
{
	const struct event events[] = {
		{.kind = EVENT_BEGIN, .site = main_site, .time_ns = -5},
		{.kind = EVENT_BEGIN, .site = work_site, .time_ns = 1000},
		{.kind = EVENT_END, .site = TRACE_NONE, .time_ns = 2001},
		{.kind = EVENT_END, .site = TRACE_NONE, .time_ns = 3000},
	};
	const char *want =
		"{\"ph\":\"X\",\"pid\":100,\"tid\":101,\"ts\":1.000,"
		"\"dur\":1.001,\"name\":\"work\",\"cat\":\"range\"},\n"
		"{\"ph\":\"X\",\"pid\":100,\"tid\":101,\"ts\":-0.005,"
		"\"dur\":3.005,\"name\":\"main\",\"cat\":\"range\","
		"\"args\":{\"file\":\"main.c\",\"line\":3}}\n"
		"],\"displayTimeUnit\":";
	char *text;

	json_decref(WRITE(events, &text));
	ck_assert_msg(strstr(text, want) != NULL, "%s", text);
	free(text);
}
END_TEST

START_TEST(the_base_time_is_written_where_it_is_known)
{
	json_t *json;

	trace->base_realtime_ns = BASE_NS;
	json = check_write(trace, NULL, 0, NULL);
	ck_assert_int_eq(check_number_of(json, "baseTimeNanoseconds"), BASE_NS);
	json_decref(json);
}
END_TEST

START_TEST(timelines_of_the_wall_clock_stand_beside_the_measured)
{
	static const int64_t times[] = {
		BASE_NS + 5000, BASE_NS - 5000, 5000, INT64_MIN, INT64_MAX};
	static const char *const want[] = {"5.000", "-5.000", "5.000",
		"-9223372036854775.808", "9223372036854775.807"};
	enum { COUNT = sizeof(times) / sizeof(times[0]) };
	struct event events[2 * COUNT];
	char *text;

	trace->base_realtime_ns = BASE_NS;
	trace->timeline_end_ns = BASE_NS + 7000;
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t timeline = trace_add_track(
			trace, (struct trace_track){.kind = TRACE_TIMELINE,
				       .pid = 1,
				       .tid = i + 1});

		events[2 * i] = (struct event){.kind = EVENT_BEGIN,
			.track = timeline,
			.site = work_site,
			.time_ns = times[i]};
		events[2 * i + 1] = (struct event){.kind = EVENT_END,
			.track = timeline,
			.site = TRACE_NONE,
			.time_ns = times[i]};
	}
	json_decref(WRITE(events, &text));
	for (uint32_t i = 0; i < COUNT; i++) {
		char ts[64];

		(void)snprintf(ts, sizeof(ts), "\"tid\":%u,\"ts\":%s,", i + 1,
			want[i]);
		ck_assert_msg(
			strstr(text, ts) != NULL, "no %s in %s", ts, text);
	}
	free(text);
	/* An open range ends with its timeline. */
	json_decref(check_write(trace, events, 1, &text));
	ck_assert_msg(strstr(text, "\"dur\":2.000") != NULL, "%s", text);
	free(text);
}
END_TEST

START_TEST(names_of_any_bytes_are_valid_text)
{
	static const char name[] = "a\"b\\c\n\x01\0\xff<é>";
	const struct event events[] = {
		{.kind = EVENT_COMPLETE,
			.site = trace_add_site(
				trace, name, sizeof(name) - 1, "C:\\x", 4, 1)},
		{.kind = EVENT_INSTANT, .site = 2},
	};
	json_t *json = WRITE(events, NULL);
	json_t *got = json_object_get(check_find(json, "X", 0), "name");

	ck_assert_uint_eq(json_string_length(got), sizeof(name) - 1 + 2);
	ck_assert_int_eq(
		memcmp(json_string_value(got), "a\"b\\c\n\x01\0\xef\xbf\xbd<é>",
			sizeof(name) + 1),
		0);
	ck_assert_str_eq(
		check_text_of(check_args_of(check_find(json, "X", 0)), "file"),
		"C:\\x");
	/* Once per name, for any number of events. */
	ck_assert_uint_eq(trace->losses[LOSS_BAD_TEXT], 1);
	json_decref(json);
}
END_TEST

START_TEST(arguments_go_to_the_innermost_range)
{
	struct event_arg inner = {.kind = ARG_INT, .key = add_text("n")};
	struct event_arg outer[3] = {
		{.kind = ARG_FLOAT, .key = add_text("x")},
		{.kind = ARG_TEXT, .key = add_text("text\xff")},
		{.kind = ARG_JSON, .key = add_text("list")},
	};
	const struct event events[] = {
		{.kind = EVENT_BEGIN, .site = main_site},
		{.kind = EVENT_BEGIN, .site = work_site, .time_ns = 5},
		{.kind = EVENT_ARGS, .arg_count = 1, .args = &inner},
		{.kind = EVENT_END, .time_ns = 10},
		{.kind = EVENT_END,
			.time_ns = 20,
			.arg_count = 3,
			.args = outer},
	};
	json_t *json;
	json_t *args;

	inner.value.integer = INT64_MIN;
	outer[0].value.real = (double)NAN;
	outer[1].value.text.bytes = "va\xfflue";
	outer[1].value.text.size = 6;
	outer[2].value.text.bytes = "[1,{}]";
	outer[2].value.text.size = 6;
	json = WRITE(events, NULL);
	args = check_args_of(check_find(json, "X", 0));
	ck_assert_uint_eq(json_object_size(args), 1);
	ck_assert(check_number_of(args, "n") == INT64_MIN);
	args = check_args_of(check_find(json, "X", 1));
	ck_assert_uint_eq(json_object_size(args), 5);
	ck_assert_str_eq(check_text_of(args, "x"), "NaN");
	ck_assert_str_eq(
		check_text_of(args, "text\xef\xbf\xbd"), "va\xef\xbf\xbdlue");
	ck_assert_uint_eq(json_array_size(json_object_get(args, "list")), 2);
	ck_assert_int_eq(check_number_of(args, "line"), 3);
	json_decref(json);
}
END_TEST

START_TEST(the_last_argument_of_a_key_stays)
{
	struct event_arg args[3] = {
		{.kind = ARG_INT, .key = add_text("n\xff"), .value = {1}},
		{.kind = ARG_INT, .key = add_text("line"), .value = {2}},
		{.kind = ARG_INT, .key = add_text("n\xfe"), .value = {3}},
	};
	const struct event events[] = {
		{.kind = EVENT_BEGIN,
			.site = main_site,
			.arg_count = 3,
			.args = args},
		{.kind = EVENT_END, .time_ns = 1},
	};
	json_t *json = WRITE(events, NULL);
	json_t *got = check_args_of(check_find(json, "X", 0));

	ck_assert_uint_eq(json_object_size(got), 3);
	ck_assert_int_eq(check_number_of(got, "n\xef\xbf\xbd"), 3);
	ck_assert_int_eq(check_number_of(got, "line"), 2);
	ck_assert_str_eq(check_text_of(got, "file"), "main.c");
	json_decref(json);
}
END_TEST

START_TEST(an_argument_set_again_and_again_takes_no_more_room)
{
	enum { COUNT = 100000 };
	struct event *events = calloc(COUNT + 2, sizeof(*events));
	struct event_arg *args = calloc(COUNT, sizeof(*args));
	json_t *json;
	json_t *got;

	ck_assert(events != NULL && args != NULL);
	events[0].site = work_site;
	for (int i = 0; i < COUNT; i++) {
		args[i].key = add_text(i % 2 == 0 ? "even" : "odd");
		args[i].value.integer = i;
		events[i + 1].kind = EVENT_ARGS;
		events[i + 1].arg_count = 1;
		events[i + 1].args = &args[i];
	}
	events[COUNT + 1].kind = EVENT_END;
	json = check_write(trace, events, COUNT + 2, NULL);
	got = check_args_of(check_find(json, "X", 0));
	ck_assert_uint_eq(json_object_size(got), 2);
	ck_assert_int_eq(check_number_of(got, "even"), COUNT - 2);
	ck_assert_int_eq(check_number_of(got, "odd"), COUNT - 1);
	json_decref(json);
	free(args);
	free(events);
}
END_TEST

/* Few and many of them; linear search would take minutes for the last. */
START_TEST(repeated_arguments_have_their_last_values)
{
	static const uint32_t counts[] = {1, 5, 63, 64, 65, 130, 300, 150000};
	const uint32_t keys = counts[_i];
	const uint32_t count = 4 * keys;
	struct event_arg *args = calloc(count, sizeof(*args));
	uint32_t *last = calloc(keys, sizeof(*last));
	const struct event events[] = {
		{.kind = EVENT_BEGIN,
			.site = work_site,
			.arg_count = count,
			.args = args},
		{.kind = EVENT_END, .time_ns = 1},
	};
	uint64_t state = keys;
	char text[16];
	json_t *json;
	json_t *got;

	ck_assert(args != NULL && last != NULL);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t key;

		state = state * 6364136223846793005u + 1442695040888963407u;
		key = i < keys ? i : (uint32_t)(state >> 33) % keys;
		(void)snprintf(text, sizeof(text), "k%u", key);
		args[i].key = add_text(text);
		args[i].value.integer = i;
		last[key] = i;
	}
	json = WRITE(events, NULL);
	got = check_args_of(check_find(json, "X", 0));
	for (uint32_t key = 0; key < keys; key++) {
		(void)snprintf(text, sizeof(text), "k%u", key);
		if (check_number_of(got, text) != last[key])
			ck_abort_msg("%s is not %u", text, last[key]);
	}
	ck_assert_uint_eq(json_object_size(got), keys);
	json_decref(json);
	free(last);
	free(args);
}
END_TEST

START_TEST(open_ranges_are_closed_at_the_end_and_marked)
{
	const struct event events[] = {
		{.kind = EVENT_BEGIN, .site = main_site, .time_ns = 1000},
		{.kind = EVENT_BEGIN, .site = work_site, .time_ns = 2000},
	};
	json_t *json = WRITE(events, NULL);
	json_t *losses =
		json_object_get(json_object_get(json, "otherData"), "losses");

	ck_assert_int_eq(check_ns(check_find(json, "X", 0), "dur"), 7000);
	ck_assert_int_eq(check_ns(check_find(json, "X", 1), "dur"), 8000);
	ck_assert(json_is_true(json_object_get(
		check_args_of(check_find(json, "X", 0)), "open")));
	ck_assert_int_eq(check_number_of(losses, "open_ranges"), 2);
	ck_assert_uint_eq(json_object_size(losses), 1);
	json_decref(json);
}
END_TEST

START_TEST(stray_ends_and_stray_arguments_are_counted)
{
	struct event_arg arg = {.kind = ARG_INT, .key = add_text("n")};
	const struct event events[] = {
		{.kind = EVENT_END, .time_ns = 5},
		{.kind = EVENT_ARGS, .arg_count = 1, .args = &arg},
		{.kind = EVENT_BEGIN, .site = main_site, .time_ns = 6},
		{.kind = EVENT_END, .time_ns = 7},
		{.kind = EVENT_END, .time_ns = 8},
	};
	json_t *json = WRITE(events, NULL);

	ck_assert_uint_eq(trace->losses[LOSS_STRAY_ENDS], 2);
	ck_assert_uint_eq(trace->losses[LOSS_NOT_SHOWN], 1);
	ck_assert_int_eq(check_ns(check_find(json, "X", 0), "dur"), 1);
	ck_assert_ptr_null(check_find(json, "X", 1));
	json_decref(json);
}
END_TEST

START_TEST(times_that_go_back_stand_still)
{
	const struct event events[] = {
		{.kind = EVENT_BEGIN, .site = main_site, .time_ns = 100},
		{.kind = EVENT_BEGIN, .site = work_site, .time_ns = 50},
		{.kind = EVENT_END, .time_ns = 120},
		{.kind = EVENT_END, .time_ns = 110},
	};
	json_t *json = WRITE(events, NULL);
	size_t count;
	struct shown *shown = check_rebuild(json, 101, true, &count);

	ck_assert_uint_eq(trace->losses[LOSS_BACKWARD_TIMES], 2);
	ck_assert_uint_eq(count, 2);
	ck_assert_int_eq(shown[1].start_ns, 100);
	ck_assert_int_eq(shown[1].dur_ns, 20);
	ck_assert_int_eq(shown[0].dur_ns, 20);
	free(shown);
	json_decref(json);
}
END_TEST

START_TEST(the_ends_of_time_are_exact)
{
	const struct event events[] = {
		{.kind = EVENT_BEGIN, .site = main_site, .time_ns = INT64_MIN},
		{.kind = EVENT_END, .time_ns = INT64_MAX},
	};
	char *text;

	json_decref(WRITE(events, &text));
	ck_assert_ptr_nonnull(strstr(text, "\"ts\":-9223372036854775.808,"
					   "\"dur\":18446744073709551.615,"));
	free(text);
}
END_TEST

START_TEST(facts_with_equal_keys_are_all_kept)
{
	json_t *json;
	json_t *facts;

	ck_assert(trace_add_fact(trace, "host", "a"));
	ck_assert(trace_add_fact(trace, "host", "b\xff"));
	ck_assert(trace_add_fact(trace, "host (2)", "c"));
	ck_assert(trace_add_fact(trace, "", "d"));
	trace->losses[LOSS_TRUNCATED] = 1;
	json = check_write(trace, NULL, 0, NULL);
	facts = json_object_get(json_object_get(json, "otherData"), "facts");
	ck_assert_uint_eq(json_object_size(facts), 4);
	ck_assert_str_eq(check_text_of(facts, "host"), "a");
	ck_assert_str_eq(check_text_of(facts, "host (2)"), "b\xef\xbf\xbd");
	facts = json_object_get(json_object_get(json, "otherData"), "losses");
	ck_assert_int_eq(check_number_of(facts, "truncated"), 1);
	ck_assert_int_eq(check_number_of(facts, "bad_text"), 1);
	json_decref(json);
}
END_TEST

static void add_tests(TCase *tests)
{
	tcase_add_test(tests, an_empty_trace_is_a_whole_file);
	tcase_add_test(tests, a_range_is_one_slice_with_its_place);
	tcase_add_test(tests, the_base_time_is_written_where_it_is_known);
	tcase_add_test(
		tests, timelines_of_the_wall_clock_stand_beside_the_measured);
	tcase_add_test(tests, names_of_any_bytes_are_valid_text);
	tcase_add_test(tests, arguments_go_to_the_innermost_range);
	tcase_add_test(tests, the_last_argument_of_a_key_stays);
	tcase_add_test(
		tests, an_argument_set_again_and_again_takes_no_more_room);
	tcase_add_loop_test(
		tests, repeated_arguments_have_their_last_values, 0, 8);
	tcase_add_test(tests, open_ranges_are_closed_at_the_end_and_marked);
	tcase_add_test(tests, stray_ends_and_stray_arguments_are_counted);
	tcase_add_test(tests, times_that_go_back_stand_still);
	tcase_add_test(tests, the_ends_of_time_are_exact);
	tcase_add_test(tests, facts_with_equal_keys_are_all_kept);
}

int main(void)
{
	Suite *suite = suite_create("chrome");
	TCase *tests = tcase_create("chrome");

	tcase_add_checked_fixture(tests, case_setup, case_teardown);
	add_tests(tests);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
