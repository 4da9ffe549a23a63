/* SPDX-License-Identifier: MIT */
/* profile/device_calls.c: the device's time below the host's functions, in
 * cases computed by hand. oracle_device.sh has the rest. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/device_case.h"
#include "support/run_suite.h"

START_TEST(the_device_can_be_all_the_time_there_is)
{
	device_case_start(
		(struct replay_options){.tree = true, .device = REPLAY_DEVICE});
	run_small();
	device_case_finish();
	check(function(MAIN)->cost, COST(1, 1, 0, 8800));
	check(function(MAIN)->root, COST(1, 1, 0, 8800));
	check(function(F)->cost, COST(1, 1, 0, 1800));
	check(function(LAUNCH)->cost, COST(4, 4, 0, 0));
	check(function(K)->cost, COST(3, 3, 8500, 8500));
	check(edge(MAIN, F), COST(1, 1, 0, 1800));
	check(edge(F, K), COST(2, 2, 1500, 1500));
	check(edge(F, LAUNCH), COST(3, 3, 0, 0));
	check_device(MAIN, 7000, 8800);
	ck_assert_uint_eq(device_case_profile->total_ns, 8800);
}
END_TEST

START_TEST(device_work_in_a_recursion_counts_once)
{
	device_case_start(
		(struct replay_options){.device = (enum replay_device)_i});
	run_recursion();
	device_case_finish();
	check_device(F, 103, 123);
	check_device(G, 20, 23);
	check_device(MAIN, 0, 123);
	ck_assert_uint_eq(device_case_profile->node_count, 0);
	if (_i != REPLAY_DEVICE)
		return;
	check(function(F)->cost, COST(2, 1, 0, 123));
	check(function(G)->cost, COST(1, 1, 0, 23));
	check(edge(MAIN, F), COST(1, 1, 0, 123));
	check(edge(F, G), COST(1, 1, 0, 23));
	check(edge(G, F), COST(1, 1, 0, 3));
}
END_TEST

START_TEST(a_tree_changes_no_sums)
{
	device_case_start((struct replay_options){.tree = true});
	run_recursion();
	device_case_finish();
	check_device(F, 103, 123);
	check_device(G, 20, 23);
	check_device(MAIN, 0, 123);
}
END_TEST

START_TEST(without_edges_only_these_are_missing)
{
	device_case_start((struct replay_options){.no_edges = true});
	run_recursion();
	device_case_finish();
	check_device(F, 103, 123);
	check_device(MAIN, 0, 123);
	check_device(K, 123, 123);
	ck_assert_uint_eq(device_case_profile->edge_count, 0);
}
END_TEST

START_TEST(edges_may_have_the_time_of_all_calls)
{
	device_case_start((struct replay_options){
		.device = REPLAY_DEVICE, .all_edge_times = true});
	for (int i = 0; i < 3; i++)
		on(T0, F);
	launch(T0, 1);
	for (int i = 0; i < 3; i++)
		on(T0, END);
	did(STREAM, K, 100, 1);
	device_case_finish();
	check(function(F)->cost, COST(3, 1, 0, 100));
	/* Either call of f by f, with all that is below it. */
	check(edge(F, F), COST(2, 0, 0, 200));
}
END_TEST

/* The node's calls and time, found by its path from the root. */
static struct profile_node node(const int *path, int size)
{
	uint32_t at = 0;

	for (int i = 0; i < size; i++) {
		uint32_t next = 0;

		for (uint32_t j = 1; j < device_case_profile->node_count; j++)
			if (device_case_profile->nodes[j].parent == at &&
				device_case_profile->nodes[j].function ==
					find(path[i]))
				next = j;
		ck_assert_uint_ne(next, 0);
		at = next;
	}
	return device_case_profile->nodes[at];
}

#define NODE(...) \
	node((const int[]){__VA_ARGS__}, \
		sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

START_TEST(the_tree_has_work_below_its_context)
{
	run_recursion();
	did(STREAM, L, 4, 3);
	did(STREAM, L, 5, 99);
	device_case_finish();
	ck_assert_uint_eq(NODE(MAIN, F, K).self_ns, 100);
	ck_assert_uint_eq(NODE(MAIN, F, G, K).self_ns, 20);
	ck_assert_uint_eq(NODE(MAIN, F, G, F, K).self_ns, 3);
	ck_assert_uint_eq(NODE(MAIN, F, G, F, L).ncalls, 1);
	ck_assert_uint_eq(NODE(L).self_ns, 5);
	ck_assert_uint_eq(NODE(MAIN, F, G, F, LAUNCH).self_ns, 10);
	ck_assert_uint_eq(NODE(MAIN, F).self_ns, 30);
	/* The launches have three nodes, and K and L four. */
	ck_assert_uint_eq(device_case_profile->node_count, 1 + 4 + 3 + 5);
}
END_TEST

START_TEST(a_look_in_between_changes_nothing)
{
	struct profile *early;

	device_case_start(
		(struct replay_options){.device = (enum replay_device)_i});
	on(T0, MAIN);
	on(T0, F);
	launch(T0, 1);
	did(STREAM, K, 10, 1);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(
			replay_snapshot(device_case_replay, &early, NULL),
			CTP_OK);
		for (uint32_t j = 0; j < early->function_count; j++)
			ck_assert_uint_eq(early->functions[j].device.total_ns,
				strcmp(early->functions[j].name,
					"cudaLaunchKernel") == 0
					? 0
					: 10);
		ck_assert_uint_eq(early->node_count, 0);
		profile_free(early);
	}
	launch(T0, 2);
	on(T0, END);
	on(T0, END);
	did(STREAM, K, 5, 2);
	device_case_finish();
	check_device(F, 15, 15);
	check_device(MAIN, 0, 15);
	check_device(K, 15, 15);
	if (_i == REPLAY_DEVICE)
		check(edge(MAIN, F), COST(1, 1, 0, 15));
	else
		check(function(MAIN)->cost, COST(1, 1, 20, 70));
}
END_TEST

