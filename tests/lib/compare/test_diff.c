/* SPDX-License-Identifier: MIT */
/* Profiles joined by name, small ones that can be counted by hand; and the
 * verdicts on them. */
#include <check.h>

#include "compare/diff.h"
#include "support/run_suite.h"

static struct diff *diff;

static void begin(enum match_key match, uint32_t base, uint32_t changed)
{
	const uint32_t runs[DIFF_SIDES] = {base, changed};

	diff = diff_new(match, runs);
	ck_assert_ptr_nonnull(diff);
}

static void tear_down(void)
{
	diff_free(diff);
	diff = NULL;
}

static void add_function(struct profile *profile, const char *name,
	const char *file, uint32_t line, struct profile_cost cost)
{
	uint32_t number = profile_add_function(profile, name, file, line);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile_cost_add(&profile->functions[number].cost, &cost);
}

static void add_kernel(struct profile *profile, const char *name,
	const char *file, uint64_t time_ns)
{
	uint32_t number = profile_add_function(profile, name, file, 0);

	ck_assert_uint_ne(number, PROFILE_NONE);
	profile->functions[number].cost.ncalls = 1;
	profile->functions[number].device = (struct profile_device){
		.kind = PROFILE_KERNEL, .self_ns = time_ns};
}

static void end_run(enum diff_side side, struct profile *profile)
{
	ck_assert_int_eq(diff_add(diff, side, profile, NULL), CTP_OK);
	profile_free(profile);
}

/* A run of one function that calls nothing. */
static void add_run(enum diff_side side, const char *name, uint64_t time_ns)
{
	struct profile *profile = profile_new();

	ck_assert_ptr_nonnull(profile);
	add_function(profile, name, "a.c", 1,
		(struct profile_cost){1, 1, time_ns, time_ns});
	end_run(side, profile);
}

static const struct diff_row *row(uint32_t number, uint32_t expected)
{
	uint32_t count;
	const struct diff_row *rows = diff_rows(diff, &count);

	ck_assert_uint_eq(count, expected);
	return &rows[number];
}

START_TEST(functions_are_joined_by_name_and_file)
{
	struct profile *base = profile_new();
	struct profile *changed = profile_new();

	begin(MATCH_KEY_FILE, 1, 1);
	add_function(
		base, "f<int>", "a.c", 1, (struct profile_cost){2, 2, 10, 30});
	add_function(
		base, "f<char>", "a.c", 9, (struct profile_cost){1, 1, 5, 5});
	add_function(changed, "f<long>", "a.c", 4,
		(struct profile_cost){7, 7, 11, 100});
	add_function(changed, "f", "b.c", 4, (struct profile_cost){1, 1, 1, 1});
	end_run(DIFF_BASE, base);
	end_run(DIFF_NEW, changed);
	ck_assert_int_eq(diff_finish(diff, DIFF_TOTAL, NULL), CTP_OK);
	ck_assert_str_eq(row(0, 2)->name, "f");
	ck_assert_str_eq(row(0, 2)->file, "a.c");
	ck_assert_uint_eq(row(0, 2)->line, 4);
	ck_assert_uint_eq(row(0, 2)->side[DIFF_BASE].median.count, 3);
	ck_assert_uint_eq(row(0, 2)->side[DIFF_BASE].median.total_ns, 35);
	ck_assert_uint_eq(row(0, 2)->side[DIFF_BASE].median.self_ns, 15);
	ck_assert_uint_eq(row(0, 2)->side[DIFF_NEW].median.total_ns, 100);
	ck_assert_uint_eq(row(1, 2)->side[DIFF_BASE].found, 0);
	ck_assert_uint_eq(
		diff_sum(diff, false)->side[DIFF_NEW].median.total_ns, 12);
}
END_TEST

