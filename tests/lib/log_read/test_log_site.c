/* SPDX-License-Identifier: MIT */
/* Functions known by their addresses, and the modules that contain them. */
#include <check.h>
#include <string.h>

#include "support/log_case.h"
#include "support/log_maker.h"
#include "support/run_suite.h"

#define MODULE "[16, 1, 4096, 8192, '/usr/lib/libfoo.so.1', '\\x01\\xab\\xff']"

/* A log with these modules and sites, whose sites begin and end in turn. */
static void make(const char *modules, const char *sites, size_t count)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, "%s", modules);
	log_maker_add(&log_case_made, "[1, 1, [%s]]", sites);
	for (size_t i = 0; i < count; i++)
		log_maker_add(&log_case_made,
			"[3, 1, %zu, %zu, [0, 1], [], [%zu], [2, 0], []]", i,
			10 * i, i + 1);
	log_maker_add(&log_case_made, "[6, {'log': 1000}]");
}

static void read_names(enum read_names names)
{
	log_text_clear(&log_case_text);
	log_case_text = log_text_read_names(
		log_case_made.bytes, log_case_made.used, names);
}

START_TEST(a_function_without_a_name_is_its_modules_file_and_its_offset)
{
	make(MODULE, "['', '', 0, 1, 4660, '']", 1);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin libfoo.so.1+0x1234\n0 1 end\n");
	ck_assert_str_eq(log_case_text.losses, "");
}
END_TEST

START_TEST(a_path_without_a_directory_is_its_own_file_name)
{
	make("[16, 1, 0, 1, 'prog', '']",
		"['', '', 0, 1, 18446744073709551615, '']", 1);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin prog+0xffffffffffffffff\n0 1 end\n");
}
END_TEST

START_TEST(a_module_without_a_path_is_its_number)
{
	make("[16, 77, 0, 1, '', '']", "['', '', 0, 77, 1, '']", 1);
	log_case_read_made();
	ck_assert_str_eq(
		log_case_text.events, "0 0 begin (module 77)+0x1\n0 1 end\n");
	ck_assert_uint_eq(log_case_lost("unknown_sites"), 0);
}
END_TEST

START_TEST(a_module_that_is_lost_is_counted)
{
	make(MODULE, "['', '', 0, 2, 4660, ''], ['f', '', 0, 2, 4660, '']", 2);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin (module 2)+0x1234\n0 1 end\n"
		"0 10 begin f\n0 11 end\n");
	ck_assert_uint_eq(log_case_lost("unknown_sites"), 1);
}
END_TEST

START_TEST(names_are_shown_in_the_requested_form)
{
	make(MODULE,
		"['int ns::f<int>(int)', 'a.cc', 7, 1, 16, '_ZN2ns1fIiEEiT_'],"
		"['c_name', 'a.c', 8, 1, 32, ''],"
		"['a span (of <work>)', '', 0]",
		3);
	read_names(READ_NAMES_FULL);
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin int ns::f<int>(int)\n0 1 end\n"
		"0 10 begin c_name\n0 11 end\n"
		"0 20 begin a span (of <work>)\n0 21 end\n");
	read_names(READ_NAMES_SHORT);
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin ns::f\n0 1 end\n"
		"0 10 begin c_name\n0 11 end\n"
		"0 20 begin a span (of <work>)\n0 21 end\n");
	read_names(READ_NAMES_MANGLED);
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin _ZN2ns1fIiEEiT_\n0 1 end\n"
		"0 10 begin c_name\n0 11 end\n"
		"0 20 begin a span (of <work>)\n0 21 end\n");
}
END_TEST

START_TEST(a_mangled_name_alone_is_used)
{
	make(MODULE, "['', '', 0, 1, 16, '_Z1fv']", 1);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events, "0 0 begin _Z1fv\n0 1 end\n");
}
END_TEST

START_TEST(elements_behind_the_known_ones_are_ignored)
{
	make("[16, 1, 0, 1, 'a.so', '', [nil], 7]",
		"['', '', 0, 1, 16, '', '', 0, 'new', {}], ['f', '', 0, 'new'],"
		"['g', '', 0, 'new', 0.5]",
		3);
	log_case_read_made();
	ck_assert_str_eq(log_case_text.events,
		"0 0 begin a.so+0x10\n0 1 end\n0 10 begin f\n0 11 end\n"
		"0 20 begin g\n0 21 end\n");
	ck_assert_str_eq(log_case_text.losses, "");
}
END_TEST

