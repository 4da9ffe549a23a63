/* SPDX-License-Identifier: MIT */
/* lib/profile/estimated_tree.c: shares of paths, computed by hand, and sums. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "profile/estimated_tree.h"
#include "support/profile_case.h"
#include "support/run_suite.h"

#define COST(calls, own, total) \
	((struct profile_cost){calls, calls, own, total})

static uint32_t function(const char *name, struct profile_cost cost)
{
	return profile_case_function(name, "", cost);
}

static uint32_t root(const char *name, struct profile_cost cost)
{
	uint32_t number = function(name, cost);

	profile_case_profile->functions[number].root = cost;
	return number;
}

static void estimate(void)
{
	ck_assert_int_eq(
		profile_estimate_tree(profile_case_profile, NULL), CTP_OK);
	ck_assert(profile_case_profile->tree_estimated);
}

/* The node with this path, such as "main/a/c". */
static const struct profile_node *find(const char *path)
{
	const struct profile *profile = profile_case_profile;

	for (uint32_t i = 1; i < profile->node_count; i++) {
		char text[256] = "";

		for (uint32_t at = i; at != 0; at = profile->nodes[at].parent) {
			const char *name =
				profile->functions[profile->nodes[at].function]
					.name;
			size_t size = strlen(name);

			memmove(text + size + 1, text, strlen(text) + 1);
			memcpy(text, name, size);
			text[size] = '/';
		}
		text[strlen(text) - 1] = '\0';
		if (strcmp(text, path) == 0)
			return &profile->nodes[i];
	}
	ck_abort_msg("no path %s", path);
	return NULL;
}

static void check_path(const char *path, uint64_t calls, uint64_t own)
{
	const struct profile_node *node = find(path);

	ck_assert_msg(node->ncalls == calls && node->self_ns == own,
		"%s: %llu calls, %llu ns", path,
		(unsigned long long)node->ncalls,
		(unsigned long long)node->self_ns);
}

static void check_sum(uint64_t total_ns)
{
	const struct profile *profile = profile_case_profile;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < profile->node_count; i++)
		sum += profile->nodes[i].self_ns;
	ck_assert_uint_eq(sum, total_ns);
}

/* main 100 { a x 2: 300 { c x 3: 200 }, b: 600 { c: 400 } }; c has 60 itself
 * and d 540. */
START_TEST(a_shared_callee_is_divided_by_its_callers_edges)
{
	uint32_t main_ = root("main", COST(1, 100, 1000));
	uint32_t a = function("a", COST(2, 100, 300));
	uint32_t b = function("b", COST(1, 200, 600));
	uint32_t c = function("c", COST(4, 60, 600));
	uint32_t d = function("d", COST(8, 540, 540));

	profile_case_edge(main_, a, COST(2, 100, 300));
	profile_case_edge(main_, b, COST(1, 200, 600));
	profile_case_edge(a, c, COST(3, 20, 200));
	profile_case_edge(b, c, COST(1, 40, 400));
	profile_case_edge(c, d, COST(8, 540, 540));
	estimate();
	ck_assert_uint_eq(profile_case_profile->node_count, 8);
	check_path("main", 1, 100);
	check_path("main/a", 2, 100);
	check_path("main/b", 1, 200);
	check_path("main/a/c", 3, 20);
	check_path("main/b/c", 1, 40);
	check_path("main/a/c/d", 2, 180); /* a third of 8 calls, and of 540 */
	check_path("main/b/c/d", 5, 360);
	check_sum(1000);
}
END_TEST

START_TEST(edges_without_times_are_weighed_by_calls)
{
	uint32_t main_ = root("main", COST(1, 100, 500));
	uint32_t a = function("a", COST(1, 200, 300));
	uint32_t b = function("b", COST(4, 200, 200));

	profile_case_edge(main_, a, COST(1, 0, 0));
	profile_case_edge(main_, b, COST(2, 0, 0));
	profile_case_edge(a, b, COST(2, 0, 0));
	estimate();
	check_path("main", 1, 100);
	check_path("main/b", 2, 100);
	check_path("main/a", 1, 200);
	check_path("main/a/b", 2, 100);
	check_sum(500);
}
END_TEST

START_TEST(recursive_calls_stay_in_their_caller)
{
	uint32_t main_ = root("main", COST(1, 10, 110));
	uint32_t f = function("f", COST(9, 60, 100));
	uint32_t g = function("g", COST(5, 40, 80));

	profile_case_edge(main_, f, COST(1, 20, 100));
	profile_case_edge(f, f, COST(3, 20, 0));
	profile_case_edge(f, g, COST(5, 40, 40));
	profile_case_edge(g, f, COST(5, 20, 50));
	estimate();
	ck_assert_uint_eq(profile_case_profile->node_count, 4);
	check_path("main/f", 1, 60);
	check_path("main/f/g", 5, 40);
	check_sum(110);
}
END_TEST

START_TEST(functions_that_no_root_reaches_are_roots)
{
	uint32_t f = function("f", COST(2, 30, 100));
	uint32_t g = function("g", COST(2, 70, 90));

	(void)root("main", COST(1, 5, 5));
	profile_case_edge(f, g, COST(2, 70, 70));
	profile_case_edge(g, f, COST(2, 30, 30));
	estimate();
	check_path("f", 2, 30);
	check_path("f/g", 2, 70);
	check_sum(105);
}
END_TEST

/* Each of 40 levels calls both functions of the next: 2^40 paths. */
START_TEST(paths_without_number_end)
{
	uint32_t before[2] = {root("main", COST(1, 0, 1u << 30)), 0};

	before[1] = before[0];
	for (unsigned level = 0; level < 40; level++) {
		uint32_t next[2];

		for (unsigned side = 0; side < 2; side++) {
			char name[] = {(char)('a' + level % 26),
				(char)('A' + level / 26), (char)('0' + side),
				'\0'};

			next[side] = function(name,
				COST(1, level == 39 ? 1u << 29 : 0, 1u << 29));
		}
		for (unsigned i = 0; i < 4; i++)
			if (level > 0 || i < 2)
				profile_case_edge(before[i / 2], next[i % 2],
					COST(1, 0,
						1u << (level > 0 ? 28 : 29)));
		memcpy(before, next, sizeof(before));
	}
	estimate();
	ck_assert_uint_lt(profile_case_profile->node_count, 1u << 17);
	check_sum(1u << 30);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("estimated_tree");
	TCase *tcase = tcase_create("estimated_tree");

	tcase_add_checked_fixture(
		tcase, profile_case_set_up, profile_case_tear_down);
	tcase_add_test(tcase, a_shared_callee_is_divided_by_its_callers_edges);
	tcase_add_test(tcase, edges_without_times_are_weighed_by_calls);
	tcase_add_test(tcase, recursive_calls_stay_in_their_caller);
	tcase_add_test(tcase, functions_that_no_root_reaches_are_roots);
	tcase_add_test(tcase, paths_without_number_end);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
