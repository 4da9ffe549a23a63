/* SPDX-License-Identifier: MIT */
/* lib/gpu_table.[ch]. */
#include <check.h>

#include "cupti/gpu_table.h"
#include "support/run_suite.h"

#define MANY 10000

START_TEST(an_empty_table_has_no_key)
{
	const struct gpu_table table = GPU_TABLE_INIT(1);
	const uint64_t key = 0;

	ck_assert_uint_eq(gpu_table_find(&table, &key), 0);
}
END_TEST

START_TEST(keys_are_found_however_many_there_are)
{
	struct gpu_table table = GPU_TABLE_INIT(2);

	for (uint64_t i = 0; i < MANY; i++)
		ck_assert(gpu_table_set(
			&table, (const uint64_t[]){i, ~i}, i + 1));
	ck_assert_uint_eq(table.used, MANY);
	for (uint64_t i = 0; i < MANY; i++) {
		ck_assert_uint_eq(
			gpu_table_find(&table, (const uint64_t[]){i, ~i}),
			i + 1);
		ck_assert_uint_eq(
			gpu_table_find(&table, (const uint64_t[]){i, i}), 0);
	}
	gpu_table_clear(&table);
}
END_TEST

START_TEST(a_key_has_its_last_value)
{
	struct gpu_table table = GPU_TABLE_INIT(1);
	const uint64_t key = 0;

	ck_assert(gpu_table_set(&table, &key, 1));
	ck_assert(gpu_table_set(&table, &key, UINT64_MAX));
	ck_assert_uint_eq(table.used, 1);
	ck_assert_uint_eq(gpu_table_find(&table, &key), UINT64_MAX);
	gpu_table_clear(&table);
}
END_TEST

START_TEST(a_cleared_table_is_as_new)
{
	struct gpu_table table = GPU_TABLE_INIT(1);
	const uint64_t keys[] = {7, 8};

	ck_assert(gpu_table_set(&table, &keys[0], 1));
	gpu_table_clear(&table);
	ck_assert_uint_eq(table.used, 0);
	ck_assert_uint_eq(gpu_table_find(&table, &keys[0]), 0);
	ck_assert(gpu_table_set(&table, &keys[1], 2));
	ck_assert_uint_eq(gpu_table_find(&table, &keys[0]), 0);
	ck_assert_uint_eq(gpu_table_find(&table, &keys[1]), 2);
	gpu_table_clear(&table);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("gpu_table");
	TCase *tests = tcase_create("gpu_table");

	tcase_add_test(tests, an_empty_table_has_no_key);
	tcase_add_test(tests, keys_are_found_however_many_there_are);
	tcase_add_test(tests, a_key_has_its_last_value);
	tcase_add_test(tests, a_cleared_table_is_as_new);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
