/* SPDX-License-Identifier: MIT */
/* Sites with more properties than a name and a place, and the clock that counts
 * events, from the recorder into the log and out of it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/device_link.h"
#include "support/log_text.h"
#include "record_case.h"
#include "support/run_suite.h"

static char bytes[64 * 1024];

static const struct ctp_site_info method = {
	.size = sizeof(method),
	.name = "f",
	.file = "a.py",
	.line = 3,
	.call_line = 7,
	.full_name = "C.f",
	.category = "python",
};

static struct log_text read_log(enum read_names names)
{
	FILE *file = fopen(record_case_path, "rb");
	size_t size;

	ck_assert_ptr_nonnull(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	ck_assert_uint_lt(size, sizeof(bytes));
	(void)fclose(file);
	return log_text_read_names(bytes, size, names);
}

static void start_counting(void)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = record_case_path;
	options.clock = CTP_CLOCK_EVENTS;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
}

START_TEST(sites_are_distinguished_by_all_properties)
{
	struct ctp_site_info other = method;
	struct ctp_site *site = ctp_site_intern_info(&method);

	ck_assert_ptr_eq(site, ctp_site_intern_info(&other));
	ck_assert_ptr_ne(site, ctp_site_intern("f", "a.py", 3));
	other.call_line = 8;
	ck_assert_ptr_ne(site, ctp_site_intern_info(&other));
	other = method;
	other.category = "c";
	ck_assert_ptr_ne(site, ctp_site_intern_info(&other));
	other = method;
	other.full_name = NULL;
	ck_assert_ptr_ne(site, ctp_site_intern_info(&other));
	/* A full name equal to the name adds nothing. */
	site = ctp_site_intern_info(&other);
	other.full_name = "f";
	ck_assert_ptr_eq(site, ctp_site_intern_info(&other));
	ck_assert_str_eq(site->name, "f");
	ck_assert_str_eq(site->file, "a.py");
	ck_assert_uint_eq(site->line, 3);
}
END_TEST

START_TEST(each_event_comes_a_nanosecond_after_the_one_before)
{
	struct log_text text;

	start_counting();
	ctp_begin(ctp_site_intern_info(&method));
	ctp_arg_int("argument", 1);
	record_case_begin("inner");
	ctp_end();
	ctp_instant(ctp_site_intern("now", NULL, 0));
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	text = read_log(READ_NAMES_FULL);
	ck_assert_str_eq(text.events,
		"0 1 begin f\n0 1 arg argument=1\n0 2 begin inner\n0 3 end\n"
		"0 4 instant now\n0 5 end\n");
	ck_assert_ptr_nonnull(strstr(text.facts, "\nclock=events\n"));
	ck_assert_str_eq(text.losses, "");
	log_text_clear(&text);
}
END_TEST

START_TEST(qualified_names_are_given_on_request)
{
	struct log_text text;

	start_counting();
	ctp_begin(ctp_site_intern_info(&method));
	ctp_end();
	record_case_begin("plain");
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	text = read_log(READ_NAMES_QUALIFIED);
	ck_assert_str_eq(text.events,
		"0 1 begin C.f\n0 2 end\n0 3 begin plain\n0 4 end\n");
	log_text_clear(&text);
}
END_TEST

START_TEST(sites_met_before_a_recording_are_in_it)
{
	struct ctp_site *site = ctp_site_intern_info(&method);
	struct log_text text;

	for (int i = 0; i < 2; i++) {
		start_counting();
		ctp_begin(site);
		ctp_end();
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		text = read_log(READ_NAMES_QUALIFIED);
		ck_assert_ptr_nonnull(strstr(text.events, " begin C.f\n"));
		log_text_clear(&text);
	}
}
END_TEST

START_TEST(calls_are_distinguished_by_any_clock)
{
	enum { COUNT = 10000 };
	struct ctp_site *launch = ctp_site_intern("cuLaunchKernel", NULL, 0);
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		ck_assert_int_eq(ctp_private_begin_call(launch, i), 1);
		ctp_end();
	}
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "cuLaunchKernel");
	ck_assert_uint_eq(content.named, COUNT);
	ck_assert_uint_eq(content.kinds[EVENT_CORRELATION], COUNT);
	ck_assert_uint_eq(content.kinds[EVENT_END], COUNT);
	ck_assert(content.ordered);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_site");
	TCase *tests = tcase_create("record_site");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, sites_are_distinguished_by_all_properties);
	tcase_add_test(
		tests, each_event_comes_a_nanosecond_after_the_one_before);
	tcase_add_test(tests, qualified_names_are_given_on_request);
	tcase_add_test(tests, sites_met_before_a_recording_are_in_it);
	tcase_add_test(tests, calls_are_distinguished_by_any_clock);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
