/* SPDX-License-Identifier: MIT */
/* formats/format.c: every entry of the table must be complete, including new
 * ones. */
#include <check.h>
#include <stdlib.h>

#include "format.h"
#include "support/run_suite.h"

START_TEST(formats_are_found_by_name_and_suffix)
{
	ck_assert_ptr_eq(format_find("pstats"), &pstats_format);
	ck_assert_ptr_eq(format_find("svg"), &svg_format);
	ck_assert_ptr_null(format_find("nothing"));
	ck_assert_ptr_null(format_find(""));
	ck_assert_ptr_eq(format_of_path("dir.svg/run.folded"), &folded_format);
	ck_assert_ptr_eq(format_of_path("run.ctp"), &log_format);
	ck_assert_ptr_null(format_of_path("run"));
	ck_assert_ptr_null(format_of_path(""));
	ck_assert_ptr_null(format_probe("", 0));
}
END_TEST

START_TEST(every_format_identifies_itself)
{
	for (size_t i = 0; formats[i] != NULL; i++) {
		const struct format *format = formats[i];

		ck_assert_ptr_eq(format_find(format->name), format);
		ck_assert_str_ne(format->summary, "");
		ck_assert(!format->needs_tree || format->write_profile != NULL);
		ck_assert_msg(format->write_profile == NULL ||
				      format->new_timeline == NULL,
			"%s must write events or a profile, not both",
			format->name);
		if (format->suffix != NULL)
			ck_assert_ptr_eq(
				format_of_path(format->suffix), format);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("formats");
	TCase *tests = tcase_create("formats");

	tcase_add_test(tests, formats_are_found_by_name_and_suffix);
	tcase_add_test(tests, every_format_identifies_itself);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
