/* SPDX-License-Identifier: MIT */
/* Threads come and go in every possible way. */
#include <check.h>
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record_case.h"
#include "support/run_suite.h"

#define THREADS 8

static void start_all(pthread_t *threads, int count, void *(*run)(void *))
{
	for (int i = 0; i < count; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, run, NULL), 0);
}

static void join_all(const pthread_t *threads, int count)
{
	for (int i = 0; i < count; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

/* A line of /proc/self/status, in KiB. */
static uint64_t memory(const char *name)
{
	FILE *file = fopen("/proc/self/status", "r");
	unsigned long long kib = 0;
	char line[256];

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			(void)sscanf(line + strlen(name), ": %llu", &kib);
	(void)fclose(file);
	return kib;
}

static int count_lines(const char *path)
{
	FILE *file = fopen(path, "r");
	int count = 0;

	ck_assert_ptr_nonnull(file);
	for (int c = getc(file); c != EOF; c = getc(file))
		count += c == '\n';
	(void)fclose(file);
	return count;
}

static int count_entries(const char *path)
{
	DIR *directory = opendir(path);
	int count = 0;

	ck_assert_ptr_nonnull(directory);
	while (readdir(directory) != NULL)
		count++;
	(void)closedir(directory);
	return count;
}

static void *record_one(void *unused)
{
	(void)unused;
	(void)record_case_early_return(1);
	return NULL;
}

START_TEST(ten_thousand_short_threads_take_little_memory)
{
	struct case_content content;
	uint64_t before = 0;

	record_case_start(CTP_POLICY_BLOCK, 0);
	for (int i = 0; i < 10000; i++) {
		pthread_t thread;

		if (i == 100)
			before = memory("RssAnon");
		start_all(&thread, 1, record_one);
		join_all(&thread, 1);
	}
	/* Each thread's track takes less than half a kilobyte. */
	if (!CASE_SANITIZED)
		ck_assert_uint_le(memory("RssAnon"), before + 4096);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 10000);
	ck_assert_uint_eq(content.tracks, 10000);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(a_thousand_recordings_leave_nothing_behind)
{
	int files = 0;
	int maps = 0;
	int threads = 0;
	uint64_t before = 0;

	for (int i = 0; i < 1000; i++) {
		if (i == 20) {
			files = count_entries("/proc/self/fd");
			maps = count_lines("/proc/self/maps");
			threads = count_entries("/proc/self/task");
			before = memory("RssAnon");
		}
		record_case_start(CTP_POLICY_BLOCK, 256 * 1024);
		(void)record_case_early_return(0);
		ck_assert_int_eq(ctp_stop(), CTP_OK);
	}
	ck_assert_int_eq(count_entries("/proc/self/fd"), files);
	if (!CASE_SANITIZED)
		ck_assert_int_le(count_lines("/proc/self/maps"), maps);
	/* A thread still exists for a moment after it was joined. */
	for (int i = 0; i < 6000 && count_entries("/proc/self/task") > threads;
		i++)
		(void)usleep(10000);
	ck_assert_int_le(count_entries("/proc/self/task"), threads);
	if (!CASE_SANITIZED)
		ck_assert_uint_le(memory("RssAnon"), before + 512);
}
END_TEST

static pthread_barrier_t barrier;

static void *record_together(void *unused)
{
	(void)unused;
	(void)pthread_barrier_wait(&barrier);
	(void)record_case_early_return(0);
	return NULL;
}

/* As after CTPROF_OUT was found: the first event begins it. */
START_TEST(many_first_events_at_once_begin_one_recording)
{
	struct case_content content;
	pthread_t threads[32];
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	child = fork(); /* whose recording is due */
	if (child == 0) {
		if (pthread_barrier_init(&barrier, NULL, 32) != 0)
			_exit(1);
		start_all(threads, 32, record_together);
		join_all(threads, 32);
		record_case_leave();
	}
	record_case_wait(child);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_child_path(child), "early");
	ck_assert_uint_eq(content.named, 32);
	ck_assert_uint_eq(content.tracks, 32);
	ck_assert_int_eq(record_case_file_count(), 2);
}
END_TEST

/* Left open by pthread_exit(): the reader closes it. */
static void *record_and_exit(void *unused)
{
	record_case_begin("left open");
	pthread_exit(unused);
}

static void *record_until_cancelled(void *unused)
{
	(void)unused;
	for (;;) {
		(void)record_case_early_return(0);
		pthread_testcancel();
	}
	return NULL;
}

START_TEST(cancelled_and_exited_threads_are_whole)
{
	struct case_content content;
	pthread_t threads[THREADS];

	record_case_start(CTP_POLICY_BLOCK, 512 * 1024);
	for (int round = 0; round < 20; round++) {
		start_all(threads, THREADS / 2, record_until_cancelled);
		start_all(threads + THREADS / 2, THREADS / 2, record_and_exit);
		(void)usleep(1000);
		for (int i = 0; i < THREADS / 2; i++)
			ck_assert_int_eq(pthread_cancel(threads[i]), 0);
		join_all(threads, THREADS);
	}
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "left open");
	ck_assert_uint_eq(content.named, 20 * THREADS / 2);
	ck_assert_int_eq(content.depth, 20 * THREADS / 2);
	ck_assert(content.ordered);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

static void *record_until_killed(void *unused)
{
	char name[32];

	(void)unused;
	(void)pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (int i = 0;; i++) {
		/* Both ways out of the fast path. */
		(void)snprintf(name, sizeof(name), "n%d", i % 5000);
		record_case_begin(name);
		ctp_arg_int("i", i);
		ctp_end();
	}
	return NULL;
}

/* At any point of the recorder: nobody waits for them afterwards. */
START_TEST(threads_cancelled_at_any_moment_hold_nothing_up)
{
	pthread_t threads[4];

	record_case_start(CTP_POLICY_BLOCK, 512 * 1024);
	for (int round = 0; round < 50; round++) {
		start_all(threads, 4, record_until_killed);
		(void)usleep(500);
		for (int i = 0; i < 4; i++)
			ck_assert_int_eq(pthread_cancel(threads[i]), 0);
		join_all(threads, 4);
	}
	(void)record_case_early_return(0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	/* The current event of such a thread may be missing, as always after a
	 * cancellation of this kind; the log is readable. */
	ck_assert_uint_le(
		record_case_read_log(record_case_path, "inner").named, 1);
}
END_TEST

/* A thread made by clone() that shares its creator's thread storage: we see
 * both as one, so the creator must not record meanwhile. */
static _Atomic int clone_tid;

static int record_in_clone(void *count)
{
	for (int i = 0; i < *(const int *)count; i++)
		(void)record_case_early_return(0);
	return 0;
}

static void run_clone(int count)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
			  CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID |
			  CLONE_PARENT_SETTID;
	size_t size = 256 * 1024;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(stack, MAP_FAILED);
	clone_tid = 1;
	ck_assert_int_gt(clone(record_in_clone, stack + size, flags, &count,
				 &clone_tid, NULL, &clone_tid),
		0);
	while (clone_tid != 0)
		(void)sched_yield();
	ck_assert_int_eq(munmap(stack, size), 0);
}

START_TEST(a_thread_without_storage_records_for_its_creator)
{
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 256 * 1024);
	record_case_begin("creator");
	for (int i = 0; i < 20; i++)
		run_clone(10000);
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 20 * 10000);
	ck_assert_uint_eq(content.tracks, 1);
	ck_assert_int_eq(content.depth, 0);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(a_hundred_thousand_sites_are_all_there)
{
	struct case_content content;
	char name[32];

	for (int round = 0; round < 2; round++) {
		record_case_start(CTP_POLICY_BLOCK, 0);
		for (int i = 0; i < 100000; i++) {
			(void)snprintf(name, sizeof(name), "site %d", i);
			record_case_begin(name);
			ctp_end();
		}
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		content = record_case_read_log(record_case_path, "site 99999");
		ck_assert_uint_eq(content.named, 1);
		ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 100000);
		ck_assert_uint_eq(record_case_lost(&content), 0);
		ck_assert_uint_eq(
			record_case_read_log(record_case_path, "(unnamed)")
				.named,
			0);
	}
}
END_TEST

