/* SPDX-License-Identifier: MIT */
/* The cache of operators in lib/roofline/flops.c. */
#include <check.h>
#include <stdio.h>

#include "flops_case.h"
#include "support/run_suite.h"

#define DIMS "[[3, 5], [5, 7]]"
#define FLOATS "[\"float\",\"float\"]"

START_TEST(keys_that_differ_in_one_text_are_distinct)
{
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(
			flops_ask("aten::mm", DIMS, FLOATS, NULL).dtype,
			DTYPE_FP32);
		ck_assert_int_eq(
			flops_ask("aten::mm", DIMS, NULL, FLOATS).dtype,
			DTYPE_UNKNOWN);
		ck_assert_uint_eq(
			flops_ask("aten::mm", DIMS, NULL, NULL).flops, 210);
		ck_assert(!flops_ask("aten::add", DIMS, NULL, NULL).has_flops);
		ck_assert(!flops_ask("aten::mm", NULL, DIMS, NULL).has_flops);
	}
}
END_TEST

/* Far more than are cached. */
START_TEST(displaced_entries_are_read_again)
{
	char dims[64];

	for (unsigned i = 0; i < 20000; i++) {
		unsigned rows = i % 5000 + 1;

		(void)snprintf(dims, sizeof(dims), "[[%u, 5], [5, 7]]", rows);
		ck_assert_uint_eq(
			flops_ask("aten::mm", dims, FLOATS, NULL).flops,
			70 * rows);
	}
}
END_TEST

START_TEST(entries_too_long_for_the_cache_are_read)
{
	char dims[1024];

	(void)snprintf(dims, sizeof(dims), "%800s", DIMS);
	for (int i = 0; i < 2; i++)
		ck_assert_uint_eq(
			flops_ask("aten::mm", dims, NULL, NULL).flops, 210);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flops_cache");
	TCase *tests = tcase_create("flops_cache");

	tcase_add_checked_fixture(tests, flops_set_up, flops_tear_down);
	tcase_add_test(tests, keys_that_differ_in_one_text_are_distinct);
	tcase_add_test(tests, displaced_entries_are_read_again);
	tcase_add_test(tests, entries_too_long_for_the_cache_are_read);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