START_TEST(modules_are_listed_with_their_known_properties)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, MODULE);
	log_maker_add(&log_case_made, "[16, 2, 65536, 1, 'b', '']");
	log_maker_add(&log_case_made, "[17, 1]");
	/* A copy, an unknown one, and the same in another recording. */
	log_maker_add(&log_case_made, MODULE);
	log_maker_add(&log_case_made, "[17, 99]");
	log_maker_add(&log_case_made, "[6, {'log': 1000}]");
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, MODULE);
	log_maker_add(&log_case_made, "[6, {'log': 1000}]");
	log_case_read_made();
	ck_assert_str_eq(log_case_text.modules,
		"42 1000 8192 /usr/lib/libfoo.so.1 01abff closed\n"
		"42 10000 1 b \n"
		"42 1000 8192 /usr/lib/libfoo.so.1 01abff\n");
	ck_assert_str_eq(log_case_text.losses, "");
}
END_TEST

START_TEST(a_module_number_means_nothing_in_another_recording)
{
	make(MODULE, "", 0);
	make("[17, 1]", "['', '', 0, 1, 16, '']", 1);
	log_case_read_made();
	ck_assert_str_eq(
		log_case_text.events, "0 0 begin (module 1)+0x10\n0 1 end\n");
	ck_assert_uint_eq(log_case_lost("unknown_sites"), 1);
}
END_TEST

START_TEST(long_and_strange_build_ids_are_cut)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made,
		"[16, 1048575, 18446744073709551615,"
		" 18446744073709551615, 'p\\xff',"
		" '\\xff%0100d']",
		0);
	log_maker_add(&log_case_made, "[6, {'log': 1000}]");
	log_case_read_made();
	ck_assert_uint_eq(strlen(log_case_text.modules),
		strlen("42 ffffffffffffffff 18446744073709551615 p\xff \n") +
			128);
	ck_assert_str_eq(log_case_text.losses, "");
}
END_TEST

START_TEST(completion_of_a_log_is_a_fact)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made, "[6, {'log': 1000, 'recovered': 1}]");
	log_case_read_made();
	ck_assert_ptr_nonnull(strstr(log_case_text.facts, "recovered=1\n"));
}
END_TEST

START_TEST(an_early_stop_of_recording_is_a_loss)
{
	log_maker_add_header(&log_case_made, 0, 1);
	log_maker_add(&log_case_made,
		"[6, {'log': 1000, 'stopped': 'cannot write: full'}]");
	log_case_read_made();
	ck_assert_ptr_nonnull(
		strstr(log_case_text.facts, "stopped=cannot write: full\n"));
	ck_assert_str_eq(log_case_text.losses, "truncated 1\n");
}
END_TEST

static TCase *make_modules(void)
{
	TCase *tests = tcase_create("modules");

	tcase_add_checked_fixture(tests, log_case_set_up, log_case_tear_down);
	tcase_add_test(tests,
		a_function_without_a_name_is_its_modules_file_and_its_offset);
	tcase_add_test(tests, a_path_without_a_directory_is_its_own_file_name);
	tcase_add_test(tests, a_module_without_a_path_is_its_number);
	tcase_add_test(tests, a_module_that_is_lost_is_counted);
	tcase_add_test(tests, names_are_shown_in_the_requested_form);
	tcase_add_test(tests, a_mangled_name_alone_is_used);
	tcase_add_test(tests, elements_behind_the_known_ones_are_ignored);
	tcase_add_test(tests, modules_are_listed_with_their_known_properties);
	tcase_add_test(
		tests, a_module_number_means_nothing_in_another_recording);
	tcase_add_test(tests, long_and_strange_build_ids_are_cut);
	tcase_add_test(tests, completion_of_a_log_is_a_fact);
	tcase_add_test(tests, an_early_stop_of_recording_is_a_loss);
	return tests;
}

int main(void)
{
	Suite *suite = suite_create("log_modules");

	suite_add_tcase(suite, make_modules());
	return run_suite(suite);
}
