/* SPDX-License-Identifier: MIT */
/* The recorder starts, stops, fails and forks, and threads come and go; neither
 * the log nor the program suffers. */
#include <check.h>
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pack/chunk.h"
#include "record_case.h"
#include "support/run_suite.h"

START_TEST(no_log_means_no_recording_but_no_harm)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = "/nonexistent/run.ctp";
	ck_assert_int_eq(ctp_start(&options), CTP_ERR_IO);
	ck_assert_ptr_nonnull(strstr(ctp_status(), "No such file"));
	ck_assert_int_eq(record_case_early_return(0), -1);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
}
END_TEST

/* The number of this process's threads with this name. */
static int count_called(const char *name)
{
	glob_t found;
	int count = 0;

	ck_assert_int_eq(glob("/proc/self/task/*/comm", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *file = fopen(found.gl_pathv[i], "r");
		char text[32] = "";

		ck_assert_ptr_nonnull(file);
		if (fgets(text, sizeof(text), file) != NULL)
			text[strcspn(text, "\n")] = '\0';
		count += strcmp(text, name) == 0;
		(void)fclose(file);
	}
	globfree(&found);
	return count;
}

START_TEST(the_background_thread_has_its_name_at_once)
{
	ck_assert_int_eq(count_called("ctprof"), 0);
	record_case_start(CTP_POLICY_BLOCK, 0);
	ck_assert_int_eq(count_called("ctprof"), 1);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
}
END_TEST

START_TEST(a_full_disk_stops_recording_but_not_the_program)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = "/dev/full";
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
	for (int i = 0; i < 1000000; i++)
		(void)record_case_early_return(1);
	ck_assert_int_eq(ctp_stop(), CTP_ERR_IO);
	ck_assert_ptr_nonnull(strstr(ctp_status(), "No space left"));
}
END_TEST

START_TEST(it_starts_and_stops_many_times)
{
	for (int i = 0; i < 60; i++) {
		record_case_start(CTP_POLICY_BLOCK, 256 * 1024);
		(void)record_case_early_return(0);
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		ck_assert_uint_eq(
			record_case_read_log(record_case_path, "inner").named,
			1);
	}
}
END_TEST

START_TEST(a_forked_child_has_a_log_of_its_own)
{
	char child_path[300];
	struct case_content content;
	int status = -1;
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	ctp_begin(ctp_site_intern("parent", NULL, 0));
	child = fork();
	if (child == 0) {
		(void)record_case_early_return(0);
		_exit(ctp_stop() == CTP_OK ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "parent");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 1);
	(void)snprintf(child_path, sizeof(child_path), "%s/run.%ld.ctp",
		record_case_directory, (long)child);
	content = record_case_read_log(child_path, "inner");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 3);
}
END_TEST

START_TEST(a_child_that_records_nothing_leaves_nothing)
{
	char child_path[300];
	int status;
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	child = fork();
	if (child == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	(void)snprintf(child_path, sizeof(child_path), "%s/run.%ld.ctp",
		record_case_directory, (long)child);
	ck_assert_int_eq(access(child_path, F_OK), -1);
}
END_TEST

static void *record_one(void *unused)
{
	(void)unused;
	(void)record_case_early_return(1);
	return NULL;
}

START_TEST(many_short_threads_are_all_there)
{
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 0);
	for (int i = 0; i < 2000; i++) {
		pthread_t thread;

		ck_assert_int_eq(
			pthread_create(&thread, NULL, record_one, NULL), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
	}
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 2000);
	ck_assert_uint_eq(content.tracks, 2000);
}
END_TEST

/* The place at which the interrupted thread was going to store. */
struct interrupted {
	pthread_barrier_t stopped;
	uint64_t *next;
};

static void *find_room(void *argument)
{
	struct interrupted *interrupted = argument;

	(void)record_case_early_return(1);
	interrupted->next = ctp_self->next;
	(void)pthread_barrier_wait(&interrupted->stopped);
	/* The thread keeps its room until it is in the second. */
	(void)pthread_barrier_wait(&interrupted->stopped);
	(void)record_case_early_return(1);
	return NULL;
}

