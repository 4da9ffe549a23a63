/* SPDX-License-Identifier: MIT */
/* lib/cupti/cupti_table.[ch]. */
#include <check.h>

#include "cupti/cupti_table.h"
#include "support/run_suite.h"

#define MANY 10000

START_TEST(an_empty_table_has_no_key)
{
	const struct cupti_table table = CUPTI_TABLE_INIT(1);
	const uint64_t key = 0;

	ck_assert_uint_eq(cupti_table_find(&table, &key), 0);
}
END_TEST

START_TEST(keys_are_found_however_many_there_are)
{
	struct cupti_table table = CUPTI_TABLE_INIT(2);

	for (uint64_t i = 0; i < MANY; i++)
		ck_assert(cupti_table_set(
			&table, (const uint64_t[]){i, ~i}, i + 1));
	ck_assert_uint_eq(table.used, MANY);
	for (uint64_t i = 0; i < MANY; i++) {
		ck_assert_uint_eq(
			cupti_table_find(&table, (const uint64_t[]){i, ~i}),
			i + 1);
		ck_assert_uint_eq(
			cupti_table_find(&table, (const uint64_t[]){i, i}), 0);
	}
	cupti_table_clear(&table);
}
END_TEST

START_TEST(a_key_has_its_last_value)
{
	struct cupti_table table = CUPTI_TABLE_INIT(1);
	const uint64_t key = 0;

	ck_assert(cupti_table_set(&table, &key, 1));
	ck_assert(cupti_table_set(&table, &key, UINT64_MAX));
	ck_assert_uint_eq(table.used, 1);
	ck_assert_uint_eq(cupti_table_find(&table, &key), UINT64_MAX);
	cupti_table_clear(&table);
}
END_TEST

START_TEST(a_cleared_table_is_as_new)
{
	struct cupti_table table = CUPTI_TABLE_INIT(1);
	const uint64_t keys[] = {7, 8};

	ck_assert(cupti_table_set(&table, &keys[0], 1));
	cupti_table_clear(&table);
	ck_assert_uint_eq(table.used, 0);
	ck_assert_uint_eq(cupti_table_find(&table, &keys[0]), 0);
	ck_assert(cupti_table_set(&table, &keys[1], 2));
	ck_assert_uint_eq(cupti_table_find(&table, &keys[0]), 0);
	ck_assert_uint_eq(cupti_table_find(&table, &keys[1]), 2);
	cupti_table_clear(&table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cupti_table");
	TCase *tests = tcase_create("cupti_table");

	tcase_add_test(tests, an_empty_table_has_no_key);
	tcase_add_test(tests, keys_are_found_however_many_there_are);
	tcase_add_test(tests, a_key_has_its_last_value);
	tcase_add_test(tests, a_cleared_table_is_as_new);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
