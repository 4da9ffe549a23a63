/* SPDX-License-Identifier: MIT */
/* Files that are in different directories on the two sides. */
#include <check.h>
#include <stdlib.h>

#include "compare/source_map.h"
#include "support/run_suite.h"

#define SIDES 2

static struct profile *profiles[SIDES];
static struct source_map source_map;

static void set_up(void)
{
	for (int i = 0; i < SIDES; i++) {
		profiles[i] = profile_new();
		ck_assert_ptr_nonnull(profiles[i]);
	}
}

static void tear_down(void)
{
	source_map_clear(&source_map);
	for (int i = 0; i < SIDES; i++)
		profile_free(profiles[i]);
}

static void add(enum diff_side side, const char *file)
{
	ck_assert_uint_ne(profile_add_function(profiles[side], "f", file, 1),
		PROFILE_NONE);
}

static void join(uint32_t roots)
{
	ck_assert(source_map_init(&source_map));
	for (int i = 0; i < SIDES; i++)
		ck_assert_int_eq(source_map_add(&source_map, profiles[i],
					 (enum diff_side)i, NULL),
			CTP_OK);
	ck_assert_int_eq(source_map_finish(&source_map, NULL), CTP_OK);
	ck_assert_int_eq(
		source_map_rename(&source_map, profiles[DIFF_BASE], NULL),
		CTP_OK);
	ck_assert_uint_eq(source_map.count, roots);
}

/* The files of the base side, in the order in which they were added. */
static const char *file(uint32_t number)
{
	return profiles[DIFF_BASE]->functions[number].file;
}

START_TEST(a_tree_in_another_directory_is_the_same)
{
	add(DIFF_BASE, "/v1/common/a.c");
	add(DIFF_BASE, "/v1/a.c");
	add(DIFF_BASE, "/v1/gone.c");
	add(DIFF_BASE, "/usr/include/x.h");
	add(DIFF_NEW, "/b/v2/a.c");
	add(DIFF_NEW, "/b/v2/common/a.c");
	add(DIFF_NEW, "/usr/include/x.h");
	join(1);
	ck_assert_str_eq(file(0), "/b/v2/common/a.c");
	ck_assert_str_eq(file(1), "/b/v2/a.c");
	ck_assert_str_eq(file(2), "/v1/gone.c");
	ck_assert_str_eq(file(3), "/usr/include/x.h");
	ck_assert_str_eq(source_map.roots[0].base, "/v1");
	ck_assert_str_eq(source_map.roots[0].changed, "/b/v2");
	ck_assert_uint_eq(source_map.roots[0].file_count, 2);
}
END_TEST

START_TEST(relative_names_and_those_below_the_root_are_mapped_too)
{
	add(DIFF_BASE, "common/a.c");
	add(DIFF_BASE, "common/b.c");
	add(DIFF_NEW, "/common/a.c");
	add(DIFF_NEW, "/common/b.c");
	join(1);
	ck_assert_str_eq(file(0), "/common/a.c");
	ck_assert_str_eq(source_map.roots[0].base, ".");
	ck_assert_str_eq(source_map.roots[0].changed, "/");
}
END_TEST

START_TEST(one_of_many_missing_files_may_agree_by_chance)
{
	add(DIFF_BASE, "/p/one/init.c");
	add(DIFF_BASE, "/p/b.c");
	add(DIFF_NEW, "/p/two/init.c");
	join(0);
	ck_assert_str_eq(file(0), "/p/one/init.c");
}
END_TEST

START_TEST(a_single_file_is_most_of_all)
{
	add(DIFF_BASE, "/p/one/main.c");
	add(DIFF_NEW, "/p/two/main.c");
	join(1);
	ck_assert_str_eq(file(0), "/p/two/main.c");
}
END_TEST

