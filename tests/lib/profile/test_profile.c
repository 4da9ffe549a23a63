/* SPDX-License-Identifier: MIT */
/* lib/profile*.[ch]: tables find their entries, the order is independent of the
 * order of insertion, and pruning keeps the totals. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "support/run_suite.h"

static struct profile *profile;

static void set_up(void)
{
	profile = profile_new();
	ck_assert_ptr_nonnull(profile);
}

static void tear_down(void)
{
	profile_free(profile);
}

/* A function of this name, with costs. */
static uint32_t function(const char *name, struct profile_cost cost)
{
	uint32_t number = profile_add_function(profile, name, "a.c", 1);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile->functions[number].cost = cost;
	return number;
}

static void edge(uint32_t caller, uint32_t callee, struct profile_cost cost)
{
	uint32_t number = profile_add_edge(profile, caller, callee);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile_cost_add(&profile->edges[number].cost, &cost);
}

static uint32_t node(uint32_t parent, uint32_t callee, uint64_t self_ns)
{
	uint32_t number = profile_add_node(profile, parent, callee);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile->nodes[number].ncalls = 1;
	profile->nodes[number].self_ns = self_ns;
	return number;
}

static const struct profile_function *find(const char *name)
{
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (strcmp(profile->functions[i].name, name) == 0)
			return &profile->functions[i];
	ck_abort_msg("no function %s", name);
}

static const struct profile_cost *find_edge(
	const char *caller, const char *callee)
{
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *e = &profile->edges[i];

		if (&profile->functions[e->caller] == find(caller) &&
			&profile->functions[e->callee] == find(callee))
			return &e->cost;
	}
	ck_abort_msg("no edge %s -> %s", caller, callee);
}

static void expect_cost(
	const struct profile_cost *found, struct profile_cost expected)
{
	ck_assert_uint_eq(found->ncalls, expected.ncalls);
	ck_assert_uint_eq(found->pcalls, expected.pcalls);
	ck_assert_uint_eq(found->tottime_ns, expected.tottime_ns);
	ck_assert_uint_eq(found->cumtime_ns, expected.cumtime_ns);
}

/* "name:self" of each node in order, indented by depth. */
static void expect_tree(const char *expected)
{
	char text[512] = "";
	size_t used = 0;

	for (uint32_t i = 1; i < profile->node_count; i++) {
		const struct profile_node *n = &profile->nodes[i];

		for (uint32_t at = n->parent; at != 0;
			at = profile->nodes[at].parent)
			used += (size_t)snprintf(
				text + used, sizeof(text) - used, " ");
		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"%s:%u\n", profile->functions[n->function].name,
			(unsigned)n->self_ns);
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(equal_functions_are_one)
{
	uint32_t f = profile_add_function(profile, "f", "a.c", 1);
	char copy[] = "f";

	ck_assert_uint_eq(profile_add_function(profile, copy, "a.c", 1), f);
	ck_assert_uint_ne(profile_add_function(profile, "f", "a.c", 2), f);
	ck_assert_uint_ne(profile_add_function(profile, "f", "b.c", 1), f);
	ck_assert_uint_ne(profile_add_function(profile, "g", "a.c", 1), f);
	ck_assert_uint_eq(profile->function_count, 4);
	ck_assert_str_eq(profile->functions[f].name, "f");
	ck_assert_str_eq(profile->functions[f].file, "a.c");
}
END_TEST

START_TEST(no_file_is_the_same_as_an_empty_one)
{
	uint32_t f = profile_add_function(profile, "f", NULL, 0);

	ck_assert_uint_eq(profile_add_function(profile, "f", "", 0), f);
	ck_assert_str_eq(profile->functions[f].file, "");
}
END_TEST

START_TEST(many_functions_and_edges_are_all_found_again)
{
	enum { COUNT = 1000 };
	char name[16];

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < COUNT; i++) {
			(void)snprintf(name, sizeof(name), "f%u", i);
			ck_assert_uint_eq(
				profile_add_function(profile, name, "a.c", i),
				i);
		}
		for (uint32_t i = 0; i < COUNT * 50; i++)
			ck_assert_uint_eq(
				profile_add_edge(profile, i % COUNT, i / COUNT),
				i);
	}
	ck_assert_uint_eq(profile->function_count, COUNT);
	ck_assert_uint_eq(profile->edge_count, COUNT * 50);
}
END_TEST

