/* SPDX-License-Identifier: MIT */
/* A program closes descriptors that are not its own, as daemons do, and opens
 * others: the log continues, and no other file is written to. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record_case.h"
#include "support/run_suite.h"

/* ThreadSanitizer does not understand this: it takes the background thread's
 * descriptors for ours. */
static int open_unseen(const char *path, int flags)
{
	return (int)syscall(
		SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

/* Closes all descriptors, as daemons do, and opens many: they get the numbers
 * that they would have without us. */
static int close_and_open(const char *path, enum ctp_status expected)
{
	(void)close_range(3, ~0U, 0);
	for (int i = 0; i < 64; i++)
		if (open_unseen(path, O_RDWR | O_CREAT) != 3 + i)
			return 1;
	record_case_record(400000);
	if (ctp_stop() != expected)
		return 2;
	if (expected != CTP_OK &&
		strstr(ctp_status(), "/run.1.ctp: Bad file descriptor") == NULL)
		return 3;
	for (int i = 0; i < 64; i++)
		if (close(3 + i) != 0)
			return 4;
	return close_range(3, ~0U, 0);
}

/* In a separate process: Check's descriptors are closed as well. */
static void close_all(const char *path, enum ctp_status expected)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	pid_t child = fork();

	if (child == 0) {
		options.out = record_case_child_path(1);
		options.spool = record_case_directory;
		options.policy = CTP_POLICY_BLOCK;
		options.buffer_bytes = 256 * 1024;
		if (ctp_start(&options) != CTP_OK)
			_exit(5);
		record_case_record(10);
		/* Not removed: another file could get its number. */
		if (expected != CTP_OK &&
			rename(options.out, record_case_path) != 0)
			_exit(6);
		_exit(close_and_open(path, expected));
	}
	record_case_wait(child);
}

static bool has_spool(void)
{
	char pattern[300];
	glob_t found;
	bool has;

	(void)snprintf(
		pattern, sizeof(pattern), "%s/*.spool", record_case_directory);
	has = glob(pattern, 0, NULL, &found) == 0;
	globfree(&found);
	return has;
}

START_TEST(a_log_with_a_closed_descriptor_continues)
{
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/data", record_case_directory);
	close_all(path, CTP_OK);
	ck_assert_uint_eq(record_case_file_size(path), 0);
	ck_assert_uint_eq(
		record_case_read_log(record_case_child_path(1), "early").named,
		400010);
	ck_assert(!has_spool());
}
END_TEST

static bool no_locks;

/* As on file systems without locks. */
__attribute__((visibility("default"))) int flock(int fd, int operation)
{
	if (!no_locks)
		return (int)syscall(SYS_flock, fd, operation);
	errno = ENOSYS;
	return -1;
}

static void *record_in_thread(void *unused)
{
	(void)unused;
	record_case_record(400000);
	return NULL;
}

/* The background thread is busy, and stays so as long as the program waits for
 * room. */
START_TEST(a_log_with_a_descriptor_closed_meanwhile_continues)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	pid_t child = fork();

	if (child == 0) {
		pthread_t threads[2];
		bool done = true;

		no_locks = _i == 1;
		options.out = record_case_child_path(1);
		options.spool = record_case_directory;
		options.policy = CTP_POLICY_BLOCK;
		options.buffer_bytes = 4 * 1024 * 1024;
		if (ctp_start(&options) != CTP_OK)
			_exit(1);
		for (int i = 0; i < 2; i++)
			done = pthread_create(&threads[i], NULL,
				       record_in_thread, NULL) == 0 &&
			       done;
		(void)usleep(20000);
		(void)close_range(3, ~0U, 0);
		for (int i = 0; i < 2; i++)
			done = pthread_join(threads[i], NULL) == 0 && done;
		_exit(!done || ctp_stop() != CTP_OK);
	}
	record_case_wait(child);
	ck_assert_uint_eq(
		record_case_read_log(record_case_child_path(1), "early").named,
		800000);
}
END_TEST

/* Whether somebody holds the lock of a file. */
static bool is_locked(const char *path)
{
	int fd = open_unseen(path, O_RDONLY);
	bool locked = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 &&
		      errno == EWOULDBLOCK;

	if (fd >= 0)
		(void)close_range((unsigned)fd, (unsigned)fd, 0);
	return locked;
}

/* The log and, a few rounds of the background thread later, the spool: other
 * processes would complete them if they were not locked. */
static int close_slowly(const char *log)
{
	char pattern[300];
	glob_t spools;

	(void)snprintf(pattern, sizeof(pattern), "%s/ctprof.*.%ld.*.spool",
		record_case_directory, (long)getpid());
	if (glob(pattern, 0, NULL, &spools) != 0)
		return 5;
	for (unsigned fd = 3; fd < 64; fd++)
		if (fcntl((int)fd, F_GETFD) >= 0 && close_range(fd, fd, 0) == 0)
			(void)usleep(150000);
	for (int i = 0; !is_locked(log) || !is_locked(spools.gl_pathv[0]);
		i++) {
		if (i == 600)
			return 1;
		(void)usleep(100000);
	}
	if (ctp_stop() != CTP_OK)
		return 2;
	return is_locked(log) ? 3 : 0;
}

START_TEST(log_and_spool_stay_locked_whichever_is_closed_first)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	pid_t child = fork();

	if (child == 0) {
		(void)close_range(3, ~0U, 0);
		options.out = record_case_child_path(1);
		options.spool = record_case_directory;
		if (ctp_start(&options) != CTP_OK)
			_exit(4);
		record_case_record(10);
		_exit(close_slowly(options.out));
	}
	record_case_wait(child);
}
END_TEST

START_TEST(a_reused_descriptor_number_is_not_written_to)
{
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/data", record_case_directory);
	close_all(path, CTP_ERR_IO);
	ck_assert_uint_eq(record_case_file_size(path), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_closed");
	TCase *tests = tcase_create("record_closed");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_log_with_a_closed_descriptor_continues);
	tcase_add_loop_test(tests,
		a_log_with_a_descriptor_closed_meanwhile_continues, 0, 2);
	tcase_add_test(
		tests, log_and_spool_stay_locked_whichever_is_closed_first);
	tcase_add_test(tests, a_reused_descriptor_number_is_not_written_to);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