START_TEST(an_interrupted_range_is_not_in_the_next_recording)
{
	struct interrupted interrupted;
	struct case_content content;
	pthread_t thread;

	ck_assert_int_eq(
		pthread_barrier_init(&interrupted.stopped, NULL, 2), 0);
	record_case_start(CTP_POLICY_BLOCK, 0);
	ck_assert_int_eq(
		pthread_create(&thread, NULL, find_room, &interrupted), 0);
	(void)pthread_barrier_wait(&interrupted.stopped);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	for (int i = 0; i < 3; i++) {
		record_case_start(CTP_POLICY_BLOCK, 0);
		record_case_record(1000);
		*interrupted.next = 1;
		record_case_record(1000);
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		content = record_case_read_log(record_case_path, "early");
		ck_assert(content.ordered);
		ck_assert_uint_eq(content.named, 2000);
		ck_assert_uint_eq(record_case_lost(&content), 0);
	}
	record_case_start(CTP_POLICY_BLOCK, 0);
	(void)pthread_barrier_wait(&interrupted.stopped);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	ck_assert_uint_eq(
		record_case_read_log(record_case_path, "early").named, 1);
	(void)pthread_barrier_destroy(&interrupted.stopped);
}
END_TEST

/* A clock that delays one thread, which is inside the recorder then. */
static struct {
	_Atomic pid_t tid;
	_Atomic int hangs;
} slow_clock;

CTP_API int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (atomic_load(&slow_clock.tid) == (pid_t)syscall(SYS_gettid)) {
		atomic_store(&slow_clock.tid, 0);
		atomic_store(&slow_clock.hangs, 1);
		while (atomic_load(&slow_clock.hangs) != 0)
			(void)usleep(1000);
	}
	return (int)syscall(SYS_clock_gettime, clock, now);
}

static void start_with_calls(void)
{
	struct ctp_options options = CTP_OPTIONS_INIT;

	options.out = record_case_path;
	options.clock = CTP_CLOCK_SYSTEM;
	ck_assert_int_eq(ctp_start(&options), CTP_OK);
}

/* Hangs between its entry and its change to a new chunk. */
static void *hang_in_slow_path(void *argument)
{
	struct ctp_site *site = ctp_site_intern("hung", NULL, 0);

	for (size_t i = 0; i < CHUNK_WORDS / 4; i++)
		ctp_instant(site);
	atomic_store(&slow_clock.tid, (pid_t)syscall(SYS_gettid));
	ctp_instant(site);
	for (int i = 0; i < 3; i++)
		ctp_instant(site);
	return argument;
}

START_TEST(a_stalled_thread_records_into_the_next_recording)
{
	struct case_content content;
	pthread_t thread;

	for (int i = 0; i < 2; i++) { /* the third has the first's addresses */
		if (i != 0)
			ck_assert_int_eq(ctp_stop(), CTP_OK);
		start_with_calls();
		record_case_record(1);
	}
	ck_assert_int_eq(
		pthread_create(&thread, NULL, hang_in_slow_path, NULL), 0);
	while (atomic_load(&slow_clock.hangs) == 0)
		(void)usleep(1000);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	start_with_calls();
	record_case_record(1000);
	atomic_store(&slow_clock.hangs, 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	record_case_record(1000);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert(content.ordered);
	ck_assert_uint_eq(content.named, 2000);
	ck_assert_uint_eq(content.kinds[EVENT_INSTANT], 3);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(losses_are_not_counted_in_the_next_recording)
{
	struct case_content content;
	pthread_t thread;

	record_case_start(CTP_POLICY_DROP, 256 * 1024);
	record_case_record(2000000);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_ne(record_case_lost(&content), 0);
	record_case_start(CTP_POLICY_BLOCK, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, record_one, NULL), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

static volatile int going;

static void *record_until_told(void *unused)
{
	(void)unused;
	while (__atomic_load_n(&going, __ATOMIC_RELAXED))
		(void)record_case_early_return(0);
	return NULL;
}

START_TEST(it_stops_while_others_record)
{
	pthread_t threads[3];

	going = 1;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
					 record_until_told, NULL),
			0);
	for (int i = 0; i < 20; i++) {
		record_case_start(CTP_POLICY_BLOCK, 256 * 1024);
		(void)usleep(5000);
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		ck_assert(record_case_read_log(record_case_path, "early")
				  .ordered);
	}
	__atomic_store_n(&going, 0, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_life");
	TCase *tests = tcase_create("record_life");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, no_log_means_no_recording_but_no_harm);
	tcase_add_test(tests, the_background_thread_has_its_name_at_once);
	tcase_add_test(tests, a_full_disk_stops_recording_but_not_the_program);
	tcase_add_test(tests, it_starts_and_stops_many_times);
	tcase_add_test(tests, a_forked_child_has_a_log_of_its_own);
	tcase_add_test(tests, a_child_that_records_nothing_leaves_nothing);
	tcase_add_test(tests, many_short_threads_are_all_there);
	tcase_add_test(
		tests, an_interrupted_range_is_not_in_the_next_recording);
	tcase_add_test(tests, losses_are_not_counted_in_the_next_recording);
	tcase_add_test(tests, a_stalled_thread_records_into_the_next_recording);
	tcase_add_test(tests, it_stops_while_others_record);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
