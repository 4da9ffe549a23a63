/* SPDX-License-Identifier: MIT */
/* Forked children have their own logs, which begin with the open ranges; the
 * parent's recording continues unchanged. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record_case.h"
#include "support/run_suite.h"

START_TEST(a_child_begins_with_the_open_ranges)
{
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	record_case_begin("over");
	ctp_end();
	record_case_begin("b");
	child = fork();
	if (child == 0) {
		record_case_begin("c");
		ctp_end();
		ctp_end();
		ctp_end();
		record_case_begin("d");
		ctp_end();
		record_case_leave();
	}
	record_case_wait(child);
	ctp_end();
	ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	record_case_expect(record_case_child_path(child),
		"begin a; arg inherited=1; begin b; arg inherited=1; "
		"begin c; end; end; end; begin d; end; ");
	record_case_expect(record_case_path,
		"begin a; begin over; end; begin b; end; "
		"end; ");
}
END_TEST

START_TEST(open_ranges_are_known_in_every_child)
{
	/* In the log; in full chunks; in the live one. */
	struct case_content content;
	char name[32];
	pid_t child;
	char *events;

	record_case_start(CTP_POLICY_GROW, 1024 * 1024);
	record_case_begin("first");
	for (int i = 0; i < 9; i++) {
		(void)snprintf(name, sizeof(name), "n%d", i);
		for (int k = 0; k < 6000; k++)
			(void)record_case_early_return(0);
		if (i == 4)
			ck_assert_int_eq(ctp_flush(), CTP_OK);
		record_case_begin(name);
	}
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 10; i++)
			ctp_end();
		record_case_leave();
	}
	record_case_wait(child);
	for (int i = 0; i < 10; i++)
		ctp_end();
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	events = record_case_read_events(record_case_child_path(child));
	ck_assert_ptr_nonnull(strstr(events,
		"begin first; arg inherited=1; begin n0; arg inherited=1; "));
	ck_assert_ptr_nonnull(strstr(events,
		"begin n8; arg inherited=1; end; end; end; end; end; end; "
		"end; end; end; end; "));
	free(events);
	content = record_case_read_log(record_case_child_path(child), "n4");
	ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 10);
	ck_assert_int_eq(content.depth, 0);
	ck_assert_uint_eq(record_case_lost(&content), 0);
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_eq(content.named, 9 * 6000);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

START_TEST(ranges_too_deep_to_be_inherited_end_as_well)
{
	struct case_content content;
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	for (int i = 0; i < 2000; i++)
		record_case_begin("deep");
	child = fork();
	if (child == 0) {
		for (int i = 0; i < 1900; i++)
			ctp_end();
		record_case_begin("after");
		ctp_end();
		record_case_leave();
	}
	record_case_wait(child);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_child_path(child), "deep");
	ck_assert_uint_eq(content.named, 1024);
	ck_assert_uint_eq(content.losses[LOSS_DROPPED_RANGES], 2000 - 1024);
	/* 100 of them are left open, and closed by the reader. */
	ck_assert_uint_eq(content.kinds[EVENT_END], 1024 - 100 + 1);
	content = record_case_read_log(record_case_child_path(child), "after");
	ck_assert_uint_eq(content.named, 1);
}
END_TEST

START_TEST(a_child_of_a_child_inherits_from_both)
{
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	child = fork();
	if (child == 0) {
		record_case_begin("b");
		child = fork();
		if (child == 0) {
			record_case_begin("c");
			ctp_end();
			record_case_leave_as(1);
		}
		record_case_wait(child);
		record_case_leave();
	}
	record_case_wait(child);
	record_case_expect(record_case_child_path(1),
		"begin a; arg inherited=1; begin b; "
		"arg inherited=1; begin c; end; ");
	record_case_expect(record_case_child_path(child),
		"begin a; arg inherited=1; begin b; ");
	ck_assert_int_eq(ctp_stop(), CTP_OK);
}
END_TEST

START_TEST(open_ranges_pass_through_a_silent_child)
{
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	child = fork();
	if (child == 0) {
		child = fork();
		if (child == 0) {
			ctp_end();
			record_case_begin("b");
			ctp_end();
			record_case_leave_as(1);
		}
		record_case_wait(child);
		record_case_leave();
	}
	record_case_wait(child);
	record_case_expect(record_case_child_path(1),
		"begin a; arg inherited=1; end; begin b; end; ");
	ck_assert_int_eq(access(record_case_child_path(child), F_OK), -1);
}
END_TEST

