/* SPDX-License-Identifier: MIT */
/* timeline/lanes.[ch]: slices nest inside each lane, as viewers see them. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>

#include "timeline/lanes.h"
#include "support/run_suite.h"

struct slice {
	int64_t start;
	int64_t end;
	uint32_t lane;
	size_t order;
};

static int by_start(const void *a, const void *b)
{
	const struct slice *left = a;
	const struct slice *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

/* The number of slices of this lane that Perfetto would drop: sorted by start,
 * ties in file order, each must end inside all open ones. */
static size_t dropped(struct slice *slices, size_t count, uint32_t lane)
{
	int64_t *ends = calloc(count + 1, sizeof(*ends));
	size_t depth = 0;
	size_t result = 0;

	ck_assert_ptr_nonnull(ends);
	qsort(slices, count, sizeof(*slices), by_start);
	for (size_t i = 0; i < count; i++) {
		if (slices[i].lane != lane)
			continue;
		while (depth > 0 && ends[depth - 1] <= slices[i].start)
			depth--;
		if (depth > 0 && ends[depth - 1] < slices[i].end)
			result++;
		else
			ends[depth++] = slices[i].end;
	}
	free(ends);
	return result;
}

static void place(struct slice *slices, size_t count)
{
	struct lanes *lanes = lanes_new(false);

	ck_assert_ptr_nonnull(lanes);
	for (size_t i = 0; i < count; i++) {
		slices[i].order = i;
		slices[i].lane = lanes_place(lanes, slices[i].start,
			(uint64_t)(slices[i].end - slices[i].start));
		ck_assert_uint_lt(slices[i].lane, LANES_MAX);
	}
	lanes_free(lanes);
}

START_TEST(slices_that_nest_stay_in_one_lane)
{
	struct slice slices[] = {{0, 100, 0, 0}, {0, 50, 0, 0}, {10, 50, 0, 0},
		{50, 60, 0, 0}, {60, 60, 0, 0}, {60, 100, 0, 0},
		{100, 100, 0, 0}, {100, 101, 0, 0}};

	place(slices, 8);
	for (size_t i = 0; i < 8; i++)
		ck_assert_uint_eq(slices[i].lane, 0);
}
END_TEST

START_TEST(overlapping_slices_go_to_the_first_lane_with_room)
{
	struct slice slices[] = {{0, 10, 0, 0}, {5, 15, 0, 0}, {7, 17, 0, 0},
		{10, 20, 0, 0}, {15, 25, 0, 0}};

	place(slices, 5);
	ck_assert_uint_eq(slices[0].lane, 0);
	ck_assert_uint_eq(slices[1].lane, 1);
	ck_assert_uint_eq(slices[2].lane, 2);
	ck_assert_uint_eq(slices[3].lane, 0);
	ck_assert_uint_eq(slices[4].lane, 1);
}
END_TEST

START_TEST(a_longer_slice_after_one_of_equal_start_does_not_fit)
{
	struct slice slices[] = {{0, 10, 0, 0}, {0, 20, 0, 0}};

	place(slices, 2);
	ck_assert_uint_eq(slices[1].lane, 1);
}
END_TEST

START_TEST(a_refused_slice_changes_nothing_for_the_next)
{
	/* The third overlaps the second; the fourth does not nest. */
	struct slice slices[] = {
		{0, 100, 0, 0}, {5, 10, 0, 0}, {50, 150, 0, 0}, {6, 20, 0, 0}};

	place(slices, 4);
	ck_assert_uint_eq(slices[2].lane, 1);
	ck_assert_uint_ne(slices[3].lane, 0);
}
END_TEST

START_TEST(slices_in_order_of_their_ends_stay_in_one_lane)
{
	struct slice slices[] = {{10, 20, 0, 0}, {30, 40, 0, 0}, {5, 50, 0, 0},
		{60, 70, 0, 0}, {55, 80, 0, 0}, {0, 90, 0, 0},
		{100, 110, 0, 0}};

	place(slices, 7);
	for (size_t i = 0; i < 7; i++)
		ck_assert_uint_eq(slices[i].lane, 0);
}
END_TEST

