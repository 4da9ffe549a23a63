/* SPDX-License-Identifier: MIT */
/* base/pipe.[ch] */
#include <check.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/pipe.h"
#include "support/run_suite.h"

static int ends[2];

static void setup(void)
{
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
}

static void teardown(void)
{
	(void)close(ends[0]);
	(void)close(ends[1]);
}

START_TEST(small_pipe_becomes_larger_and_keeps_its_data)
{
	int least;
	int most;
	char letter = 0;

	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	/* The size that may be set here, if any may. */
	most = fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	least = fcntl(ends[1], F_SETPIPE_SZ, 4096); /* a page */
	ck_assert_int_gt(least, 0);
	ck_assert_int_lt(least, 1 << 20);
	pipe_widen(ends[0]);
	ck_assert_int_eq(
		fcntl(ends[1], F_GETPIPE_SZ), most < 0 ? least : 1 << 20);
	ck_assert_int_eq(read(ends[0], &letter, 1), 1);
	ck_assert_int_eq(letter, 'x');
}
END_TEST

START_TEST(larger_pipe_stays_as_it_is)
{
	if (fcntl(ends[1], F_SETPIPE_SZ, 1 << 21) < 0)
		return; /* it needs a privilege */
	pipe_widen(ends[1]);
	ck_assert_int_eq(fcntl(ends[1], F_GETPIPE_SZ), 1 << 21);
}
END_TEST

START_TEST(files_other_than_pipes_are_left_alone)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	pipe_widen(fd);
	pipe_widen(-1);
	ck_assert_int_eq(write(fd, "x", 1), 1);
	(void)close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pipe");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_add_test(all, small_pipe_becomes_larger_and_keeps_its_data);
	tcase_add_test(all, larger_pipe_stays_as_it_is);
	tcase_add_test(all, files_other_than_pipes_are_left_alone);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
