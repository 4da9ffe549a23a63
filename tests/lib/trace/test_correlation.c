/* SPDX-License-Identifier: MIT */
/* lib/trace/correlation.[ch]: the calls that caused device activities. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

#include "trace/correlation.h"
#include "base/memory.h"
#include "support/run_suite.h"

#define NONE UINT64_MAX

static struct correlation *join;

static void start(uint32_t limit)
{
	correlation_free(join);
	join = correlation_new(limit);
	ck_assert_ptr_nonnull(join);
}

static void setup(void)
{
	start(CORRELATION_LIMIT);
}

static void teardown(void)
{
	correlation_free(join);
	join = NULL;
	memory_set_limit(0);
}

/* Called a million times, and each assertion is a system call. */
static void add(int64_t pid, uint64_t id, uint64_t value)
{
	if (!correlation_add(join, pid, id, value))
		ck_abort_msg("call %" PRIu64 " was not added", id);
}

static uint64_t find(int64_t pid, uint64_t id)
{
	uint64_t value;

	return correlation_find(join, pid, id, &value) ? value : NONE;
}

START_TEST(an_empty_table_has_nothing)
{
	ck_assert_uint_eq(find(1, 1), NONE);
	ck_assert_uint_eq(find(0, 0), NONE);
	correlation_free(NULL);
}
END_TEST

START_TEST(a_call_is_found_as_often_as_it_has_activities)
{
	add(1, 7, 70);
	add(1, 8, 0);
	for (int i = 0; i < 1000; i++)
		ck_assert_uint_eq(find(1, 7), 70);
	ck_assert_uint_eq(find(1, 8), 0);
	ck_assert_uint_eq(find(1, 9), NONE);
}
END_TEST

START_TEST(processes_have_ids_of_their_own)
{
	for (int64_t pid = -1; pid < 3; pid++)
		add(pid, 5, (uint64_t)(pid + 100));
	add(INT64_MAX, 5, 1);
	for (int64_t pid = -1; pid < 3; pid++)
		ck_assert_uint_eq(find(pid, 5), (uint64_t)(pid + 100));
	ck_assert_uint_eq(find(INT64_MAX, 5), 1);
	ck_assert_uint_eq(find(INT64_MIN, 5), NONE);
}
END_TEST

START_TEST(all_calls_up_to_the_limit_are_remembered)
{
	enum { COUNT = 100000 };

	for (uint64_t i = 0; i < COUNT; i++)
		add((int64_t)(i % 3), i / 3, i);
	for (uint64_t i = 0; i < COUNT; i++)
		ck_assert_uint_eq(find((int64_t)(i % 3), i / 3), i);
}
END_TEST

/* Limits around the sizes that the ring grows through. */
START_TEST(the_oldest_is_forgotten_first)
{
	static const uint32_t limits[] = {1, 2, 3, 255, 256, 257, 1000};
	uint32_t limit = limits[_i];

	start(limit);
	for (uint64_t i = 0; i < 5000; i++) {
		uint64_t oldest = i < limit ? 0 : i - limit + 1;

		add(4, i, i + 1);
		ck_assert_uint_eq(find(4, i), i + 1);
		ck_assert_uint_eq(find(4, oldest), oldest + 1);
		if (oldest > 0)
			ck_assert_uint_eq(find(4, oldest - 1), NONE);
	}
	for (uint64_t i = 5000 - limit; i < 5000; i++)
		ck_assert_uint_eq(find(4, i), i + 1);
}
END_TEST

START_TEST(an_id_that_comes_again_is_the_later_call)
{
	start(3);
	add(1, 1, 10);
	add(1, 2, 20);
	add(1, 1, 11);
	ck_assert_uint_eq(find(1, 1), 11);
	/* The first slot of 1 is taken now; it is not its last. */
	add(1, 3, 30);
	ck_assert_uint_eq(find(1, 1), 11);
	ck_assert_uint_eq(find(1, 2), 20);
	add(1, 4, 40);
	ck_assert_uint_eq(find(1, 2), NONE);
	ck_assert_uint_eq(find(1, 1), 11);
	add(1, 5, 50);
	ck_assert_uint_eq(find(1, 1), NONE);
	ck_assert_uint_eq(find(1, 3), 30);
	for (int i = 0; i < 10; i++)
		add(1, 6, 60);
	ck_assert_uint_eq(find(1, 6), 60);
	ck_assert_uint_eq(find(1, 5), NONE);
}
END_TEST