START_TEST(many_children_before_their_parent_stay_in_one_lane)
{
	enum { COUNT = 10000 };
	struct slice *slices = calloc(COUNT + 1, sizeof(*slices));

	ck_assert_ptr_nonnull(slices);
	for (int i = 0; i < COUNT; i++)
		slices[i] = (struct slice){i * 2 + 1, i * 2 + 2, 0, 0};
	slices[COUNT] = (struct slice){0, COUNT * 2 + 1, 0, 0};
	place(slices, COUNT + 1);
	ck_assert_uint_eq(slices[COUNT].lane, 0);
	ck_assert_uint_eq(dropped(slices, COUNT + 1, 0), 0);
	free(slices);
}
END_TEST

START_TEST(a_late_slice_fits_between_others)
{
	struct slice slices[] = {
		{0, 10, 0, 0}, {20, 30, 0, 0}, {12, 18, 0, 0}, {10, 20, 0, 0}};

	place(slices, 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(slices[i].lane, 0);
}
END_TEST

START_TEST(the_ends_of_time_are_handled)
{
	struct lanes *lanes = lanes_new(false);

	ck_assert_ptr_nonnull(lanes);
	ck_assert_uint_eq(lanes_place(lanes, INT64_MIN, UINT64_MAX), 0);
	ck_assert_uint_eq(lanes_place(lanes, INT64_MAX, UINT64_MAX), 0);
	ck_assert_uint_eq(lanes_place(lanes, INT64_MIN, 5), 1);
	ck_assert_uint_eq(lanes_place(lanes, 0, UINT64_MAX), 1);
	lanes_free(lanes);
}
END_TEST

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* `_i` chooses the order: by start, by end, at random. */
START_TEST(no_lane_but_the_last_has_a_slice_that_does_not_nest)
{
	uint32_t state = (uint32_t)_i + 1;

	for (int round = 0; round < 300; round++) {
		struct slice slices[400];
		size_t count = 1 + next_random(&state) % 400;
		int64_t at = 0;

		for (size_t i = 0; i < count; i++) {
			int64_t length = next_random(&state) % 12;

			at += next_random(&state) % 3;
			if (_i == 2)
				at = next_random(&state) % 300;
			slices[i].start = _i == 1 ? at - length : at;
			slices[i].end = slices[i].start + length;
		}
		place(slices, count);
		for (uint32_t lane = 0; lane + 1 < LANES_MAX; lane++)
			ck_assert_uint_eq(dropped(slices, count, lane), 0);
	}
}
END_TEST

/* The second one ends where the first begins, and comes after it. */
START_TEST(slices_kept_apart_do_not_touch_earlier_ones)
{
	struct lanes *lanes = lanes_new(true);

	ck_assert_ptr_nonnull(lanes);
	ck_assert_uint_eq(lanes_place(lanes, 10, 10), 0);
	ck_assert_uint_eq(lanes_place(lanes, 5, 5), 1);
	ck_assert_uint_eq(lanes_place(lanes, 0, 4), 0);
	ck_assert_uint_eq(lanes_place(lanes, 20, 10), 0);
	ck_assert_uint_eq(lanes_place(lanes, 8, 40), 0);
	lanes_free(lanes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lanes");
	TCase *tests = tcase_create("lanes");

	tcase_add_test(tests, slices_that_nest_stay_in_one_lane);
	tcase_add_test(
		tests, overlapping_slices_go_to_the_first_lane_with_room);
	tcase_add_test(
		tests, a_longer_slice_after_one_of_equal_start_does_not_fit);
	tcase_add_test(tests, a_refused_slice_changes_nothing_for_the_next);
	tcase_add_test(tests, slices_in_order_of_their_ends_stay_in_one_lane);
	tcase_add_test(
		tests, many_children_before_their_parent_stay_in_one_lane);
	tcase_add_test(tests, a_late_slice_fits_between_others);
	tcase_add_test(tests, slices_kept_apart_do_not_touch_earlier_ones);
	tcase_add_test(tests, the_ends_of_time_are_handled);
	tcase_add_loop_test(tests,
		no_lane_but_the_last_has_a_slice_that_does_not_nest, 0, 3);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
