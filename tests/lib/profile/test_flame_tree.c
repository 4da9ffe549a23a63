/* SPDX-License-Identifier: MIT */
/* lib/profile/flame_tree.c: kept and folded nodes, without losses; in cases
 * computed by hand, and in larger ones with known sums. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile/flame_tree.h"
#include "support/profile_case.h"
#include "support/run_suite.h"

#define COST(calls, self, total) ((struct flame_cost){calls, self, total})

static struct flame_tree *tree;
static struct flame_options options;

static void set_up(void)
{
	profile_case_set_up();
	options = (struct flame_options){.nodes = 1000, .depth = 100};
}

static void tear_down(void)
{
	flame_tree_free(tree);
	tree = NULL;
	profile_case_tear_down();
}

static void make(void)
{
	flame_tree_free(tree);
	tree = NULL;
	ck_assert_int_eq(
		flame_tree_new(profile_case_profile, &options, &tree, NULL),
		CTP_OK);
}

static uint32_t function(const char *name, enum profile_kind kind)
{
	uint32_t number =
		profile_case_function(name, "", (struct profile_cost){0});

	profile_case_profile->functions[number].device.kind = kind;
	return number;
}

/* As profile_case_node(), with one call for each ten nanoseconds. */
static uint32_t node(uint32_t parent, uint32_t of, uint64_t self_ns)
{
	uint32_t number = profile_case_node(parent, of, self_ns);

	profile_case_profile->nodes[number].ncalls = self_ns / 10;
	return number;
}

static void check_node(uint32_t number, const char *name, uint32_t parent,
	uint64_t start_ns, struct flame_cost cost)
{
	const struct flame_node *found = &tree->nodes[number];
	const char *other = found->function == FLAME_OTHER ? "(other)" : "all";

	ck_assert_uint_lt(number, tree->count);
	ck_assert_str_eq(
		name, found->function >= FLAME_OTHER
			      ? other
			      : profile_case_profile->functions[found->function]
					.name);
	ck_assert_uint_eq(found->parent, parent);
	ck_assert_uint_eq(found->start_ns, start_ns);
	ck_assert_uint_eq(found->cost.calls, cost.calls);
	ck_assert_uint_eq(found->cost.self_ns, cost.self_ns);
	ck_assert_uint_eq(found->cost.total_ns, cost.total_ns);
}

/* main 10 { small 20, large 60 { small 30 }, none 0, kernel 500 } */
static void run_small(void)
{
	uint32_t small = function("small", PROFILE_HOST);
	uint32_t at = node(0, function("main", PROFILE_HOST), 10);

	(void)node(at, small, 20);
	(void)node(node(at, function("large", PROFILE_HOST), 60), small, 30);
	(void)node(at, function("none", PROFILE_HOST), 0);
	(void)node(at, function("kernel", PROFILE_KERNEL), 500);
}

START_TEST(siblings_stand_side_by_side_the_longest_first)
{
	run_small();
	make();
	ck_assert_uint_eq(tree->count, 5);
	ck_assert_uint_eq(tree->depth, 3);
	ck_assert_uint_eq(tree->folded, 0);
	check_node(0, "all", 0, 0, COST(0, 0, 120));
	check_node(1, "main", 0, 0, COST(1, 10, 120));
	check_node(2, "large", 1, 0, COST(6, 60, 90));
	check_node(3, "small", 2, 0, COST(3, 30, 30));
	check_node(4, "small", 1, 90, COST(2, 20, 20));
}
END_TEST

START_TEST(a_devices_time_is_below_its_launcher)
{
	run_small();
	(void)node(0, function("copy", PROFILE_COPY), 70);
	options.side = FLAME_DEVICE;
	make();
	ck_assert_uint_eq(tree->count, 4);
	check_node(0, "all", 0, 0, COST(0, 0, 570));
	check_node(1, "main", 0, 0, COST(1, 0, 500));
	check_node(2, "kernel", 1, 0, COST(50, 500, 500));
	check_node(3, "copy", 0, 500, COST(7, 70, 70));
}
END_TEST

