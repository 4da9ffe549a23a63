/* SPDX-License-Identifier: MIT */
/* All events given to the recorder are in its log. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "record_case.h"
#include "support/run_suite.h"

START_TEST(off_is_reported_and_records_nothing)
{
	ck_assert_str_eq(ctp_status(), "off");
	ck_assert_int_eq(record_case_early_return(0), -1);
	ctp_begin(ctp_site_intern("x", NULL, 0));
	ctp_end();
	ctp_arg_int("k", 1);
	ck_assert_int_eq(ctp_flush(), CTP_ERR_STATE);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
}
END_TEST

START_TEST(scopes_close_however_they_are_left)
{
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 0);
	(void)record_case_early_return(1);
	(void)record_case_early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 2);
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 3);
	ck_assert_uint_eq(content.kinds[EVENT_END], 3);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(a_second_start_is_refused)
{
	record_case_start(CTP_POLICY_BLOCK, 0);
	ck_assert_int_eq(ctp_start(NULL), CTP_ERR_STATE);
	ck_assert_ptr_nonnull(strstr(ctp_status(), "recording to "));
}
END_TEST

START_TEST(nothing_is_lost_over_many_chunks)
{
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 256 * 1024);
	for (int i = 0; i < 500000; i++)
		(void)record_case_early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "inner");
	ck_assert_uint_eq(content.named, 500000);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

static void *record_many(void *name)
{
	ctp_thread_name(name);
	for (int i = 0; i < 300000; i++)
		(void)record_case_early_return(0);
	return NULL;
}

/* Two ranges each time. */
static void record_on_threads(void)
{
	pthread_t threads[4];
	static char name[] = "busy";

	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, record_many, name),
			0);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

START_TEST(threads_have_tracks_and_names)
{
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_on_threads();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.tracks, 4);
	ck_assert_str_eq(content.thread_name, "busy");
	ck_assert_uint_eq(content.named, 1200000);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(drops_and_records_add_up)
{
	static const enum ctp_policy policies[] = {
		CTP_POLICY_DROP, CTP_POLICY_GROW};
	struct case_content content;

	record_case_start(policies[_i], 256 * 1024);
	record_on_threads();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN] +
				  content.losses[LOSS_DROPPED_RANGES],
		2400000);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(content.losses[LOSS_DROPPED_EVENTS], 0);
}
END_TEST

static void *record_timeline(void *unused)
{
	struct ctp_site *outer = ctp_site_intern("early", NULL, 0);
	struct ctp_site *inner = ctp_site_intern("inner", NULL, 0);

	(void)unused;
	for (int i = 0; i < 100000; i++) {
		ctp_begin_at(outer, 3 * i);
		ctp_begin_at(inner, 3 * i + 1);
		ctp_end_at(3 * i + 1);
		ctp_end_at(3 * i + 2);
	}
	return NULL;
}

START_TEST(timelines_stay_whole_where_ranges_are_dropped)
{
	struct case_content content;
	pthread_t threads[3];

	record_case_start(CTP_POLICY_DROP, 256 * 1024);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
					 record_timeline, NULL),
			0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN] +
				  content.losses[LOSS_DROPPED_RANGES],
		600000);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(content.losses[LOSS_DROPPED_EVENTS], 0);
}
END_TEST

START_TEST(every_kind_of_event_comes_back)
{
	struct case_content content;
	struct ctp_site *site = ctp_site_intern("s", "f.c", 9);

	record_case_start(CTP_POLICY_BLOCK, 0);
	ctp_begin(site);
	ctp_arg_int("i", INT64_MIN);
	ctp_arg_float("f", 0.5);
	ctp_arg_string("t", "caf\303\251");
	ctp_instant(site);
	ctp_counter(site, -1);
	ctp_counter_float(site, 1e300);
	ctp_memory_alloc(site, 10, 0);
	ctp_memory_free(site, 10, 0);
	ctp_async_begin(site, 77);
	ctp_async_end(site, 77);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "s");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.kinds[EVENT_ARGS], 3);
	ck_assert_str_eq(content.text, "caf\303\251");
	ck_assert_uint_eq(content.kinds[EVENT_INSTANT], 1);
	ck_assert_uint_eq(content.kinds[EVENT_COUNTER], 2);
	ck_assert_uint_eq(content.kinds[EVENT_ALLOC], 1);
	ck_assert_uint_eq(content.kinds[EVENT_FREE], 1);
	ck_assert_int_eq(content.last_id, 77);
}
END_TEST

/* The open range does not have them. */
START_TEST(asynchronous_ranges_have_arguments)
{
	const struct ctp_arg args[] = {
		{"t", CTP_ARG_STRING, {.string = "text"}},
		{"f", CTP_ARG_FLOAT, {.real = 0.5}},
		{"n", CTP_ARG_INT, {.number = INT64_MIN}},
	};

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("around");
	ctp_async_begin_args(ctp_site_intern("s", NULL, 0), 77, args, 3);
	ctp_async_begin_args(ctp_site_intern("s", NULL, 0), 78, NULL, 0);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	record_case_expect(record_case_path,
		"begin around; "
		"async_begin s 77 t='text' f=0x1p-1 n=-9223372036854775808; "
		"async_begin s 78; end; ");
}
END_TEST

