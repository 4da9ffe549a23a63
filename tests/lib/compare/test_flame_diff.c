/* SPDX-License-Identifier: MIT */
/* lib/compare/flame_diff.c: which paths of the two sides are joined, with the
 * times of each side; and their picture. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/flame_diff.h"
#include "flamegraph/flamegraph.h"
#include "base/memory.h"
#include "support/profile_case.h"
#include "support/run_suite.h"

static struct flame_diff *diff;

static void set_up(void)
{
	diff = flame_diff_new(MATCH_KEY_FILE);
	ck_assert_ptr_nonnull(diff);
}

static void tear_down(void)
{
	flame_diff_free(diff);
}

static uint32_t add(
	uint32_t parent, const char *name, const char *file, uint64_t self_ns)
{
	struct profile_cost cost = {1, 1, self_ns, 2 * self_ns};
	uint32_t number = profile_case_node(
		parent, profile_case_function(name, file, cost), self_ns);

	profile_case_profile->nodes[number].ncalls = 1;
	return number;
}

static void launch(uint32_t parent, const char *file, uint64_t time_ns)
{
	uint32_t node = add(parent, "void k<int>(int)", file, time_ns);
	uint32_t function = profile_case_profile->nodes[node].function;

	profile_case_profile->functions[function].device =
		(struct profile_device){
			.self_ns = time_ns, .kind = PROFILE_KERNEL};
}

/* Adds the profile made since the last one. */
static void add_run(enum diff_side side)
{
	ck_assert_int_eq(
		flame_diff_add(diff, side, profile_case_profile, NULL), CTP_OK);
	profile_case_tear_down();
}

/* main 10 { step 100, gone 30 } before; main 20 { step 50, come 40 } now, with
 * a kernel each. */
static void run_small(void)
{
	uint32_t at;

	profile_case_set_up();
	at = add(0, "main", "m.c", 10);
	launch(add(at, "step#1", "m.c", 100), "<gpu:0 A>", 7);
	(void)add(at, "gone", "m.c", 30);
	add_run(DIFF_BASE);
	profile_case_set_up();
	at = add(0, "main", "m.c", 20);
	(void)add(at, "come", "m.c", 40);
	launch(add(at, "step#2", "m.c", 50), "<gpu:1 B>", 9);
	add_run(DIFF_NEW);
	flame_diff_finish(diff);
}

static void check_node(uint32_t number, const char *name, uint64_t self_ns,
	uint64_t base_self_ns)
{
	const struct profile *profile = flame_diff_profile(diff);
	const struct profile_node *node = &profile->nodes[number];

	ck_assert_uint_lt(number, profile->node_count);
	ck_assert_str_eq(profile->functions[node->function].name, name);
	ck_assert_uint_eq(node->self_ns, self_ns);
	ck_assert_uint_eq(
		flame_diff_base_nodes(diff)[number].self_ns, base_self_ns);
}

START_TEST(paths_are_joined_by_their_names)
{
	run_small();
	ck_assert_uint_eq(flame_diff_profile(diff)->node_count, 6);
	check_node(1, "main", 20, 10);
	check_node(2, "step#", 50, 100);
	check_node(3, "k", 9, 7);
	check_node(4, "gone", 0, 30);
	check_node(5, "come", 40, 0);
	ck_assert_uint_eq(flame_diff_base_functions(diff)[0].total_ns, 20);
	ck_assert_uint_eq(
		flame_diff_profile(diff)->functions[0].cost.cumtime_ns, 40);
}
END_TEST

START_TEST(device_time_is_never_host_time)
{
	profile_case_set_up();
	(void)add(0, "k", "", 3);
	launch(0, "<gpu:0>", 5);
	add_run(DIFF_NEW);
	flame_diff_finish(diff);
	ck_assert_uint_eq(flame_diff_profile(diff)->function_count, 2);
	check_node(1, "k", 3, 0);
	check_node(2, "k", 5, 0);
}
END_TEST

START_TEST(several_runs_are_their_mean)
{
	for (uint64_t i = 1; i <= 3; i++) {
		profile_case_set_up();
		(void)add(0, "main", "", 10 * i);
		add_run(DIFF_NEW);
	}
	for (uint64_t i = 1; i <= 2; i++) {
		profile_case_set_up();
		(void)add(0, "main", "", 100 * i);
		add_run(DIFF_BASE);
	}
	flame_diff_finish(diff);
	check_node(1, "main", 20, 150);
	ck_assert_uint_eq(
		flame_diff_profile(diff)->functions[0].cost.tottime_ns, 20);
	ck_assert_uint_eq(flame_diff_base_functions(diff)[0].self_ns, 150);
	ck_assert_uint_eq(flame_diff_base_nodes(diff)[1].calls, 1);
}
END_TEST