START_TEST(small_paths_are_folded_last)
{
	run_small();
	options.nodes = 2;
	make();
	ck_assert_uint_eq(tree->count, 5);
	ck_assert_uint_eq(tree->folded, 2);
	check_node(2, "large", 1, 0, COST(6, 60, 90));
	check_node(3, "(other)", 2, 0, COST(3, 30, 30));
	check_node(4, "(other)", 1, 90, COST(2, 20, 20));
	ck_assert_uint_eq(tree->nodes[4].folded, 1);
	options.nodes = 1;
	make();
	ck_assert_uint_eq(tree->count, 3);
	check_node(2, "(other)", 1, 0, COST(8, 110, 110));
	ck_assert_uint_eq(tree->nodes[2].folded, 3);
	options.nodes = 0;
	make();
	ck_assert_uint_eq(tree->count, 2);
	check_node(1, "(other)", 0, 0, COST(1, 120, 120));
	ck_assert_uint_eq(tree->folded, 4);
}
END_TEST

/* 100 of each of three times, which differ in a high byte only. */
START_TEST(the_first_of_equal_times_are_kept)
{
	uint32_t functions[300];

	for (unsigned i = 0; i < 300; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "f%u", i);
		functions[i] = function(name, PROFILE_HOST);
		(void)node(0, functions[i], 500 + ((uint64_t)(i % 3) << 40));
	}
	options.nodes = 150;
	make();
	ck_assert_uint_eq(tree->count, 152);
	ck_assert_uint_eq(tree->folded, 150);
	for (unsigned i = 0; i < 100; i++)
		ck_assert_uint_eq(
			tree->nodes[1 + i].function, functions[3 * i + 2]);
	for (unsigned i = 0; i < 50; i++)
		ck_assert_uint_eq(
			tree->nodes[101 + i].function, functions[3 * i + 1]);
	ck_assert_uint_eq(tree->nodes[151].function, FLAME_OTHER);
}
END_TEST

START_TEST(deep_paths_are_folded)
{
	run_small();
	options.depth = 2;
	make();
	ck_assert_uint_eq(tree->count, 5);
	ck_assert_uint_eq(tree->depth, 3);
	check_node(3, "(other)", 2, 0, COST(3, 30, 30));
}
END_TEST

START_TEST(without_time_there_is_a_root_only)
{
	make();
	ck_assert_uint_eq(tree->count, 1);
	check_node(0, "all", 0, 0, COST(0, 0, 0));
	(void)node(0, function("none", PROFILE_HOST), 0);
	make();
	ck_assert_uint_eq(tree->count, 1);
}
END_TEST

START_TEST(a_base_gives_each_node_its_old_costs)
{
	struct flame_cost base[6] = {[1] = {4, 40, 0},
		[2] = {7, 70, 0},
		[3] = {1, 10, 0},
		[5] = {5, 50, 0}};

	run_small();
	options.base = base;
	make();
	ck_assert_uint_eq(tree->count, 5);
	ck_assert_uint_eq(tree->nodes[0].base.total_ns, 170);
	ck_assert_uint_eq(tree->nodes[1].base.total_ns, 170);
	ck_assert_uint_eq(tree->nodes[2].base.total_ns, 10);
	ck_assert_uint_eq(tree->nodes[2].base.self_ns, 10);
	ck_assert_uint_eq(tree->nodes[3].base.total_ns, 0);
	ck_assert_uint_eq(tree->nodes[4].base.total_ns, 70);
	ck_assert_uint_eq(tree->nodes[4].base.calls, 7);
	ck_assert_uint_eq(tree->gone, 1);
	ck_assert_uint_eq(tree->gone_ns, 50);
}
END_TEST

