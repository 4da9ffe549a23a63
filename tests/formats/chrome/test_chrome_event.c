/* SPDX-License-Identifier: MIT */
/* formats/chrome/chrome.c: events without a duration. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "chrome_check.h"
#include "format.h"
#include "support/run_suite.h"

static struct trace *trace;
static uint32_t plain;  /* "f" */
static uint32_t sorted; /* "g" of the category "cat \"1\"" */

static uint32_t add_text(const char *text)
{
	return strtab_add(trace->text, text, strlen(text));
}

static void setup(void)
{
	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	ck_assert_uint_eq(trace_add_track(trace,
				  (struct trace_track){.pid = 7, .tid = 8}),
		0);
	plain = trace_add_place(
		trace, (struct trace_site){.name = add_text("f")});
	sorted = trace_add_place(
		trace, (struct trace_site){.name = add_text("g"),
			       .category = add_text("cat \"1\"")});
}

static void teardown(void)
{
	trace_free(trace);
}

static json_t *write_one(struct event event)
{
	return check_write(trace, &event, 1, NULL);
}

START_TEST(arrows_lead_from_slice_to_slice)
{
	const struct event events[] = {
		{.kind = EVENT_FLOW, .site = plain, .id = UINT64_MAX},
		{.kind = EVENT_FLOW,
			.site = plain,
			.id = UINT64_MAX,
			.time_ns = 1000,
			.flow = FLOW_STEP},
		{.kind = EVENT_FLOW,
			.site = plain,
			.id = UINT64_MAX,
			.time_ns = 2000,
			.flow = FLOW_END},
	};
	json_t *json = check_write(trace, events, 3, NULL);

	for (size_t i = 0; i < 3; i++) {
		static const char *const phases[] = {"s", "t", "f"};
		json_t *event = check_find(json, phases[i], 0);

		ck_assert_str_eq(check_text_of(event, "name"), "f");
		ck_assert_str_eq(check_text_of(event, "cat"), "flow");
		ck_assert_str_eq(
			check_text_of(event, "id"), "0xffffffffffffffff");
		ck_assert_int_eq(check_ns(event, "ts"), (int64_t)i * 1000);
		ck_assert_int_eq(json_object_get(event, "bp") != NULL, i == 2);
	}
	json_decref(json);
}
END_TEST

/* Our own arrows replace them, from the cause to the activity. */
START_TEST(arrows_of_kineto_are_not_written_twice)
{
	struct event event = {.kind = EVENT_FLOW, .id = 3};
	json_t *json;

	event.site = trace_add_place(
		trace, (struct trace_site){.name = add_text("ac2g"),
			       .category = add_text("ac2g")});
	json = write_one(event);
	ck_assert_ptr_null(check_find(json, "s", 0));
	json_decref(json);
}
END_TEST

START_TEST(the_category_is_the_sites_own)
{
	static const struct {
		enum event_kind kind;
		const char *phase;
		const char *none;
	} kinds[] = {{EVENT_ASYNC_BEGIN, "b", "async"},
		{EVENT_ASYNC_END, "e", "async"},
		{EVENT_INSTANT, "i", "instant"}, {EVENT_FLOW, "s", "flow"},
		{EVENT_COUNTER, "C", "counter"}};
	struct event_arg value = {.kind = ARG_INT, .value.integer = 1};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct event event = {.kind = kinds[i].kind,
			.site = plain,
			.arg_count = 1,
			.args = &value};
		json_t *json = write_one(event);

		ck_assert_str_eq(
			check_text_of(
				check_find(json, kinds[i].phase, 0), "cat"),
			kinds[i].none);
		json_decref(json);
		event.site = sorted;
		json = write_one(event);
		ck_assert_str_eq(
			check_text_of(
				check_find(json, kinds[i].phase, 0), "cat"),
			"cat \"1\"");
		json_decref(json);
	}
}
END_TEST

START_TEST(a_counters_lines_have_their_keys)
{
	struct event_arg values[] = {
		{.kind = ARG_INT, .value.integer = -3},
		{.kind = ARG_FLOAT, .value.real = 0.5},
	};
	struct event event = {.kind = EVENT_COUNTER,
		.site = plain,
		.arg_count = 2,
		.args = values};
	json_t *json;
	json_t *args;

	values[0].key = add_text("used");
	values[1].key = add_text("free");
	json = write_one(event);
	args = check_args_of(check_find(json, "C", 0));
	ck_assert_uint_eq(json_object_size(args), 2);
	ck_assert_int_eq(check_number_of(args, "used"), -3);
	ck_assert(json_real_value(json_object_get(args, "free")) == 0.5);
	json_decref(json);
	/* A value without a key gets the counter's name. */
	values[0].key = 0;
	event.arg_count = 1;
	json = write_one(event);
	args = check_args_of(check_find(json, "C", 0));
	ck_assert_int_eq(check_number_of(args, "f"), -3);
	json_decref(json);
}
END_TEST

START_TEST(a_counter_without_a_number_is_counted)
{
	struct event_arg text = {
		.kind = ARG_TEXT, .value.text = {.bytes = "1", .size = 1}};
	struct event event = {
		.kind = EVENT_COUNTER, .site = plain, .args = &text};

	json_decref(write_one(event));
	event.arg_count = 1;
	json_decref(write_one(event));
	ck_assert_uint_eq(trace->losses[LOSS_NOT_SHOWN], 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chrome_event");
	TCase *tests = tcase_create("chrome_event");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, arrows_lead_from_slice_to_slice);
	tcase_add_test(tests, arrows_of_kineto_are_not_written_twice);
	tcase_add_test(tests, the_category_is_the_sites_own);
	tcase_add_test(tests, a_counters_lines_have_their_keys);
	tcase_add_test(tests, a_counter_without_a_number_is_counted);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
