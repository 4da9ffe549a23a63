/* SPDX-License-Identifier: MIT */
/* base/index.[ch]: random items added and removed, compared with a plain
 * array. */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/memory.h"
#include "support/run_suite.h"

#define ITEMS 512

/* With `few`, all items have one of the four highest hashes, so that runs of
 * slots are long and wrap around. */
static uint64_t hash_of(uint32_t item, bool few)
{
	return few ? (uint64_t)(UINT32_MAX - item % 4) << 32 : hash_word(item);
}

/* The item's number, and its slot or the free one for it. */
static uint32_t find(
	const struct index *index, uint32_t item, bool few, uint32_t *slot)
{
	uint32_t number;

	*slot = index_first(index, hash_of(item, few));
	while ((number = index_find(index, hash_of(item, few), slot)) !=
		INDEX_NONE) {
		if (number == item)
			break;
		*slot = index_after(index, *slot);
	}
	return number;
}

static void check_all(
	const struct index *index, const bool present[ITEMS], bool few)
{
	uint32_t slot;

	for (uint32_t i = 0; i < ITEMS; i++)
		ck_assert_uint_eq(find(index, i, few, &slot),
			present[i] ? i : INDEX_NONE);
}

START_TEST(removed_items_are_gone_and_others_are_found)
{
	bool few = _i == 1;
	bool present[ITEMS] = {false};
	struct index index = {0};
	uint64_t random = 1;
	uint32_t count = 0;
	uint32_t slot;

	for (unsigned step = 0; step < 4000; step++) {
		uint32_t item;

		random = random * UINT64_C(6364136223846793005) + 1;
		item = (uint32_t)(random >> 33) % ITEMS;
		ck_assert(index_reserve(&index, count));
		if (find(&index, item, few, &slot) == INDEX_NONE) {
			index_set(&index, slot, hash_of(item, few), item);
			count++;
		} else {
			index_remove(&index, slot);
			count--;
		}
		present[item] = !present[item];
		if (step % 64 == 0)
			check_all(&index, present, few);
	}
	check_all(&index, present, few);
	index_clear(&index);
	check_all(&index, (bool[ITEMS]){false}, few);
	memory_free(index.entries);
}
END_TEST

START_TEST(clearing_an_empty_index_is_allowed)
{
	struct index index = {0};

	index_clear(&index);
	ck_assert_ptr_null(index.entries);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("index");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(
		all, removed_items_are_gone_and_others_are_found, 0, 2);
	tcase_add_test(all, clearing_an_empty_index_is_allowed);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
