/* SPDX-License-Identifier: MIT */
/* formats/pstats/svg.c: the programs get their input, each failure has its own
 * message, and nothing is left behind. gprof2dot and dot are shell scripts
 * here. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format.h"
#include "support/profile_case.h"
#include "support/run_suite.h"

static char directory[512];
static struct ctp_error error;

/* Makes a program of this name that runs the script, and puts its path into the
 * variable. */
static void set_program(
	const char *variable, const char *name, const char *script)
{
	char path[600];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	(void)fprintf(file, "#!/bin/sh\n%s\n", script);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod(path, 0700), 0);
	ck_assert_int_eq(setenv(variable, path, 1), 0);
}

static void set_programs(const char *gprof2dot, const char *dot)
{
	set_program("GPROF2DOT", "my-gprof2dot", gprof2dot);
	set_program("DOT", "my-dot", dot);
}

static void set_up(void)
{
	const char *base = getenv("TMPDIR");

	profile_case_set_up();
	profile_case_recursion();
	ck_assert_int_eq(profile_sort(profile_case_profile, NULL), CTP_OK);
	(void)snprintf(directory, sizeof(directory), "%s/test_svg-XXXXXX",
		base == NULL ? P_tmpdir : base);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(setenv("TMPDIR", directory, 1), 0);
}

static void tear_down(void)
{
	char path[600];

	(void)snprintf(path, sizeof(path), "%s/my-gprof2dot", directory);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/my-dot", directory);
	(void)unlink(path);
	/* Fails if a temporary file is left. */
	ck_assert_int_eq(rmdir(directory), 0);
	profile_case_tear_down();
}

static unsigned open_files(void)
{
	DIR *list = opendir("/proc/self/fd");
	unsigned count = 0;

	ck_assert_ptr_nonnull(list);
	while (readdir(list) != NULL)
		count++;
	(void)closedir(list);
	return count;
}

/* Writes the picture into profile_case_bytes; no file or child may be left. */
static enum ctp_status draw(void)
{
	unsigned before = open_files();
	FILE *out = open_memstream(&profile_case_bytes, &profile_case_size);
	enum ctp_status status;

	ck_assert_ptr_nonnull(out);
	memset(&error, 0, sizeof(error));
	status = svg_format.write_profile(
		out, profile_case_profile, NULL, &error);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_uint_eq(open_files(), before);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	return status;
}

static void expect_failure(const char *message)
{
	ck_assert_int_eq(draw(), CTP_ERR_IO);
	ck_assert_str_eq(error.message, message);
	ck_assert_uint_eq(profile_case_size, 0);
}

START_TEST(the_picture_is_dots_of_the_output_of_gprof2dot)
{
	set_programs("echo $1 $2 $3 $4 $5", "echo \"<svg $1 `cat`>\"");
	ck_assert_int_eq(draw(), CTP_OK);
	ck_assert_str_eq(profile_case_bytes,
		"<svg -Tsvg -f pstats --node-label=total-time-percentage "
		"--node-label=self-time-percentage --node-label=total-time>\n");
}
END_TEST

START_TEST(gprof2dot_gets_the_profile_as_pstats)
{
	set_programs(
		"for file; do :; done; cat \"$file\"", "echo '<svg>'; cat");
	ck_assert_int_eq(draw(), CTP_OK);
	CASE_HAS("{(\3\0\0\0u\1\0\0\0~i\0\0\0\0u\15\0\0\0<all threads>(");
}
END_TEST

START_TEST(programs_that_pass_on_much_do_not_wait_for_each_other)
{
	set_programs("head -c 3000000 /dev/zero", "echo '<svg>'; cat");
	ck_assert_int_eq(draw(), CTP_OK);
	ck_assert_uint_eq(profile_case_size, 3000006);
}
END_TEST

START_TEST(names_in_pictures_have_no_control_characters)
{
	profile_case_lone("es\x1b"
			  "cape",
		"");
	ck_assert_int_eq(profile_sort(profile_case_profile, NULL), CTP_OK);
	set_programs(
		"for file; do :; done; cat \"$file\"", "echo '<svg>'; cat");
	ck_assert_int_eq(draw(), CTP_OK);
	CASE_HAS("es\\u001bcape");
}
END_TEST

START_TEST(a_missing_gprof2dot_says_what_to_install)
{
	set_programs("exit 0", "exec cat");
	ck_assert_int_eq(setenv("GPROF2DOT", "/nowhere/gprof2dot", 1), 0);
	expect_failure("cannot run gprof2dot (pip install gprof2dot; "
		       "--to dot needs no gprof2dot): "
		       "No such file or directory");
}
END_TEST

START_TEST(a_missing_dot_says_what_to_install)
{
	set_programs("head -c 1000000 /dev/zero", "exit 0");
	ck_assert_int_eq(setenv("DOT", "/nowhere/dot", 1), 0);
	expect_failure("cannot run dot (apt-get install graphviz): "
		       "No such file or directory");
}
END_TEST

START_TEST(a_failing_gprof2dot_is_reported_with_its_last_words)
{
	set_programs("echo first >&2; printf 'it\\tbroke\\n' >&2; exit 3",
		"cat; exit 1");
	expect_failure("gprof2dot failed with status 3: it broke (pip install "
		       "gprof2dot; --to dot needs no gprof2dot)");
}
END_TEST

START_TEST(a_failing_dot_is_reported_even_if_gprof2dot_then_fails_too)
{
	set_programs("head -c 1000000 /dev/zero || "
		     "{ echo 'BrokenPipeError: Broken pipe' >&2; exit 1; }; "
		     "kill -PIPE $$",
		"echo no font >&2; exit 2");
	expect_failure("dot failed with status 2: no font (apt-get install "
		       "graphviz)");
}
END_TEST

START_TEST(a_killed_dot_is_reported)
{
	set_programs("exit 0", "kill -KILL $$");
	expect_failure("dot failed on signal 9: no message (apt-get install "
		       "graphviz)");
}
END_TEST

START_TEST(no_picture_is_a_failure)
{
	set_programs("exit 0", "exit 0");
	expect_failure("dot wrote no picture from the output of gprof2dot, "
		       "although neither failed (apt-get install graphviz; pip "
		       "install gprof2dot; --to dot needs no gprof2dot)");
}
END_TEST

START_TEST(a_directory_that_is_not_there_is_a_failure)
{
	set_programs("exit 0", "exit 0");
	ck_assert_int_eq(setenv("TMPDIR", "/nowhere", 1), 0);
	expect_failure("cannot create a temporary file (TMPDIR): No such file "
		       "or directory");
	ck_assert_int_eq(setenv("TMPDIR", directory, 1), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("svg");
	TCase *tests = tcase_create("svg");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, the_picture_is_dots_of_the_output_of_gprof2dot);
	tcase_add_test(tests, gprof2dot_gets_the_profile_as_pstats);
	tcase_add_test(
		tests, programs_that_pass_on_much_do_not_wait_for_each_other);
	tcase_add_test(tests, names_in_pictures_have_no_control_characters);
	tcase_add_test(tests, a_missing_gprof2dot_says_what_to_install);
	tcase_add_test(tests, a_missing_dot_says_what_to_install);
	tcase_add_test(
		tests, a_failing_gprof2dot_is_reported_with_its_last_words);
	tcase_add_test(tests,
		a_failing_dot_is_reported_even_if_gprof2dot_then_fails_too);
	tcase_add_test(tests, a_killed_dot_is_reported);
	tcase_add_test(tests, no_picture_is_a_failure);
	tcase_add_test(tests, a_directory_that_is_not_there_is_a_failure);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
