/* SPDX-License-Identifier: MIT */
/* The table of functions' addresses. */
#include <check.h>
#include <pthread.h>
#include <stdatomic.h>

#include "instrument/functions.h"
#include "support/run_suite.h"

#define MANY 20000
#define ADDRESS(i) ((uintptr_t)0x400000 + 16 * (uintptr_t)(i))
#define TAG(i) (FUNCTION_TAG * ((uint64_t)(i) + 1))

START_TEST(nothing_is_known_at_first)
{
	ck_assert_uint_eq(function_tag(ADDRESS(1)), 0);
	function_forget(0, UINTPTR_MAX);
	ck_assert_uint_eq(function_tag(ADDRESS(1)), 0);
}
END_TEST

START_TEST(set_functions_are_found)
{
	for (int i = 0; i < MANY; i++)
		ck_assert(function_set(ADDRESS(i), TAG(i)));
	for (int i = 0; i < MANY; i++)
		ck_assert_uint_eq(function_tag(ADDRESS(i)), TAG(i));
	ck_assert_uint_eq(function_tag(ADDRESS(MANY)), 0);
}
END_TEST

START_TEST(a_tag_may_change)
{
	ck_assert(function_set(ADDRESS(3), TAG(3)));
	ck_assert(function_set(ADDRESS(3), FUNCTION_EXCLUDED));
	ck_assert_uint_eq(function_tag(ADDRESS(3)), FUNCTION_EXCLUDED);
}
END_TEST

START_TEST(a_range_is_forgotten)
{
	for (int i = 0; i < 100; i++)
		ck_assert(function_set(ADDRESS(i), TAG(i)));
	function_forget(ADDRESS(10), ADDRESS(20) - 1);
	for (int i = 0; i < 100; i++)
		ck_assert_uint_eq(function_tag(ADDRESS(i)),
			i >= 10 && i < 20 ? 0 : TAG(i));
	ck_assert(function_set(ADDRESS(15), TAG(1)));
	ck_assert_uint_eq(function_tag(ADDRESS(15)), TAG(1));
}
END_TEST

static _Atomic int filled;

/* Reads the existing entries while the table grows. */
static void *reads(void *argument)
{
	_Atomic int *wrong = argument;

	while (atomic_load(&filled) < MANY) {
		int end = atomic_load(&filled);

		for (int i = 0; i < end; i += 1 + end / 100)
			if (function_tag(ADDRESS(i)) != TAG(i))
				atomic_fetch_add(wrong, 1);
	}
	return NULL;
}

START_TEST(readers_need_no_lock)
{
	_Atomic int wrong = 0;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, reads, &wrong), 0);
	for (int i = 0; i < MANY; i++) {
		ck_assert(function_set(ADDRESS(i), TAG(i)));
		atomic_store(&filled, i + 1);
	}
	for (int i = 0; i < 2; i++)
		(void)pthread_join(threads[i], NULL);
	ck_assert_int_eq(atomic_load(&wrong), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("functions");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, nothing_is_known_at_first);
	tcase_add_test(tcase, set_functions_are_found);
	tcase_add_test(tcase, a_tag_may_change);
	tcase_add_test(tcase, a_range_is_forgotten);
	tcase_add_test(tcase, readers_need_no_lock);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