static void *fork_here(void *result)
{
	pid_t child;

	record_case_begin("thread's");
	child = fork();
	if (child == 0) {
		record_case_begin("child's");
		ctp_end();
		record_case_leave();
	}
	ctp_end();
	*(pid_t *)result = child;
	return NULL;
}

START_TEST(a_child_inherits_from_the_thread_that_forked)
{
	pthread_t thread;
	pid_t child = -1;

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("main's");
	ck_assert_int_eq(pthread_create(&thread, NULL, fork_here, &child), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	record_case_wait(child);
	record_case_expect(record_case_child_path(child),
		"begin thread's; arg inherited=1; begin child's; end; ");
}
END_TEST

static void *record_one(void *name)
{
	record_case_begin(name);
	ctp_end();
	return NULL;
}

START_TEST(it_is_there_even_if_another_thread_records_first)
{
	static char name[] = "other";
	pthread_t thread;
	char *events;
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	record_case_begin("a");
	child = fork();
	if (child == 0) {
		if (pthread_create(&thread, NULL, record_one, name) != 0 ||
			pthread_join(thread, NULL) != 0)
			_exit(1);
		record_case_leave();
	}
	record_case_wait(child);
	events = record_case_read_events(record_case_child_path(child));
	ck_assert_ptr_nonnull(strstr(events, "begin a; arg inherited=1; "));
	ck_assert_ptr_nonnull(strstr(events, "begin other; end; "));
	free(events);
}
END_TEST

START_TEST(timelines_are_not_inherited)
{
	pid_t child;

	record_case_start(CTP_POLICY_BLOCK, 0);
	ctp_begin_at(ctp_site_intern("given", NULL, 0), 5);
	child = fork();
	if (child == 0) {
		record_case_begin("a");
		ctp_end();
		record_case_leave();
	}
	record_case_wait(child);
	ctp_end_at(6);
	record_case_expect(record_case_child_path(child), "begin a; end; ");
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

/* ThreadSanitizer takes 0.4 s for a fork beside threads. */
static int count_forks(void)
{
	const char *text = getenv("RECORD_FORKS");

	return text ? atoi(text) : 200;
}

START_TEST(forks_do_not_disturb_threads_that_record)
{
	struct case_content content;
	pthread_t threads[3];
	int forks = count_forks();

	record_case_start(CTP_POLICY_BLOCK, 512 * 1024);
	going = 1;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL,
					 record_until_told, NULL),
			0);
	record_case_begin("root");
	for (int i = 0; i < forks; i++) {
		pid_t child = fork();

		if (child == 0) {
			if (i % 20 != 0)
				_exit(0);
			(void)record_case_early_return(0);
			record_case_leave();
		}
		record_case_wait(child);
		if (i % 20 != 0)
			continue;
		content = record_case_read_log(
			record_case_child_path(child), "root");
		ck_assert_uint_eq(content.named, 1);
		ck_assert_uint_eq(content.kinds[EVENT_BEGIN], 3);
		ck_assert_int_eq(unlink(record_case_child_path(child)), 0);
	}
	ctp_end();
	__atomic_store_n(&going, 0, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	ck_assert_int_eq(ctp_stop(), CTP_OK);
	content = record_case_read_log(record_case_path, "root");
	ck_assert_uint_eq(content.named, 1);
	ck_assert_int_eq(content.depth, 0);
	ck_assert(content.ordered);
	ck_assert_uint_eq(record_case_lost(&content), 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("record_fork");
	TCase *tests = tcase_create("record_fork");

	tcase_add_checked_fixture(
		tests, record_case_set_up, record_case_tear_down);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_child_begins_with_the_open_ranges);
	tcase_add_test(tests, open_ranges_are_known_in_every_child);
	tcase_add_test(tests, ranges_too_deep_to_be_inherited_end_as_well);
	tcase_add_test(tests, a_child_of_a_child_inherits_from_both);
	tcase_add_test(tests, open_ranges_pass_through_a_silent_child);
	tcase_add_test(tests, a_child_inherits_from_the_thread_that_forked);
	tcase_add_test(tests, it_is_there_even_if_another_thread_records_first);
	tcase_add_test(tests, timelines_are_not_inherited);
	tcase_add_test(tests, forks_do_not_disturb_threads_that_record);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