START_TEST(depth_is_not_recursion)
{
	uint32_t f = function("f", PROFILE_HOST);
	uint32_t at = 0;

	for (unsigned i = 0; i < 300000; i++)
		at = node(at, f, 10);
	options.depth = 50;
	make();
	ck_assert_uint_eq(tree->count, 52);
	check_node(50, "f", 49, 0, COST(1, 10, 10 * (300000 - 49)));
	check_node(51, "(other)", 50, 0,
		COST(1, 10 * (300000 - 50), 10 * (300000 - 50)));
	options.depth = UINT32_MAX;
	options.nodes = UINT32_MAX;
	make();
	ck_assert_uint_eq(tree->count, 300001);
	ck_assert_uint_eq(tree->depth, 300000);
}
END_TEST

/* Children are within their parents and do not overlap, and the space between
 * is the parent's own: no time is lost or counted twice. */
static void check_sums(void)
{
	uint64_t *within = calloc(tree->count, sizeof(*within));

	ck_assert_ptr_nonnull(within);
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct flame_node *here = &tree->nodes[i];
		const struct flame_node *parent = &tree->nodes[here->parent];

		ck_assert_uint_lt(here->parent, i);
		ck_assert_uint_eq(here->depth, parent->depth + 1);
		ck_assert_uint_eq(here->start_ns,
			parent->start_ns + within[here->parent]);
		within[here->parent] += here->cost.total_ns;
	}
	for (uint32_t i = 0; i < tree->count; i++)
		ck_assert_uint_eq(tree->nodes[i].cost.total_ns,
			tree->nodes[i].cost.self_ns + within[i]);
	free(within);
}

START_TEST(sums_hold_whatever_is_folded)
{
	uint32_t functions[50];
	uint64_t total = 0;
	uint32_t seed = 7;

	for (unsigned i = 0; i < 50; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "f%u", i);
		functions[i] = function(name, PROFILE_HOST);
	}
	(void)profile_case_node(0, functions[0], 0);
	for (uint32_t i = 2; i < 20000; i++) {
		uint32_t self;

		seed = seed * 1103515245 + 12345;
		self = seed >> 16 & 1023;
		total += self;
		(void)node(seed >> 8 & 1 ? i - 1 : seed % i,
			functions[(seed >> 4) % 50], self);
	}
	for (uint32_t nodes = 0; nodes < 30000; nodes = nodes * 3 + 1) {
		options.nodes = nodes;
		make();
		check_sums();
		ck_assert_uint_eq(tree->nodes[0].cost.total_ns, total);
		ck_assert_uint_le(tree->count, 2 * nodes + 2);
		ck_assert_uint_ge(tree->count + tree->folded, 15000);
	}
}
END_TEST

START_TEST(sums_beyond_counting_stay_the_largest)
{
	uint32_t f = function("f", PROFILE_HOST);
	uint32_t at = node(0, f, UINT64_MAX);

	(void)node(at, function("g", PROFILE_HOST), UINT64_MAX);
	(void)node(at, function("h", PROFILE_HOST), UINT64_MAX);
	make();
	ck_assert_uint_eq(tree->count, 4);
	ck_assert_uint_eq(tree->nodes[0].cost.total_ns, UINT64_MAX);
	ck_assert_uint_eq(tree->nodes[3].start_ns, UINT64_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flame_tree");
	TCase *tests = tcase_create("flame_tree");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, siblings_stand_side_by_side_the_longest_first);
	tcase_add_test(tests, a_devices_time_is_below_its_launcher);
	tcase_add_test(tests, small_paths_are_folded_last);
	tcase_add_test(tests, the_first_of_equal_times_are_kept);
	tcase_add_test(tests, deep_paths_are_folded);
	tcase_add_test(tests, without_time_there_is_a_root_only);
	tcase_add_test(tests, a_base_gives_each_node_its_old_costs);
	tcase_add_test(tests, depth_is_not_recursion);
	tcase_add_test(tests, sums_hold_whatever_is_folded);
	tcase_add_test(tests, sums_beyond_counting_stay_the_largest);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