START_TEST(kernels_are_joined_over_all_devices)
{
	struct profile *base = profile_new();
	struct profile *changed = profile_new();

	begin(MATCH_KEY_EXACT, 1, 1);
	add_kernel(base, "k", "<gpu:0 A>", 10);
	add_kernel(base, "k", "<gpu:1 A>", 20);
	add_kernel(changed, "k", "<gpu:3 B>", 40);
	end_run(DIFF_BASE, base);
	end_run(DIFF_NEW, changed);
	ck_assert_int_eq(diff_finish(diff, DIFF_TOTAL, NULL), CTP_OK);
	ck_assert_int_eq(row(0, 1)->kind, PROFILE_KERNEL);
	ck_assert_str_eq(row(0, 1)->file, "");
	ck_assert_uint_eq(row(0, 1)->side[DIFF_BASE].median.count, 2);
	ck_assert_uint_eq(row(0, 1)->side[DIFF_BASE].median.total_ns, 30);
	ck_assert_uint_eq(
		diff_sum(diff, true)->side[DIFF_NEW].median.self_ns, 40);
	ck_assert_uint_eq(diff_sum(diff, false)->side[DIFF_NEW].found, 0);
}
END_TEST

START_TEST(runs_become_medians_and_a_missing_one_counts_as_nothing)
{
	begin(MATCH_KEY_FILE, 3, 2);
	add_run(DIFF_BASE, "f", 10);
	add_run(DIFF_BASE, "f", 40);
	add_run(DIFF_BASE, "g", 20);
	add_run(DIFF_NEW, "f", 6);
	add_run(DIFF_NEW, "f", 9);
	ck_assert_int_eq(diff_finish(diff, DIFF_NAME, NULL), CTP_OK);
	ck_assert_str_eq(row(0, 2)->name, "f");
	ck_assert_uint_eq(row(0, 2)->side[DIFF_BASE].found, 2);
	ck_assert_uint_eq(row(0, 2)->side[DIFF_BASE].median.total_ns, 10);
	ck_assert_uint_eq(row(0, 2)->side[DIFF_BASE].spread.total_ns, 10);
	ck_assert_uint_eq(row(0, 2)->side[DIFF_NEW].median.total_ns, 7);
	ck_assert_uint_eq(row(0, 2)->side[DIFF_NEW].spread.total_ns, 1);
	ck_assert_uint_eq(row(1, 2)->side[DIFF_BASE].median.total_ns, 0);
	ck_assert_uint_eq(
		diff_sum(diff, false)->side[DIFF_BASE].median.total_ns, 20);
}
END_TEST

START_TEST(rows_without_a_change_are_in_order_of_their_names)
{
	static const char *const names[] = {"c", "a", "d", "b"};

	begin(MATCH_KEY_FILE, 4, 4);
	for (int i = 0; i < 4; i++) {
		add_run(DIFF_BASE, names[i], 5);
		add_run(DIFF_NEW, names[3 - i], 5);
	}
	ck_assert_int_eq(diff_finish(diff, DIFF_RATIO, NULL), CTP_OK);
	for (uint32_t i = 0; i < 4; i++) {
		const char name[] = {(char)('a' + i), '\0'};

		ck_assert_str_eq(row(i, 4)->name, name);
	}
}
END_TEST

START_TEST(changes_are_counted_as_far_as_numbers_go)
{
	ck_assert_int_eq(diff_change(5, 3), -2);
	ck_assert_int_eq(diff_change(3, 5), 2);
	ck_assert_int_eq(diff_change(0, UINT64_MAX), INT64_MAX);
	ck_assert_int_eq(diff_change(UINT64_MAX, 0), -INT64_MAX);
}
END_TEST

/* The verdict on a function for which a side's single run took these times. */
static enum regression judge(uint64_t base_ns, uint64_t new_ns,
	struct regression_limit limit, uint64_t min_ns)
{
	enum regression verdict;