START_TEST(the_first_node_makes_the_root)
{
	uint32_t f = function("f", (struct profile_cost){0});
	uint32_t first = profile_add_node(profile, 0, f);

	ck_assert_uint_eq(first, 1);
	ck_assert_uint_eq(profile->node_count, 2);
	ck_assert_uint_eq(profile->nodes[0].function, PROFILE_NONE);
	ck_assert_uint_eq(profile->nodes[first].parent, 0);
	ck_assert_uint_eq(profile->nodes[first].function, f);
}
END_TEST

START_TEST(an_empty_tree_is_the_root_alone)
{
	ck_assert_uint_eq(profile_add_node(profile, 0, PROFILE_NONE), 0);
	ck_assert_uint_eq(profile->node_count, 1);
	ck_assert_int_eq(profile_sort(profile, NULL), CTP_OK);
	ck_assert_uint_eq(profile->node_count, 1);
}
END_TEST

START_TEST(functions_are_sorted_by_time_then_name_file_line)
{
	static const char *const order[] = {"long", "a", "a", "a", "b"};

	function("b", (struct profile_cost){1, 1, 5, 5});
	(void)profile_add_function(profile, "a", "b.c", 1);
	(void)profile_add_function(profile, "a", "a.c", 2);
	(void)profile_add_function(profile, "a", "a.c", 1);
	for (uint32_t i = 1; i < 4; i++)
		profile->functions[i].cost.cumtime_ns = 5;
	function("long", (struct profile_cost){1, 1, 6, 6});
	ck_assert_int_eq(profile_sort(profile, NULL), CTP_OK);
	for (size_t i = 0; i < 5; i++)
		ck_assert_str_eq(profile->functions[i].name, order[i]);
	ck_assert_uint_eq(profile->functions[1].line, 1);
	ck_assert_str_eq(profile->functions[1].file, "a.c");
	ck_assert_uint_eq(profile->functions[2].line, 2);
	ck_assert_str_eq(profile->functions[3].file, "b.c");
	ck_assert_uint_eq(profile->total_ns, 11);
}
END_TEST

START_TEST(edges_follow_their_functions_and_are_found_after_sorting)
{
	uint32_t f = function("f", (struct profile_cost){.cumtime_ns = 1});
	uint32_t g = function("g", (struct profile_cost){.cumtime_ns = 2});
	uint32_t h = function("h", (struct profile_cost){.cumtime_ns = 3});
	uint32_t *first;

	edge(f, g, (struct profile_cost){.ncalls = 7});
	edge(h, f, (struct profile_cost){.ncalls = 8});
	edge(g, f, (struct profile_cost){.ncalls = 9});
	ck_assert_int_eq(profile_sort(profile, NULL), CTP_OK);
	/* Now h, g, f. */
	ck_assert_uint_eq(find_edge("f", "g")->ncalls, 7);
	ck_assert_uint_eq(find_edge("h", "f")->ncalls, 8);
	ck_assert_uint_eq(find_edge("g", "f")->ncalls, 9);
	ck_assert_uint_eq(profile->edges[0].callee, 1);
	ck_assert_uint_eq(profile->edges[1].caller, 0);
	ck_assert_uint_eq(profile->edges[2].caller, 1);
	ck_assert_uint_eq(profile_add_edge(profile, 0, 2), 1);
	ck_assert_uint_eq(profile_add_edge(profile, 1, 2), 2);
	first = profile_callers(profile);
	ck_assert_ptr_nonnull(first);
	ck_assert_uint_eq(first[0], 0);
	ck_assert_uint_eq(first[1], 0);
	ck_assert_uint_eq(first[2], 1);
	ck_assert_uint_eq(first[3], 3);
	free(first);
}
END_TEST

START_TEST(the_tree_is_put_into_preorder_with_longer_siblings_first)
{
	uint32_t f = function("f", (struct profile_cost){.cumtime_ns = 1});
	uint32_t g = function("g", (struct profile_cost){.cumtime_ns = 2});
	uint32_t h = function("h", (struct profile_cost){.cumtime_ns = 3});
	uint32_t first = node(0, f, 1);
	uint32_t second = node(0, g, 2);

	node(first, g, 3);
	node(second, f, 4);
	node(node(second, h, 5), f, 6);
	ck_assert_int_eq(profile_sort(profile, NULL), CTP_OK);
	expect_tree("g:2\n h:5\n  f:6\n f:4\nf:1\n g:3\n");
}
END_TEST

