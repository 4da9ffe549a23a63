/* SPDX-License-Identifier: MIT */
/* formats/pstats/pstats.c: Python's pstats reads the bytes correctly. */
#include <check.h>

#include "format.h"
#include "support/profile_case.h"
#include "support/run_suite.h"

/* The parts of a pstats file, as Python's marshal writes them. */
#define KEY(file, file_size, line, name, name_size) \
	"(\3\0\0\0u" file_size "\0\0\0" file "i" line "\0\0\0u" name_size \
	"\0\0\0" name
#define KEY_F KEY("r.c", "\3", "\7", "f", "\1")
#define KEY_G KEY("r.c", "\3", "\7", "g", "\1")
#define KEY_ROOT KEY("~", "\1", "\0", "<all threads>", "\15")
#define INT(n) "i" n "\0\0\0"
#define NS_110 "g\xd0\xc0\x02\x77\x24\x87\x7d\x3e" /* 1.1e-07 */
#define NS_165 "g\x9c\x10\x42\x59\x5b\x25\x86\x3e"
#define NS_330 "g\x9c\x10\x42\x59\x5b\x25\x96\x3e"
#define NS_440 "g\xd0\xc0\x02\x77\x24\x87\x9d\x3e"
#define NS_495 "g\x75\x8c\xf1\x82\x04\x9c\xa0\x3e"
#define NS_605 "g\x8f\xe4\xd1\x11\xe9\x4c\xa4\x3e"

START_TEST(pstats_has_primitive_calls_first_but_last_in_callers)
{
	profile_case_recursion();
	profile_case_write(&pstats_format);
	CASE_HAS(KEY_F "(\5\0\0\0" INT("\1") INT("\4") NS_440 NS_605 "{");
	CASE_HAS(KEY_G "(\5\0\0\0" INT("\1") INT("\3") NS_165 NS_495
		"{" KEY_F "(\4\0\0\0" INT("\3") INT("\1") NS_165 NS_495 "0");
	CASE_HAS(
		"{" KEY_ROOT "(\4\0\0\0" INT("\1") INT("\1") NS_110 NS_605 KEY_G
		"(\4\0\0\0" INT("\3") INT("\1") NS_330 NS_440 "0");
}
END_TEST

START_TEST(pstats_has_one_root_without_callers)
{
	profile_case_recursion();
	profile_case_write(&pstats_format);
	CASE_HAS("{" KEY_ROOT "(\5\0\0\0" INT("\1")
			INT("\1") "g\0\0\0\0\0\0\0\0" NS_605 "{0");
}
END_TEST

START_TEST(pstats_of_no_calls_is_the_root_alone)
{
	static const char expected[] = "{" KEY_ROOT "(\5\0\0\0" INT("\1")
		INT("\1") "g\0\0\0\0\0\0\0\0g\0\0\0\0\0\0\0\0{00";

	profile_case_write(&pstats_format);
	ck_assert_uint_eq(profile_case_size, sizeof(expected) - 1);
	ck_assert_mem_eq(profile_case_bytes, expected, profile_case_size);
}
END_TEST

START_TEST(pstats_of_a_python_program_has_no_root)
{
	profile_case_recursion();
	profile_case_profile->no_root = true;
	profile_case_write(&pstats_format);
	CASE_LACKS("<all threads>");
	CASE_HAS(KEY_F "(\5\0\0\0" INT("\1") INT("\4") NS_440 NS_605
		"{" KEY_G "(\4\0\0\0" INT("\3") INT("\1") NS_330 NS_440 "0");
}
END_TEST

START_TEST(pstats_sums_names_that_become_equal)
{
	profile_case_lone("x\xfe", "~");
	profile_case_lone("x\xff", "");
	profile_case_write(&pstats_format);
	CASE_HAS(KEY("~", "\1", "\7", "x\xef\xbf\xbd", "\4") "(\5\0\0\0" INT(
		"\2") INT("\2"));
}
END_TEST

START_TEST(pstats_keeps_a_function_that_is_called_like_the_root)
{
	uint32_t number = profile_add_function(
		profile_case_profile, "<all threads>", "~", 0);

	profile_case_profile->functions[number].cost =
		(struct profile_cost){2, 2, 9, 9};
	profile_case_profile->functions[number].root =
		profile_case_profile->functions[number].cost;
	profile_case_write(&pstats_format);
	CASE_HAS(KEY_ROOT "(\5\0\0\0" INT("\2") INT("\2"));
	CASE_HAS("<all threads, 2>(\5\0\0\0" INT("\1") INT("\1"));
}
END_TEST

START_TEST(pstats_keeps_big_counts_and_times)
{
	profile_case_function("big", "b.c",
		(struct profile_cost){UINT64_C(1) << 31, 3,
			(UINT64_C(1) << 53) + 1, (UINT64_C(1) << 62)});
	profile_case_write(&pstats_format);
	CASE_HAS("l\3\0\0\0\0\0\0\0\2\0");
	/* 2^62 ns are 4611686018.427387904 s. */
	CASE_HAS("g\x95\xd6\x26\xe8\x0b\x2e\xf1\x41");
}
END_TEST

START_TEST(pstats_names_cannot_end_the_script_they_are_shown_by)
{
	profile_case_lone("</script>", "");
	profile_case_lone("a</SCRIPT", "");
	profile_case_lone("<!--", "");
	profile_case_lone("<b></b>", "");
	profile_case_write(&pstats_format);
	CASE_HAS("<\\/script>");
	CASE_HAS("a<\\/SCRIPT");
	CASE_HAS("<\\!--");
	CASE_HAS("<b></b>");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pstats");
	TCase *tests = tcase_create("pstats");

	tcase_add_checked_fixture(
		tests, profile_case_set_up, profile_case_tear_down);
	tcase_add_test(
		tests, pstats_has_primitive_calls_first_but_last_in_callers);
	tcase_add_test(tests, pstats_has_one_root_without_callers);
	tcase_add_test(tests, pstats_of_no_calls_is_the_root_alone);
	tcase_add_test(tests, pstats_of_a_python_program_has_no_root);
	tcase_add_test(tests, pstats_sums_names_that_become_equal);
	tcase_add_test(
		tests, pstats_keeps_a_function_that_is_called_like_the_root);
	tcase_add_test(tests, pstats_keeps_big_counts_and_times);
	tcase_add_test(
		tests, pstats_names_cannot_end_the_script_they_are_shown_by);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
