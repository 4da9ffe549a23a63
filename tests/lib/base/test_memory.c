/* SPDX-License-Identifier: MIT */
/* base/memory.[ch]: arrays that grow, and the limit. */
#include <check.h>
#include <stdint.h>

#include "base/memory.h"
#include "support/run_suite.h"

START_TEST(an_array_grows_by_one_and_keeps_its_items)
{
	uint64_t *items = NULL;
	size_t room = 0;

	for (size_t count = 0; count < 1000; count++) {
		ck_assert(array_reserve(&items, count, &room, sizeof(*items)));
		ck_assert_uint_gt(room, count);
		items[count] = count * 3;
	}
	for (size_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(items[i], i * 3);
	ck_assert_uint_lt(room, 2048);
	memory_free(items);
}
END_TEST

START_TEST(an_item_is_reached_and_new_ones_are_zero)
{
	static const uint32_t places[] = {0, 5, 100, 99, 3000};
	uint32_t *items = NULL;
	uint32_t room = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		ck_assert(array_ensure_index(
			&items, places[i], &room, sizeof(*items)));
		ck_assert_uint_gt(room, places[i]);
		ck_assert_uint_eq(items[places[i]], 0);
		ck_assert_uint_eq(items[room - 1], 0);
		items[places[i]] = places[i] + 1;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		ck_assert_uint_eq(items[places[i]], places[i] + 1);
	memory_free(items);
}
END_TEST

/* Over the limit, and with sizes that overflow, nothing changes. */
START_TEST(a_block_that_cannot_grow_stays)
{
	uint8_t *items = NULL;
	uint8_t *before;
	uint32_t room = 0;
	size_t wide;

	ck_assert(array_reserve32(&items, 0, &room, 1));
	items[0] = 7;
	before = items;
	wide = room;
	memory_set_limit(4096);
	ck_assert(!array_ensure_index(&items, 1U << 20, &room, 1));
	ck_assert(!array_reserve(&items, wide, &wide, 1U << 20));
	ck_assert(memory_was_refused());
	ck_assert_uint_eq(room, wide);
	memory_set_limit(0);
	ck_assert(!array_ensure_index(&items, UINT32_MAX, &room, 1));
	ck_assert_uint_eq(room, wide);
	room = UINT32_MAX;
	ck_assert(!array_reserve32(&items, room, &room, 1));
	ck_assert_uint_eq(room, UINT32_MAX);
	wide = SIZE_MAX;
	ck_assert(!array_reserve(&items, wide, &wide, 1));
	ck_assert_ptr_eq(items, before);
	ck_assert_uint_eq(items[0], 7);
	memory_free(items);
}
END_TEST

/* The default limit fits the inputs. */
START_TEST(the_usual_limit_fits_the_size_of_the_inputs)
{
	const uint64_t machine = UINT64_C(1) << 40;
	const uint64_t any = MEMORY_FOR_ANY_INPUT;

	memory_set_usual_limit(machine);
	ck_assert_uint_eq(memory_limit(), machine);
	ck_assert(!memory_limit_is_by_size());
	memory_expect(6000000);
	ck_assert_uint_eq(memory_limit(), any + 64 * UINT64_C(6000000));
	ck_assert(memory_limit_is_by_size());
	ck_assert_ptr_null(memory_new(any + 64 * UINT64_C(6000000) + 1));
	memory_expect(1000000);
	ck_assert_uint_eq(memory_limit(), any + 64 * UINT64_C(7000000));
	memory_set_limit(4096);
	ck_assert_uint_eq(memory_limit(), 4096);
	memory_set_limit(0);
	ck_assert_uint_eq(memory_limit(), 0);
	ck_assert(!memory_limit_is_by_size());
	memory_set_usual_limit(any);
	ck_assert_uint_eq(memory_limit(), any);
	memory_set_usual_limit(machine);
	memory_expect(UINT64_MAX);
	ck_assert_uint_eq(memory_limit(), machine);
	memory_expect(1);
	ck_assert_uint_eq(memory_limit(), machine);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("memory");
	TCase *tcase = tcase_create("memory");

	tcase_add_test(tcase, an_array_grows_by_one_and_keeps_its_items);
	tcase_add_test(tcase, an_item_is_reached_and_new_ones_are_zero);
	tcase_add_test(tcase, a_block_that_cannot_grow_stays);
	tcase_add_test(tcase, the_usual_limit_fits_the_size_of_the_inputs);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
