/* SPDX-License-Identifier: MIT */
/* formats/flame_*.c: times, colours and boxes; flame.sh has whole pictures. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "flamegraph/flame_frame.h"
#include "support/profile_case.h"
#include "support/run_suite.h"

START_TEST(times_have_a_unit_that_fits)
{
	static const struct {
		uint64_t time_ns;
		const char *text;
	} cases[] = {{0, "0 ns"}, {999, "999 ns"}, {1000, "1.00 \xc2\xb5s"},
		{1995, "2.00 \xc2\xb5s"}, {999994, "999.99 \xc2\xb5s"},
		{999995, "1.00 ms"}, {1234567, "1.23 ms"}, {1235000, "1.24 ms"},
		{999994999, "999.99 ms"}, {999995000, "1.00 s"},
		{1000000000, "1.00 s"}, {UINT64_MAX, "18446744073.71 s"}};
	char text[FLAME_TIME_TEXT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(
			flame_time(text, cases[i].time_ns), cases[i].text);
}
END_TEST

static void check_module(const char *name, const char *file, const char *module)
{
	const struct profile_function function = {.name = name, .file = file};
	size_t size;
	const char *found = flame_module(&function, &size);

	ck_assert_uint_eq(size, strlen(module));
	ck_assert_mem_eq(found, module, size);
}

START_TEST(functions_belong_to_a_file_or_a_prefix_of_their_name)
{
	check_module("f", "dir/a.c", "dir/a.c");
	check_module("aten::mm", "", "aten");
	check_module("<built-in f>", "~", "<built-in f>");
	check_module("torch.nn.Linear", "<string>", "torch");
	check_module("int ns::sub::f<int>(int)", "", "ns");
	check_module("f(ns::type)", "", "f");
	check_module("main", "", "main");
	check_module("", "", "");
}
END_TEST

START_TEST(functions_of_a_module_have_its_hue)
{
	const struct profile_function one = {.name = "f", .file = "a.c"};
	const struct profile_function other = {.name = "h", .file = "a.c"};
	const struct profile_function kernel = {
		.name = "k", .file = "<gpu:0>", .device.kind = PROFILE_KERNEL};
	char first[FLAME_CLASS_TEXT];
	char second[FLAME_CLASS_TEXT];

	(void)flame_class(first, &one);
	(void)flame_class(second, &other);
	ck_assert_int_eq(first[0], 'c');
	ck_assert_mem_eq(first, second, strcspn(first, " "));
	ck_assert_int_eq(
		strncmp(flame_class(first, &kernel), "kernel s", 8), 0);
}
END_TEST

START_TEST(changes_have_a_colour_by_their_part)
{
	ck_assert_str_eq(flame_change_class(0, 0), "same");
	ck_assert_str_eq(flame_change_class(1000, 1009), "same");
	ck_assert_str_eq(flame_change_class(990, 1000), "more1");
	ck_assert_str_eq(flame_change_class(1000, 970), "less2");
	ck_assert_str_eq(flame_change_class(90, 100), "more3");
	ck_assert_str_eq(flame_change_class(100, 75), "less4");
	ck_assert_str_eq(flame_change_class(0, 1), "more5");
	ck_assert_str_eq(flame_change_class(UINT64_MAX, 1), "less5");
}
END_TEST

START_TEST(sums_beyond_counting_stay_in_the_picture)
{
	static const struct profile_cost cost = {1, 1, 1, 1};
	uint32_t at = profile_case_node(
		0, profile_case_function("f", "", cost), UINT64_MAX);

	(void)profile_case_node(
		at, profile_case_function("g", "", cost), UINT64_MAX);
	(void)profile_case_node(
		at, profile_case_function("h", "", cost), UINT64_MAX);
	profile_case_write(&flamegraph_format);
	CASE_HAS("x=\"10\" width=\"1180\" y=\"128\"");
	CASE_HAS("x=\"1190\" width=\"0\" y=\"128\"");
	CASE_LACKS("width=\"4");
}
END_TEST

START_TEST(names_of_megabytes_are_cut)
{
	char *name = malloc(1 << 20);

	ck_assert_ptr_nonnull(name);
	memset(name, 'x', (1 << 20) - 1);
	name[(1 << 20) - 1] = '\0';
	profile_case_lone(name, name);
	memset(name, ' ', 1 << 19);
	profile_case_lone(name, name);
	free(name);
	profile_case_write(&flamegraph_format);
	ck_assert_uint_lt(profile_case_size, 30000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flame_frame");
	TCase *tests = tcase_create("flame_frame");

	tcase_add_checked_fixture(
		tests, profile_case_set_up, profile_case_tear_down);
	tcase_add_test(tests, times_have_a_unit_that_fits);
	tcase_add_test(
		tests, functions_belong_to_a_file_or_a_prefix_of_their_name);
	tcase_add_test(tests, functions_of_a_module_have_its_hue);
	tcase_add_test(tests, changes_have_a_colour_by_their_part);
	tcase_add_test(tests, sums_beyond_counting_stay_in_the_picture);
	tcase_add_test(tests, names_of_megabytes_are_cut);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