START_TEST(long_names_are_all_there)
{
	static char name[16001];
	struct case_content content;

	record_case_start(CTP_POLICY_BLOCK, 256 * 1024);
	for (int i = 0; i < 200; i++) {
		memset(name, 'a' + i % 26, sizeof(name) - 1);
		(void)snprintf(name, 16, "%d", i);
		name[strlen(name)] = '-';
		record_case_begin(name);
		ctp_end();
	}
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, name);
	ck_assert_uint_eq(content.named, 1);
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 200);
	ck_assert_uint_eq(
		record_case_read_log(record_case_path, "(unnamed)").named, 0);
}
END_TEST

/* One byte less is not a loss. Meeting a name again adds no loss in this
 * recording; the next one, which has the same sites, counts it. */
START_TEST(longer_names_are_cut_and_counted)
{
	static char name[16002];
	struct case_content content;

	for (int i = 0; i < 2; i++) {
		record_case_start(CTP_POLICY_BLOCK, 256 * 1024);
		memset(name, 'n', sizeof(name) - 1);
		for (int j = 0; j < 3; j++) {
			record_case_begin(name);
			ctp_end();
		}
		ctp_thread_name(name);
		name[16000] = '\0';
		record_case_begin(name + 1);
		ctp_end();
		ctp_thread_name(name);
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		content = record_case_read_log(record_case_path, name);
		ck_assert_uint_eq(content.named, 3);
		ck_assert_uint_eq(content.losses[LOSS_CUT_TEXT], 2);
		ck_assert_uint_eq(content.tracks, 1);
	}
}
END_TEST