START_TEST(ambiguous_files_stay)
{
	add(DIFF_BASE, "/p/one/a.c");
	add(DIFF_NEW, "/p/two/a.c");
	add(DIFF_NEW, "/p/three/a.c");
	join(0);
	ck_assert_str_eq(file(0), "/p/one/a.c");
}
END_TEST

START_TEST(ambiguous_files_are_matched_by_directory)
{
	add(DIFF_BASE, "/v1/main.c");
	add(DIFF_BASE, "/v1/old/main.c");
	add(DIFF_BASE, "/v1/set/a.c");
	add(DIFF_BASE, "/v1/set/b.c");
	add(DIFF_BASE, "/v1/init.c");
	add(DIFF_NEW, "/v2/main.c");
	add(DIFF_NEW, "/v2/run/main.c");
	add(DIFF_NEW, "/v2/set/a.c");
	add(DIFF_NEW, "/v2/set/b.c");
	add(DIFF_NEW, "/elsewhere/init.c");
	join(1);
	ck_assert_uint_eq(source_map.roots[0].file_count, 3);
	ck_assert_str_eq(file(0), "/v2/main.c");
	ck_assert_str_eq(file(1), "/v1/old/main.c");
	ck_assert_str_eq(file(2), "/v2/set/a.c");
	ck_assert_str_eq(file(4), "/v1/init.c");
}
END_TEST

START_TEST(ambiguous_files_below_the_root_are_found)
{
	add(DIFF_BASE, "main.c");
	add(DIFF_BASE, "set/a.c");
	add(DIFF_BASE, "set/b.c");
	add(DIFF_NEW, "/main.c");
	add(DIFF_NEW, "/run/main.c");
	add(DIFF_NEW, "/set/a.c");
	add(DIFF_NEW, "/set/b.c");
	join(1);
	ck_assert_str_eq(file(0), "/main.c");
	source_map_clear(&source_map);
	profile_free(profiles[DIFF_BASE]);
	profile_free(profiles[DIFF_NEW]);
	set_up();
	add(DIFF_BASE, "/main.c");
	add(DIFF_BASE, "/set/a.c");
	add(DIFF_BASE, "/set/b.c");
	add(DIFF_NEW, "main.c");
	add(DIFF_NEW, "run/main.c");
	add(DIFF_NEW, "set/a.c");
	add(DIFF_NEW, "set/b.c");
	join(1);
	ck_assert_str_eq(file(0), "main.c");
}
END_TEST

START_TEST(common_files_and_device_functions_stay)
{
	add(DIFF_BASE, "/p/a.c");
	add(DIFF_BASE, "/gpu/1");
	add(DIFF_NEW, "/p/a.c");
	add(DIFF_NEW, "/p/two/a.c");
	add(DIFF_NEW, "/other/1");
	profiles[DIFF_BASE]->functions[1].device.kind = PROFILE_KERNEL;
	profiles[DIFF_NEW]->functions[2].device.kind = PROFILE_KERNEL;
	join(0);
	ck_assert_str_eq(file(0), "/p/a.c");
	ck_assert_str_eq(file(1), "/gpu/1");
}
END_TEST

START_TEST(sides_without_files_are_joined)
{
	join(0);
	source_map_clear(&source_map);
	add(DIFF_BASE, "");
	add(DIFF_NEW, "");
	join(0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("source_map");
	TCase *tests = tcase_create("source_map");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, a_tree_in_another_directory_is_the_same);
	tcase_add_test(
		tests, relative_names_and_those_below_the_root_are_mapped_too);
	tcase_add_test(tests, one_of_many_missing_files_may_agree_by_chance);
	tcase_add_test(tests, a_single_file_is_most_of_all);
	tcase_add_test(tests, ambiguous_files_stay);
	tcase_add_test(tests, ambiguous_files_are_matched_by_directory);
	tcase_add_test(tests, ambiguous_files_below_the_root_are_found);
	tcase_add_test(tests, common_files_and_device_functions_stay);
	tcase_add_test(tests, sides_without_files_are_joined);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
