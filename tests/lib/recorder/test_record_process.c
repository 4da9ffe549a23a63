/* SPDX-License-Identifier: MIT */
/* Processes that a recorded one starts, in any way, and the fate of its own
 * recording. */
#include <check.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_case.h"
#include "support/run_suite.h"
#include "pack/spool.h"

extern char **environ;

static pid_t start_by_fork(char **argv)
{
	pid_t child = fork();

	if (child == 0) {
		(void)execv(argv[0], argv);
		_exit(127);
	}
	return child;
}

static pid_t start_by_vfork(char **argv)
{
	pid_t child = vfork();

	if (child == 0) {
		(void)execv(argv[0], argv);
		_exit(127);
	}
	return child;
}

static pid_t start_by_spawn(char **argv)
{
	pid_t child = -1;

	ck_assert_int_eq(
		posix_spawn(&child, argv[0], NULL, NULL, argv, environ), 0);
	return child;
}

START_TEST(a_child_that_runs_another_program_leaves_nothing)
{
	static pid_t (*const ways[])(char **) = {
		start_by_fork, start_by_vfork, start_by_spawn};
	static char program[] = "/bin/true";
	char *argv[] = {program, NULL};

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	record_case_wait(ways[_i](argv));
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	record_case_expect(record_case_path, "begin a; end; ");
	ck_assert_int_eq(record_case_file_count(), 1);
}
END_TEST

/* Forks a child that tries to record a range, and forks `more` children of the
 * same kind. None can open a file, like a process that has given up its
 * rights. */
static void fork_refused(int more)
{
	const struct rlimit none = {0, 0};
	pid_t child = fork();

	if (child == 0) {
		if (setrlimit(RLIMIT_NOFILE, &none) != 0)
			_exit(1);
		record_case_begin("b");
		ctp_end();
		while (more-- > 0)
			fork_refused(0);
		(void)ctp_stop();
		_exit(0);
	}
	record_case_wait(child);
}

START_TEST(a_child_that_can_make_no_log_is_counted)
{
	struct case_content content;
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	child = fork();
	if (child == 0) {
		record_case_begin("b");
		ctp_end();
		(void)ctp_stop();
		_exit(0);
	}
	record_case_wait(child);
	fork_refused(0);
	fork_refused(2); /* which do not record either */
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_int_eq(record_case_file_count(), 2);
	content = record_case_read_log(record_case_path, "a");
	ck_assert_uint_eq(content.losses[LOSS_UNRECORDED], 4);
}
END_TEST

