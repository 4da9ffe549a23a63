/* SPDX-License-Identifier: MIT */
/*
 * A recorder is killed after each instruction of a sequence that must be
 * atomic: a chunk's part in the log is journaled, the chunk cleared, returned,
 * taken again and written to. And the whole of libctprof is killed at each of
 * its system calls, from the start of a recording to its stop.
 */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recover_case.h"
#include "support/run_suite.h"

/* The number of kills, spread over all instructions or calls; RECOVER_KILLS. */
#define KILLS 100

static struct hand hand;

/* Recorded ranges, as reported by the killed process. */
static _Atomic uint64_t *told;

static void set_up(void)
{
	record_case_set_up();
	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(told, MAP_FAILED);
}

static void tear_down(void)
{
	(void)munmap(told, 4096);
	record_case_tear_down();
}

/* Instructions or calls from one kill to the next. */
static long stride_of(long all)
{
	const char *asked = getenv("RECOVER_KILLS");
	long kills = asked == NULL ? KILLS : strtol(asked, NULL, 10);

	return all / (kills > 0 ? kills : 1) + 1;
}

/* One range, in consecutive words. */
static void record(struct chunk *chunk, uint32_t *used, uint64_t ticks)
{
	__atomic_store_n(&chunk->words[(*used)++],
		(UINT64_C(1) << CTP_TICK_BITS) + ticks, __ATOMIC_RELEASE);
	__atomic_store_n(
		&chunk->words[(*used)++], ticks + 1000, __ATOMIC_RELEASE);
	atomic_fetch_add(told, 1);
}

/* In the child: the stepped code is between the two stops. */
static _Noreturn void record_by_hand(void)
{
	uint64_t later = 1000000;
	struct chunk *chunk;
	uint32_t consumed;
	uint32_t used = 0;

	hand_open(&hand, 2);
	hand_begin_log(&hand);
	chunk = hand_take(&hand, 1, 0);
	for (int i = 0; i < 3; i++)
		record(chunk, &used, hand.start + later++ * 2000);
	consumed = hand_write(&hand, chunk);
	(void)raise(SIGSTOP);
	record(chunk, &used, hand.start + later++ * 2000);
	hand_commit(&hand, chunk, consumed);
	hand_commit(&hand, chunk, consumed);
	(void)raise(SIGSTOP);
	consumed = hand_write(&hand, chunk);
	(void)raise(SIGSTOP);
	hand_commit(&hand, chunk, consumed);
	spool_push_free(&hand.spool, chunk);
	chunk = hand_take(&hand, 1, 1);
	used = 0;
	record(chunk, &used, hand.start + later++ * 2000);
	record(chunk, &used, hand.start + later++ * 2000);
	(void)raise(SIGSTOP);
	_exit(0);
}

static int wait_for(pid_t child)
{
	int status = 0;

	ck_assert_int_eq(waitpid(child, &status, __WALL), child);
	return status;
}

static bool has_stopped(int status)
{
	return WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP;
}

/* A traced child at its first stop. */
static pid_t start_child(void)
{
	pid_t child;

	atomic_store(told, 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
			_exit(99);
		record_by_hand();
	}
	ck_assert(has_stopped(wait_for(child)));
	return child;
}

/* Steps through up to `most` instructions between the first two stops and the
 * last two; returns their number. */
static long step(pid_t child, long most)
{
	long steps = 0;

	for (int stops = 1; stops < 4 && steps < most;) {
		int status;

		if (stops == 2) { /* packing: no new instructions */
			ck_assert_int_eq(
				ptrace(PTRACE_CONT, child, NULL, NULL), 0);
			steps--;
		} else {
			ck_assert_int_eq(
				ptrace(PTRACE_SINGLESTEP, child, NULL, NULL),
				0);
		}
		steps++;
		status = wait_for(child);
		ck_assert(WIFSTOPPED(status));
		stops += has_stopped(status);
	}
	return steps;
}

static void kill_child(pid_t child)
{
	(void)kill(child, SIGKILL);
	/* It has ended when all of its threads have been waited for. */
	while (waitpid(-1, NULL, __WALL) > 0)
		;
}