START_TEST(pruning_keeps_the_sum_of_the_device)
{
	run_small();
	device_case_finish();
	ck_assert_int_eq(
		profile_prune(device_case_profile, 0, 1, NULL), CTP_OK);
	ck_assert_uint_eq(device_case_profile->function_count, 2);
	ck_assert_uint_eq(device_case_profile->total_ns, 110 + 8800);
	check_device(K, 8500, 8500);
	ck_assert_int_eq(function(K)->device.kind, PROFILE_KERNEL);
	for (uint32_t i = 0; i < 2; i++)
		if (i != find(K)) /* all that is below main */
			ck_assert_uint_eq(device_case_profile->functions[i]
						  .device.total_ns,
				8800);
}
END_TEST

START_TEST(work_of_two_devices_is_added)
{
	struct profile_device sum = {.total_ns = 1};
	const struct profile_device copies = {.kind = PROFILE_COPY,
		.number = 2,
		.self_ns = 30,
		.total_ns = 40,
		.captured_ns = 5,
		.bytes = 600,
		.min_ns = 7,
		.max_ns = 9};

	profile_device_add(&sum, &copies);
	ck_assert_int_eq(sum.kind, PROFILE_COPY);
	ck_assert_uint_eq(sum.number, 2);
	ck_assert_uint_eq(sum.min_ns, 7);
	profile_device_add(&sum, &copies);
	ck_assert_uint_eq(sum.self_ns, 60);
	ck_assert_uint_eq(sum.total_ns, 81);
	ck_assert_uint_eq(sum.captured_ns, 10);
	ck_assert_uint_eq(sum.bytes, 1200);
	ck_assert_uint_eq(sum.min_ns, 7);
	ck_assert_uint_eq(sum.max_ns, 9);
}
END_TEST

START_TEST(sums_of_devices_have_no_order)
{
	const struct profile_device works[] = {
		{.kind = PROFILE_SET, .number = 1, .min_ns = 3, .max_ns = 3},
		{.kind = PROFILE_KERNEL, .number = 4, .min_ns = 5, .max_ns = 9},
		{.kind = PROFILE_HOST, .number = 0, .total_ns = 8},
	};
	struct profile_device sums[2] = {{0}};

	for (int i = 0; i < 3; i++) {
		profile_device_add(&sums[0], &works[i]);
		profile_device_add(&sums[1], &works[2 - i]);
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(sums[i].kind, PROFILE_KERNEL);
		ck_assert_uint_eq(sums[i].number, 1);
		ck_assert_uint_eq(sums[i].min_ns, 3);
		ck_assert_uint_eq(sums[i].max_ns, 9);
		ck_assert_uint_eq(sums[i].total_ns, 8);
	}
}
END_TEST

START_TEST(deep_recursion_is_handled)
{
	enum { DEPTH = 100000 };

	device_case_start((struct replay_options){.device = REPLAY_DEVICE});
	for (int i = 0; i < DEPTH; i++)
		on(T0, F);
	launch(T0, 1);
	for (int i = 0; i < DEPTH; i++) {
		on(T0, END);
		did(STREAM, K, 1, 1);
	}
	device_case_finish();
	check(function(F)->cost, COST(DEPTH, 1, 0, DEPTH));
	check(edge(F, F), COST(DEPTH - 1, 1, 0, DEPTH));
	check(edge(F, K), COST(DEPTH, DEPTH, DEPTH, DEPTH));
	check_device(F, DEPTH, DEPTH);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("device_calls");
	TCase *tests = tcase_create("profile_device");

	tcase_add_checked_fixture(
		tests, device_case_set_up, device_case_tear_down);
	tcase_add_test(tests, the_device_can_be_all_the_time_there_is);
	tcase_add_loop_test(tests, device_work_in_a_recursion_counts_once,
		REPLAY_SEPARATE, REPLAY_SEPARATE + 1);
	tcase_add_loop_test(tests, device_work_in_a_recursion_counts_once,
		REPLAY_DEVICE, REPLAY_DEVICE + 1);
	tcase_add_test(tests, a_tree_changes_no_sums);
	tcase_add_test(tests, without_edges_only_these_are_missing);
	tcase_add_test(tests, edges_may_have_the_time_of_all_calls);
	tcase_add_test(tests, the_tree_has_work_below_its_context);
	tcase_add_loop_test(tests, a_look_in_between_changes_nothing,
		REPLAY_SEPARATE, REPLAY_SEPARATE + 1);
	tcase_add_loop_test(tests, a_look_in_between_changes_nothing,
		REPLAY_DEVICE, REPLAY_DEVICE + 1);
	tcase_add_test(tests, pruning_keeps_the_sum_of_the_device);
	tcase_add_test(tests, work_of_two_devices_is_added);
	tcase_add_test(tests, sums_of_devices_have_no_order);
	tcase_add_test(tests, deep_recursion_is_handled);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