static pthread_barrier_t named;

/* As most programs do: the thread is in its first function by then. */
static void *name_late(void *own)
{
	record_case_begin("run");
	if (own != NULL)
		ctp_thread_name(own);
	ck_assert_int_eq(pthread_setname_np(pthread_self(), "late"), 0);
	(void)pthread_barrier_wait(&named);
	(void)pthread_barrier_wait(&named);
	return NULL;
}

START_TEST(threads_that_live_on_have_the_names_they_gave_themselves)
{
	static char own[] = "own";
	static char *const names[] = {NULL, own};

	for (int i = 0; i < 2; i++) {
		struct case_content content;
		pthread_t thread;

		(void)pthread_barrier_init(&named, NULL, 2);
		record_case_start(CTP_POLICY_BLOCK, 256 * 1024);
		ck_assert_int_eq(
			pthread_create(&thread, NULL, name_late, names[i]), 0);
		(void)pthread_barrier_wait(&named);
		ck_assert_int_eq(ctp_stop(), CTP_OK);
		(void)pthread_barrier_wait(&named);
		join_all(&thread, 1);
		content = record_case_read_log(record_case_path, "run");
		ck_assert_uint_eq(content.tracks, 1);
		ck_assert_str_eq(content.thread_name, i == 0 ? "late" : "own");
		(void)pthread_barrier_destroy(&named);
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_thread");
	TCase *tests = tcase_create("record_thread");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, ten_thousand_short_threads_take_little_memory);
	tcase_add_test(tests, a_thousand_recordings_leave_nothing_behind);
	tcase_add_test(tests, many_first_events_at_once_begin_one_recording);
	tcase_add_test(tests, cancelled_and_exited_threads_are_whole);
	/* Sanitizers have marks on the stack and state in that storage. */
	if (!CASE_SANITIZED) {
		tcase_add_test(
			tests, threads_cancelled_at_any_moment_hold_nothing_up);
		tcase_add_test(tests,
			a_thread_without_storage_records_for_its_creator);
	}
	tcase_add_test(tests, a_hundred_thousand_sites_are_all_there);
	tcase_add_test(tests, long_names_are_all_there);
	tcase_add_test(tests, longer_names_are_cut_and_counted);
	tcase_add_test(tests,
		threads_that_live_on_have_the_names_they_gave_themselves);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