START_TEST(a_deep_tree_needs_no_deep_stack)
{
	uint32_t f = function("f", (struct profile_cost){0});
	uint32_t at = 0;

	for (unsigned i = 0; i < 300000; i++)
		at = node(at, f, 1);
	ck_assert_int_eq(profile_sort(profile, NULL), CTP_OK);
	ck_assert_uint_eq(profile->node_count, 300001);
}
END_TEST

/*
 * main 100 calls work 60 and log 30; work calls log 20, log calls put 40. The
 * spans: main 0-100 with work 10-70 with log 20-40, log 70-100; put takes 15
 * of the first and 25 of the second.
 */
static void make_program(void)
{
	uint32_t main_ = function("main", (struct profile_cost){1, 1, 10, 100});
	uint32_t work = function("work", (struct profile_cost){1, 1, 40, 60});
	uint32_t log = function("log", (struct profile_cost){2, 2, 10, 50});
	uint32_t put = function("put", (struct profile_cost){2, 2, 40, 40});
	uint32_t at;

	profile->functions[main_].root = profile->functions[main_].cost;
	edge(main_, work, (struct profile_cost){1, 1, 40, 60});
	edge(main_, log, (struct profile_cost){1, 1, 5, 30});
	edge(work, log, (struct profile_cost){1, 1, 5, 20});
	edge(log, put, (struct profile_cost){2, 2, 40, 40});
	at = node(0, main_, 10);
	node(node(at, log, 5), put, 25);
	node(node(node(at, work, 40), log, 5), put, 15);
}

START_TEST(pruned_functions_become_one_and_the_total_stays)
{
	make_program();
	ck_assert_int_eq(profile_prune(profile, 0, 2, NULL), CTP_OK);
	ck_assert_uint_eq(profile->function_count, 3);
	ck_assert_uint_eq(profile->total_ns, 100);
	ck_assert_str_eq(find("(other)")->file, "~");
	ck_assert_uint_eq(find("(other)")->line, 0);
	/* log and put: entered twice, for 30 and 20, all of it self time. */
	expect_cost(
		&find("(other)")->cost, (struct profile_cost){4, 2, 50, 50});
	expect_cost(find_edge("main", "(other)"),
		(struct profile_cost){1, 1, 5, 30});
	expect_cost(find_edge("work", "(other)"),
		(struct profile_cost){1, 1, 5, 20});
	expect_cost(find_edge("(other)", "(other)"),
		(struct profile_cost){2, 2, 40, 40});
	expect_cost(
		find_edge("main", "work"), (struct profile_cost){1, 1, 40, 60});
	expect_tree("main:10\n work:40\n  (other):20\n (other):30\n");
}
END_TEST

START_TEST(the_time_limit_keeps_functions_that_reach_it)
{
	make_program();
	ck_assert_int_eq(profile_prune(profile, 50, 0, NULL), CTP_OK);
	ck_assert_uint_eq(profile->function_count, 4);
	expect_cost(
		&find("(other)")->cost, (struct profile_cost){2, 2, 40, 40});
	expect_cost(find_edge("log", "(other)"),
		(struct profile_cost){2, 2, 40, 40});
}
END_TEST

START_TEST(pruned_roots_stay_roots_and_keep_their_callees)
{
	make_program();
	/* put becomes the longest, so that all others are pruned. */
	profile->functions[3].cost.cumtime_ns = 200;
	ck_assert_int_eq(profile_prune(profile, 0, 1, NULL), CTP_OK);
	ck_assert_uint_eq(profile->function_count, 2);
	expect_cost(
		&find("(other)")->cost, (struct profile_cost){4, 1, 60, 100});
	expect_cost(
		&find("(other)")->root, (struct profile_cost){1, 1, 10, 100});
	expect_cost(find_edge("(other)", "put"),
		(struct profile_cost){2, 2, 40, 40});
	expect_tree("(other):60\n put:40\n");
}
END_TEST

/* keep calls a, which calls keep, which calls b: both calls of pruned functions
 * are open at the same time. */