	begin(MATCH_KEY_FILE, 1, 1);
	add_run(DIFF_BASE, base_ns == 0 ? "g" : "f", base_ns);
	add_run(DIFF_NEW, new_ns == 0 ? "g" : "f", new_ns);
	ck_assert_int_eq(diff_finish(diff, DIFF_NAME, NULL), CTP_OK);
	verdict = regression_of(diff, row(0, base_ns * new_ns == 0 ? 2 : 1),
		DIFF_SELF, &limit, min_ns);
	tear_down();
	return verdict;
}

START_TEST(limits_are_shares_or_times)
{
	const struct regression_limit share = {.ppm = 50000};
	const struct regression_limit time = {.time_ns = 10};
	/* 100 times this is less than 29 in floating point. */
	const struct regression_limit unround = {.ppm = 290000};

	ck_assert_int_eq(judge(100, 129, unround, 0), REGRESSION_PASSED);
	ck_assert_int_eq(judge(100, 130, unround, 0), REGRESSION_SLOWER);
	ck_assert_int_eq(judge(1000, 1050, share, 0), REGRESSION_PASSED);
	ck_assert_int_eq(judge(1000, 1051, share, 0), REGRESSION_SLOWER);
	ck_assert_int_eq(judge(1000, 10, share, 0), REGRESSION_PASSED);
	ck_assert_int_eq(judge(1000, 1010, time, 0), REGRESSION_PASSED);
	ck_assert_int_eq(judge(1000, 1011, time, 0), REGRESSION_SLOWER);
	ck_assert_int_eq(judge(1000, 1001, (struct regression_limit){0}, 0),
		REGRESSION_SLOWER);
	ck_assert_int_eq(
		judge(1, 1000, (struct regression_limit){.off = true}, 0),
		REGRESSION_OFF);
}
END_TEST

START_TEST(short_or_unmatched_functions_are_not_compared)
{
	const struct regression_limit share = {.ppm = 50000};

	ck_assert_int_eq(judge(10, 99, share, 100), REGRESSION_SHORT);
	ck_assert_int_eq(judge(10, 100, share, 100), REGRESSION_SLOWER);
	ck_assert_int_eq(judge(100, 10, share, 100), REGRESSION_PASSED);
	ck_assert_int_eq(judge(0, 100, share, 100), REGRESSION_ADDED);
	ck_assert_int_eq(judge(100, 0, share, 100), REGRESSION_REMOVED);
}
END_TEST

START_TEST(changes_within_chance_are_noise)
{
	static const uint64_t base[] = {100, 120, 80, 110, 90};
	const struct regression_limit limit = {.ppm = 50000};

	for (uint64_t add = 10; add <= 100; add += 90) {
		begin(MATCH_KEY_FILE, 5, 5);
		for (int i = 0; i < 5; i++) {
			add_run(DIFF_BASE, "f", base[i]);
			add_run(DIFF_NEW, "f", base[4 - i] + add);
		}
		ck_assert_int_eq(diff_finish(diff, DIFF_TOTAL, NULL), CTP_OK);
		ck_assert_int_eq(
			regression_of(diff, row(0, 1), DIFF_TOTAL, &limit, 0),
			add == 10 ? REGRESSION_NOISE : REGRESSION_SLOWER);
		tear_down();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diff");
	TCase *tests = tcase_create("diff");

	tcase_add_checked_fixture(tests, NULL, tear_down);
	tcase_add_test(tests, functions_are_joined_by_name_and_file);
	tcase_add_test(tests, kernels_are_joined_over_all_devices);
	tcase_add_test(
		tests, runs_become_medians_and_a_missing_one_counts_as_nothing);
	tcase_add_test(
		tests, rows_without_a_change_are_in_order_of_their_names);
	tcase_add_test(tests, changes_are_counted_as_far_as_numbers_go);
	tcase_add_test(tests, limits_are_shares_or_times);
	tcase_add_test(tests, short_or_unmatched_functions_are_not_compared);
	tcase_add_test(tests, changes_within_chance_are_noise);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