START_TEST(many_paths_keep_their_costs)
{
	for (int side = DIFF_BASE; side < DIFF_SIDES; side++) {
		profile_case_set_up();
		for (uint32_t i = 0; i < 2000; i++) {
			char name[2] = {(char)('a' + i % 26), '\0'};

			(void)add(i / 2, name, "", i + (uint32_t)side);
		}
		add_run((enum diff_side)side);
	}
	flame_diff_finish(diff);
	for (uint32_t i = 1; i < 2000; i++) {
		const struct profile_node *node =
			&flame_diff_profile(diff)->nodes[i];

		ck_assert_uint_gt(
			node->self_ns, flame_diff_base_nodes(diff)[i].self_ns);
	}
}
END_TEST

START_TEST(the_picture_shows_the_changes)
{
	run_small();
	profile_case_bytes = NULL;
	{
		FILE *out =
			open_memstream(&profile_case_bytes, &profile_case_size);

		ck_assert_ptr_nonnull(out);
		ck_assert_int_eq(
			flamegraph_write_diff(out, diff, "a & b", NULL),
			CTP_OK);
		ck_assert_int_eq(fclose(out), 0);
	}
	CASE_HAS("<title>a &amp; b</title>");
	CASE_HAS("110 ns, before 140 ns: -30 ns, -21.43 %; red: slower than "
		 "before, blue: faster; gone: 1 call path with 30 ns<");
	CASE_HAS("9 ns, before 7 ns: +2 ns, +28.57 %");
	CASE_HAS("<title>step#\nm.c\n50 ns, 45.45 % of host time; 1 call\n"
		 "before 100 ns in 1 call: -50 ns, -50.00 %</title>"
		 "<rect class=\"less5\"");
	CASE_HAS("<title>come\nm.c\n40 ns, 36.36 % of host time; 1 call\n"
		 "before 0 ns</title><rect class=\"more5\"");
	CASE_HAS("\"everywhere 40 ns, 36.36 %; itself 20 ns; 1 call; before "
		 "20 ns in 1 call: +20 ns, +100.00 %\"");
	CASE_LACKS("<title>gone");
	free(profile_case_bytes);
	profile_case_bytes = NULL;
}
END_TEST

/* Joins the profile with itself, and draws the result. */
static enum ctp_status join_and_draw(FILE *out)
{
	struct flame_diff *joined = flame_diff_new(MATCH_KEY_FILE);
	enum ctp_status status = CTP_ERR_NOMEM;

	if (joined == NULL)
		return status;
	for (int side = DIFF_BASE; side < DIFF_SIDES; side++) {
		status = flame_diff_add(joined, (enum diff_side)side,
			profile_case_profile, NULL);
		if (status != CTP_OK)
			break;
	}
	if (status == CTP_OK) {
		flame_diff_finish(joined);
		status = flamegraph_write_diff(out, joined, "", NULL);
	}
	flame_diff_free(joined);
	return status;
}

START_TEST(a_lack_of_memory_anywhere_is_an_error)
{
	enum ctp_status status = CTP_ERR_NOMEM;
	FILE *out = fopen("/dev/null", "w");
	unsigned refused = 0;
	uint32_t at;

	ck_assert_ptr_nonnull(out);
	profile_case_set_up();
	at = add(0, "main", "m.c", 10);
	for (unsigned i = 0; i < 200; i++)
		at = add(at, i % 2 ? "odd" : "even", "m.c", i);
	launch(at, "<gpu:0>", 7);
	for (uint64_t limit = 1; status != CTP_OK; limit += 1024) {
		memory_set_limit(limit);
		status = join_and_draw(out);
		memory_set_limit(0);
		ck_assert(status == CTP_OK || status == CTP_ERR_NOMEM);
		refused += status != CTP_OK;
	}
	ck_assert_uint_gt(refused, 20);
	profile_case_tear_down();
	(void)fclose(out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flame_diff");
	TCase *tests = tcase_create("flame_diff");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, paths_are_joined_by_their_names);
	tcase_add_test(tests, device_time_is_never_host_time);
	tcase_add_test(tests, several_runs_are_their_mean);
	tcase_add_test(tests, many_paths_keep_their_costs);
	tcase_add_test(tests, the_picture_shows_the_changes);
	tcase_add_test(tests, a_lack_of_memory_anywhere_is_an_error);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