START_TEST(the_rest_is_not_longer_than_all)
{
	uint32_t keep = function("keep", (struct profile_cost){2, 1, 10, 100});
	uint32_t a = function("a", (struct profile_cost){1, 1, 10, 90});
	uint32_t b = function("b", (struct profile_cost){1, 1, 80, 80});

	profile->functions[keep].root = (struct profile_cost){1, 1, 5, 100};
	edge(keep, a, (struct profile_cost){1, 1, 10, 90});
	edge(a, keep, (struct profile_cost){1, 1, 5, 85});
	edge(keep, b, (struct profile_cost){1, 1, 80, 80});
	ck_assert_int_eq(profile_prune(profile, 0, 1, NULL), CTP_OK);
	expect_cost(
		&find("(other)")->cost, (struct profile_cost){2, 2, 90, 100});
	expect_cost(find_edge("keep", "(other)"),
		(struct profile_cost){2, 2, 90, 100});
	ck_assert_uint_eq(profile->total_ns, 100);
}
END_TEST

START_TEST(pruning_again_adds_to_the_other)
{
	make_program();
	ck_assert_int_eq(profile_prune(profile, 0, 3, NULL), CTP_OK);
	ck_assert_int_eq(profile_prune(profile, 0, 2, NULL), CTP_OK);
	ck_assert_uint_eq(profile->function_count, 3);
	expect_cost(
		&find("(other)")->cost, (struct profile_cost){4, 2, 50, 50});
	ck_assert_int_eq(profile_prune(profile, 0, 2, NULL), CTP_OK);
	ck_assert_uint_eq(profile->function_count, 3);
}
END_TEST

START_TEST(limits_without_smaller_functions_change_nothing)
{
	make_program();
	ck_assert_int_eq(profile_prune(profile, 0, 0, NULL), CTP_OK);
	ck_assert_int_eq(profile_prune(profile, 40, 4, NULL), CTP_OK);
	ck_assert_uint_eq(profile->function_count, 4);
	ck_assert_uint_eq(profile->edge_count, 4);
	ck_assert_uint_eq(profile->node_count, 7);
}
END_TEST

START_TEST(an_empty_profile_can_be_sorted_and_pruned)
{
	uint32_t *first;

	ck_assert_int_eq(profile_sort(profile, NULL), CTP_OK);
	ck_assert_int_eq(profile_prune(profile, 10, 1, NULL), CTP_OK);
	ck_assert_uint_eq(profile->function_count, 0);
	first = profile_callers(profile);
	ck_assert_ptr_nonnull(first);
	ck_assert_uint_eq(first[0], 0);
	free(first);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("profile");
	TCase *tables = tcase_create("tables");
	TCase *order = tcase_create("order");
	TCase *prune = tcase_create("prune");

	tcase_add_checked_fixture(tables, set_up, tear_down);
	tcase_add_test(tables, equal_functions_are_one);
	tcase_add_test(tables, no_file_is_the_same_as_an_empty_one);
	tcase_add_test(tables, many_functions_and_edges_are_all_found_again);
	tcase_add_test(tables, the_first_node_makes_the_root);
	tcase_add_test(tables, an_empty_tree_is_the_root_alone);
	tcase_add_checked_fixture(order, set_up, tear_down);
	tcase_add_test(order, functions_are_sorted_by_time_then_name_file_line);
	tcase_add_test(order,
		edges_follow_their_functions_and_are_found_after_sorting);
	tcase_add_test(order,
		the_tree_is_put_into_preorder_with_longer_siblings_first);
	tcase_add_test(order, a_deep_tree_needs_no_deep_stack);
	tcase_add_checked_fixture(prune, set_up, tear_down);
	tcase_add_test(prune, pruned_functions_become_one_and_the_total_stays);
	tcase_add_test(prune, the_time_limit_keeps_functions_that_reach_it);
	tcase_add_test(prune, pruned_roots_stay_roots_and_keep_their_callees);
	tcase_add_test(prune, the_rest_is_not_longer_than_all);
	tcase_add_test(prune, pruning_again_adds_to_the_other);
	tcase_add_test(prune, limits_without_smaller_functions_change_nothing);
	tcase_add_test(prune, an_empty_profile_can_be_sorted_and_pruned);
	suite_add_tcase(suite, tables);
	suite_add_tcase(suite, order);
	suite_add_tcase(suite, prune);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