/* The number of unrecorded processes in the only spool left behind. */
static uint32_t left_unrecorded(void)
{
	static struct spool_header header;
	char pattern[128];
	glob_t found;
	FILE *file;

	(void)snprintf(
		pattern, sizeof(pattern), "%s/*.spool", record_case_directory);
	ck_assert_int_eq(glob(pattern, 0, NULL, &found), 0);
	ck_assert_uint_eq(found.gl_pathc, 1);
	file = fopen(found.gl_pathv[0], "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(&header, sizeof(header), 1, file), 1);
	(void)fclose(file);
	globfree(&found);
	return header.unrecorded;
}

START_TEST(a_killed_parent_has_counted_children_without_a_log)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	pid_t child = fork();
	int status = 0;

	options.out = record_case_path;
	options.spool = record_case_directory;
	if (child == 0) {
		if (ctp_start(&options) != CTP_OK)
			_exit(1);
		record_case_begin("a");
		fork_refused(1);
		(void)ctp_flush();
		(void)raise(SIGKILL);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_uint_eq(left_unrecorded(), 2);
}
END_TEST

/* Truncated texts are counted in the log at once. */
START_TEST(a_killed_program_has_counted_truncated_texts)
{
	static char text[16100];
	pid_t child = fork();
	int status = 0;

	memset(text, 't', sizeof(text) - 1);
	if (child == 0) {
		struct ctp_options options = CTP_OPTIONS_INIT;

		options.out = record_case_path;
		options.spool = record_case_directory;
		if (ctp_start(&options) != CTP_OK)
			_exit(1);
		record_case_begin("a");
		ctp_arg_string("key", text);
		ctp_end();
		(void)ctp_flush();
		(void)raise(SIGKILL);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_uint_eq(record_case_read_log(record_case_path, "a")
				  .losses[LOSS_CUT_TEXT],
		1);
}
END_TEST

START_TEST(a_daemon_records_on_under_its_own_name)
{
	char byte = 0;
	int ends[2];
	pid_t child;
	pid_t found = 0;

	ck_assert_int_eq(pipe(ends), 0);
	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	child = fork();
	if (child == 0) {
		/* glibc's daemon() forks; the parent of that one exits. */
		if (daemon(1, 1) != 0)
			_exit(1);
		record_case_begin("served");
		ctp_end();
		found = getpid();
		if (ctp_stop() != CTP_OK ||
			write(ends[1], &found, sizeof(found)) !=
				(ssize_t)sizeof(found))
			_exit(1);
		_exit(0);
	}
	record_case_wait(child);
	(void)close(ends[1]);
	ck_assert_int_eq(read(ends[0], &found, sizeof(found)), sizeof(found));
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	(void)close(ends[0]);
	ck_assert_int_ne(found, child);
	record_case_expect(record_case_child_path(found),
		"begin a; arg inherited=1; begin served; end; ");
}
END_TEST

static volatile sig_atomic_t handler_forks;

static void fork_in_handler(int number)
{
	pid_t child = fork();

	(void)number;
	if (child == 0)
		_exit(ctp_on);
	if (child > 0)
		(void)waitpid(child, NULL, 0);
	handler_forks++;
}

START_TEST(a_signal_handler_may_fork_at_any_moment)
{
	struct sigaction action = {.sa_handler = fork_in_handler};
	struct itimerval soon = {{0, 0}, {0, 0}};
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct case_content content;
	uint64_t count = 0;
	int forks = -1;

	/* With this clock every event takes the path with locks. */
	options.clock = CTP_CLOCK_SYSTEM;
	options.out = record_case_path;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	ck_assert_int_eq(sigaction(SIGALRM, &action, NULL), 0);
	while (handler_forks < 100) {
		char name[32];

		if (forks != handler_forks) {
			forks = handler_forks;
			soon.it_value.tv_usec =
				100 + (suseconds_t)(count * 7 % 400);
			ck_assert_int_eq(
				setitimer(ITIMER_REAL, &soon, NULL), 0);
		}
		(void)snprintf(
			name, sizeof(name), "n%d", (int)(count++ % 4096));
		record_case_begin(name);
		ctp_arg_int("count", (int64_t)count);
		ctp_end();
	}
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "n0");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], count);
	ck_assert_int_eq(content.depth, 0);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(a_child_closes_its_parents_files)
{
	char command[128];
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	child = fork();
	if (child == 0) {
		(void)snprintf(command, sizeof(command),
			"! ls -l /proc/%ld/fd | grep -E 'spool|[.]ctp'",
			(long)getpid());
		_exit(system(command) == 0 ? 0 : 1);
	}
	record_case_wait(child);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_process");
	TCase *tests = tcase_create("record_process");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_loop_test(
		tests, a_child_that_runs_another_program_leaves_nothing, 0, 3);
	tcase_add_test(tests, a_child_that_can_make_no_log_is_counted);
	tcase_add_test(
		tests, a_killed_parent_has_counted_children_without_a_log);
	tcase_add_test(tests, a_killed_program_has_counted_truncated_texts);
	tcase_add_test(tests, a_daemon_records_on_under_its_own_name);
	tcase_add_test(tests, a_signal_handler_may_fork_at_any_moment);
	tcase_add_test(tests, a_child_closes_its_parents_files);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