/* Compared with a plain array that is searched from its end; for consecutive
 * ids, and for ids with equal lowest bits. */
START_TEST(random_calls_are_found_as_in_a_list)
{
	enum { LIMIT = 300, KEYS = 900, STEPS = 20000 };
	static const unsigned shifts[] = {0, 8, 40};
	static uint64_t keys[STEPS];
	uint64_t state = 1;

	start(LIMIT);
	for (uint64_t i = 0; i < STEPS; i++) {
		uint64_t wanted;
		uint64_t expected = NONE;

		state = state * 6364136223846793005u + 1442695040888963407u;
		keys[i] = (state >> 33) % KEYS;
		add((int64_t)(keys[i] % 2), keys[i] << shifts[_i], i);
		wanted = (state >> 20) % KEYS;
		for (uint64_t j = i + 1; j-- > 0 && j + LIMIT > i;)
			if (keys[j] == wanted) {
				expected = j;
				break;
			}
		ck_assert_uint_eq(
			find((int64_t)(wanted % 2), wanted << shifts[_i]),
			expected);
	}
}
END_TEST

/* All have the same slot; one by one these would take hours. */
START_TEST(ids_of_the_same_bits_take_no_longer)
{
	enum { COUNT = 1000000 };

	for (uint64_t i = 0; i < COUNT; i++)
		add(1, i << 32, i);
	for (uint64_t i = COUNT - CORRELATION_LIMIT; i < COUNT; i++)
		if (find(1, i << 32) != i)
			ck_abort_msg("call %" PRIu64 " was not found", i);
	ck_assert_uint_eq(
		find(1, (uint64_t)(COUNT - CORRELATION_LIMIT - 1) << 32), NONE);
}
END_TEST

START_TEST(memory_does_not_grow_past_the_limit)
{
	start(1000);
	memory_set_limit(1 << 18);
	for (uint64_t i = 0; i < 1000000; i++)
		add(1, i, i);
	ck_assert_uint_eq(find(1, 999000), 999000);
	ck_assert(!memory_was_refused());
}
END_TEST

START_TEST(a_lack_of_memory_is_reported_and_loses_nothing)
{
	uint64_t known = 0;

	memory_set_limit(1 << 16);
	while (correlation_add(join, 1, known, known))
		known++;
	ck_assert_uint_gt(known, 100);
	for (uint64_t i = 0; i < known; i++)
		ck_assert_uint_eq(find(1, i), i);
	ck_assert_uint_eq(find(1, known), NONE);
	memory_set_limit(0);
	add(1, known, known);
	for (uint64_t i = 0; i <= known; i++)
		ck_assert_uint_eq(find(1, i), i);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("correlation");
	TCase *tests = tcase_create("correlation");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, an_empty_table_has_nothing);
	tcase_add_test(tests, a_call_is_found_as_often_as_it_has_activities);
	tcase_add_test(tests, processes_have_ids_of_their_own);
	tcase_add_test(tests, all_calls_up_to_the_limit_are_remembered);
	tcase_add_loop_test(tests, the_oldest_is_forgotten_first, 0, 7);
	tcase_add_test(tests, an_id_that_comes_again_is_the_later_call);
	tcase_add_loop_test(tests, random_calls_are_found_as_in_a_list, 0, 3);
	tcase_add_test(tests, ids_of_the_same_bits_take_no_longer);
	tcase_add_test(tests, memory_does_not_grow_past_the_limit);
	tcase_add_test(tests, a_lack_of_memory_is_reported_and_loses_nothing);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