START_TEST(killed_at_any_instruction_it_loses_nothing)
{
	pid_t child = start_child();
	long all = step(child, 1000000);
	long stride = stride_of(all);

	kill_child(child);
	ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	for (long most = 0; most < all + stride; most += stride) {
		struct case_content content;
		uint64_t least;

		child = start_child();
		(void)step(child, most);
		kill_child(child);
		ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
		content = record_case_read_log(record_case_path, "inner");
		least = atomic_load(told);
		ck_assert_uint_ge(content.kinds[EVENT_END], least);
		ck_assert_uint_le(content.kinds[EVENT_BEGIN], least + 1);
		ck_assert(content.ordered);
		ck_assert_uint_eq(record_case_lost(&content) -
					  content.losses[LOSS_OPEN_RANGES],
			0);
	}
}
END_TEST

static void *record_ranges(void *argument)
{
	_Atomic uint64_t *count = argument;

	for (int i = 0; i < 30000; i++) {
		(void)record_case_early_return(1);
		atomic_fetch_add(count, 1);
	}
	return NULL;
}

/* In the child: a whole recording, whose spool grows. */
static _Noreturn void record_for_real(void)
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	pthread_t thread;

	options.out = record_case_path;
	options.spool = record_case_directory;
	options.policy = CTP_POLICY_GROW;
	options.buffer_bytes = 256 * 1024;
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(99);
	(void)raise(SIGSTOP);
	if (ctp_start(&options) != CTP_OK ||
		pthread_create(&thread, NULL, record_ranges, told + 1) != 0)
		_exit(99);
	(void)record_ranges(told);
	(void)ctp_flush();
	(void)pthread_join(thread, NULL);
	_exit(ctp_stop() == CTP_OK ? 0 : 98);
}

/* Lets all threads of the child run from system call to system call, up to
 * `most`; returns their number, less if it ended. */
static long trace_calls(pid_t child, long most)
{
	long calls = 0;

	ck_assert(has_stopped(wait_for(child)));
	ck_assert_int_eq(ptrace(PTRACE_SETOPTIONS, child, NULL,
				 PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL),
		0);
	ck_assert_int_eq(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
	while (calls < most) {
		int status;
		pid_t thread = waitpid(-1, &status, __WALL);

		ck_assert_int_gt(thread, 0);
		if (WIFEXITED(status) && thread == child) {
			ck_assert_int_eq(WEXITSTATUS(status), 0);
			return calls;
		}
		if (!WIFSTOPPED(status))
			continue;
		calls++;
		if (calls < most)
			(void)ptrace(PTRACE_SYSCALL, thread, NULL, NULL);
	}
	return calls;
}

static pid_t start_recording(void)
{
	pid_t child;

	atomic_store(told, 0);
	atomic_store(told + 1, 0);
	(void)unlink(record_case_path);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		record_for_real();
	return child;
}

/* The killed recorder's log, if it had created one. */
static void expect_all(void)
{
	uint64_t least = atomic_load(told) + atomic_load(told + 1);
	struct case_content content;
	struct stat log;

	if (hand_spool()[0] != '\0')
		ck_assert_int_eq(hand_recover(NULL, NULL), CTP_OK);
	if (stat(record_case_path, &log) != 0 || log.st_size == 0) {
		ck_assert_uint_eq(least, 0);
		return;
	}
	content = record_case_read_log(record_case_path, "early");
	ck_assert_uint_ge(content.kinds[EVENT_END], least);
	ck_assert_uint_le(content.kinds[EVENT_BEGIN], least + 2);
	ck_assert_uint_eq(content.named, content.kinds[EVENT_BEGIN]);
	ck_assert(content.ordered);
	ck_assert_uint_eq(
		record_case_lost(&content) - content.losses[LOSS_OPEN_RANGES],
		0);
}

START_TEST(killed_at_any_system_call_it_loses_nothing)
{
	pid_t child = start_recording();
	long all = trace_calls(child, 1000000);
	long stride = stride_of(all);

	expect_all();
	for (long most = 1; most < all; most += stride) {
		child = start_recording();
		(void)trace_calls(child, most);
		kill_child(child);
		expect_all();
	}
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("recover_step");
	TCase *tests = tcase_create("recover_step");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, killed_at_any_instruction_it_loses_nothing);
	tcase_add_test(tests, killed_at_any_system_call_it_loses_nothing);
	suite_add_tcase(suite, tests);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
