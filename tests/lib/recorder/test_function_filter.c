/* SPDX-License-Identifier: MIT */
/* The file of functions that are not to be recorded. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/function_filter.h"
#include "support/run_suite.h"

static enum ctp_status load(const char *text, struct ctp_error *err)
{
	char path[] = "./test_filter.XXXXXX";
	int fd = mkstemp(path);
	enum ctp_status status;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	status = function_filter_load(path, err);
	(void)close(fd);
	(void)unlink(path);
	return status;
}

static bool excludes(const char *path, uint64_t offset)
{
	return function_filter_excludes(function_filter_find(path), offset);
}

START_TEST(no_file_leaves_nothing_out)
{
	ck_assert_int_eq(function_filter_load(NULL, NULL), CTP_OK);
	ck_assert(!excludes("/lib/x.so", 1));
	ck_assert_int_eq(function_filter_load("", NULL), CTP_OK);
	ck_assert(!excludes("/lib/x.so", 1));
}
END_TEST

START_TEST(the_default_is_for_modules_not_named)
{
	ck_assert_int_eq(load("ctprof-functions 1\ndefault -\n"
			      "module + a*\nin /lib/b\n10\n",
				 NULL),
		CTP_OK);
	ck_assert(!excludes("/lib/a.so", 1));
	ck_assert(!excludes("/lib/b", 1));
	ck_assert(excludes("/lib/b", 16));
	ck_assert(excludes("/lib/c", 1));
	ck_assert_int_eq(load("ctprof-functions 1\ndefault +\n", NULL), CTP_OK);
	ck_assert(!excludes("/lib/c", 1));
}
END_TEST

START_TEST(the_first_module_that_matches_counts)
{
	ck_assert_int_eq(load("ctprof-functions 1\nmodule + libx*\n"
			      "module - lib*\n",
				 NULL),
		CTP_OK);
	ck_assert(!excludes("/usr/lib/libx.so", 1));
	ck_assert(excludes("/usr/lib/liby.so", 1));
	ck_assert(!excludes("/usr/lib/program", 1));
}
END_TEST

START_TEST(offsets_need_no_order)
{
	ck_assert_int_eq(load("ctprof-functions 1\nin /a b\nff\n1\n10\n"
			      "in /c\n2\n",
				 NULL),
		CTP_OK);
	ck_assert(excludes("/a b", 0xff));
	ck_assert(excludes("/a b", 1));
	ck_assert(excludes("/a b", 0x10));
	ck_assert(!excludes("/a b", 2));
	ck_assert(excludes("/c", 2));
	ck_assert(!excludes("/c", 1));
}
END_TEST

START_TEST(a_new_file_replaces_the_old)
{
	ck_assert_int_eq(load("ctprof-functions 1\ndefault -\n", NULL), CTP_OK);
	ck_assert(excludes("/c", 2));
	ck_assert_int_eq(function_filter_load(NULL, NULL), CTP_OK);
	ck_assert(!excludes("/c", 2));
	ck_assert(!function_filter_excludes(1000, 2));
}
END_TEST

static const struct {
	const char *text;
	const char *line;
} bad[] = {{"", "line 1 "}, {"ctprof-functions 2\n", "line 1 "},
	{"ctprof-functions 1\nnonsense\n", "line 2 "},
	{"ctprof-functions 1\n\n12\n", "line 3 "},
	{"ctprof-functions 1\nin /a\n12x\n", "line 3 "},
	{"ctprof-functions 1\nin /a\n-1\n", "line 3 "},
	{"ctprof-functions 1\nin /a\n11111111111111111\n", "line 3 "},
	{"ctprof-functions 1\nin \n", "line 2 "},
	{"ctprof-functions 1\nmodule + \n", "line 2 "},
	{"ctprof-functions 1\nmodule * x\n", "line 2 "},
	{"ctprof-functions 1\ndefault\n", "line 2 "}};

START_TEST(a_bad_line_is_named)
{
	struct ctp_error err;

	ck_assert_int_eq(load(bad[_i].text, &err), CTP_ERR_FORMAT);
	ck_assert_msg(
		strstr(err.message, bad[_i].line) != NULL, "%s", err.message);
	ck_assert(!excludes("/a", 0x12));
}
END_TEST

START_TEST(a_missing_file_is_an_error)
{
	struct ctp_error err;

	ck_assert_int_eq(
		function_filter_load("./no/such/file", &err), CTP_ERR_IO);
	ck_assert_int_eq(function_filter_load(".", &err), CTP_ERR_FORMAT);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("filter");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, no_file_leaves_nothing_out);
	tcase_add_test(tcase, the_default_is_for_modules_not_named);
	tcase_add_test(tcase, the_first_module_that_matches_counts);
	tcase_add_test(tcase, offsets_need_no_order);
	tcase_add_test(tcase, a_new_file_replaces_the_old);
	tcase_add_loop_test(tcase, a_bad_line_is_named, 0,
		(int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tcase, a_missing_file_is_an_error);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