START_TEST(arguments_over_the_sixteenth_are_counted)
{
	struct ctp_arg args[17];
	struct case_content content;
	char *events;

	for (uint32_t i = 0; i < 17; i++)
		args[i] = (struct ctp_arg){"n", CTP_ARG_INT, {.number = i}};
	record_case_start(CTP_POLICY_BLOCK, 0);
	ctp_async_begin_args(ctp_site_intern("s", NULL, 0), 77, args, 16);
	ctp_async_begin_args(ctp_site_intern("s", NULL, 0), 77, args, 17);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "s");
	ck_assert_uint_eq(content.kinds[EVENT_ASYNC_BEGIN], 2);
	ck_assert_uint_eq(content.losses[LOSS_CUT_TEXT], 1);
	events = record_case_read_events(record_case_path);
	ck_assert_ptr_nonnull(strstr(events, " n=15; async_begin"));
	ck_assert_ptr_null(strstr(events, " n=16"));
	free(events);
}
END_TEST

START_TEST(arguments_that_are_null_are_empty)
{
	const struct ctp_arg args[] = {
		{NULL, CTP_ARG_STRING, {.string = NULL}},
		{NULL, CTP_ARG_FLOAT, {.real = 0.5}},
		{NULL, (enum ctp_arg_kind)3, {.number = 3}},
	};

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	ctp_arg_int(NULL, 1);
	ctp_arg_float(NULL, 0.5);
	ctp_arg_string(NULL, NULL);
	ctp_async_begin_args(ctp_site_intern("s", NULL, 0), 77, args, 3);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	record_case_expect(record_case_path,
		"begin a; arg =1; arg =0x1p-1; arg =''; "
		"async_begin s 77 ='' =0x1p-1 =3; end; ");
}
END_TEST

START_TEST(equal_sites_are_one)
{
	struct ctp_site *site = ctp_site_intern("a", "b", 1);

	ck_assert_ptr_eq(site, ctp_site_intern("a", "b", 1));
	ck_assert_ptr_ne(site, ctp_site_intern("a", "b", 2));
	ck_assert_ptr_ne(site, ctp_site_intern("a", NULL, 1));
	ck_assert_str_eq(site->name, "a");
}
END_TEST

START_TEST(names_too_long_are_cut_not_lost)
{
	struct case_content content;
	char *name = malloc(100001);

	memset(name, 'x', 100000);
	name[100000] = '\0';
	record_case_start(CTP_POLICY_BLOCK, 0);
	ctp_begin(ctp_site_intern(name, NULL, 0));
	ctp_arg_string("key", name);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	name[16000] = '\0';
	content = record_case_read_log(record_case_path, name);
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.losses[LOSS_CUT_TEXT], 2);
	free(name);
}
END_TEST

START_TEST(the_global_step_is_the_maximum)
{
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 0);
	ck_assert_int_eq(ctp_step("a"), 1);
	ck_assert_int_eq(ctp_step("a"), 2);
	ck_assert_int_eq(ctp_step("b"), 3); /* begins at the global step */
	ck_assert_int_eq(ctp_step("a"), 3);
	ctp_step_remove("b");
	ck_assert_int_eq(ctp_step("a"), 4);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "");
	ck_assert_uint_eq(content.kinds[EVENT_STEP], 4);
	ck_assert_int_eq(content.last_id, 4);
}
END_TEST

START_TEST(short_ranges_are_left_out_and_counted)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct case_content content;

	options.out = record_case_path;
	options.min_ns = 1000000000;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	for (int i = 0; i < 1000; i++)
		(void)record_case_early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 0);
	ck_assert_uint_eq(content.losses[LOSS_SHORT_RANGES], 2000);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(the_system_clock_does_as_well)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct case_content content;

	options.out = record_case_path;
	options.clock = CTP_CLOCK_SYSTEM;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	for (int i = 0; i < 20000; i++)
		(void)record_case_early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 20000);
	ck_assert(content.ordered);
}
END_TEST

START_TEST(a_flush_makes_it_readable_while_recording)
{
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 0);
	(void)record_case_early_return(0);
	ck_assert_int_eq(ctp_flush(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.losses[LOSS_TRUNCATED], 1);
	(void)record_case_early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 2);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record");
	TCase *tests = tcase_create("record");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, off_is_reported_and_records_nothing);
	tcase_add_test(tests, scopes_close_however_they_are_left);
	tcase_add_test(tests, a_second_start_is_refused);
	tcase_add_test(tests, nothing_is_lost_over_many_chunks);
	tcase_add_test(tests, threads_have_tracks_and_names);
	tcase_add_loop_test(tests, drops_and_records_add_up, 0, 2);
	tcase_add_test(tests, timelines_stay_whole_where_ranges_are_dropped);
	tcase_add_test(tests, every_kind_of_event_comes_back);
	tcase_add_test(tests, asynchronous_ranges_have_arguments);
	tcase_add_test(tests, arguments_over_the_sixteenth_are_counted);
	tcase_add_test(tests, arguments_that_are_null_are_empty);
	tcase_add_test(tests, equal_sites_are_one);
	tcase_add_test(tests, names_too_long_are_cut_not_lost);
	tcase_add_test(tests, the_global_step_is_the_maximum);
	tcase_add_test(tests, short_ranges_are_left_out_and_counted);
	tcase_add_test(tests, the_system_clock_does_as_well);
	tcase_add_test(tests, a_flush_makes_it_readable_while_recording);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
