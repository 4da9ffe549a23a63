/* SPDX-License-Identifier: MIT */
/*
 * kill_program END THREADS RANGES MICROSECONDS: the program that
 * tests/lib/recorder/kill.sh kills. Each thread records ranges and after each
 * reports their number: in the shared file $PROGRESS, and with $LINES as a line
 * "TID COUNT" on stdout. The kernel kills the program after MICROSECONDS (0:
 * never), at any instruction of its threads. A thread that has recorded all its
 * RANGES (0: without end) dies by END.
 */
#include <ctprof.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kill_progress.h"

static struct kill_progress *progress;
static int prints_lines;
static long range_count;
static int thread_count;

static void map_progress(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0 || ftruncate(fd, sizeof(*progress)) != 0)
		exit(99);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
		MAP_SHARED, fd, 0);
	(void)close(fd);
	if (progress == MAP_FAILED)
		exit(99);
}

static void die_after(long microseconds)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	struct itimerspec when = {.it_value = {microseconds / 1000000,
					  microseconds % 1000000 * 1000}};
	timer_t timer;

	if (microseconds > 0 &&
		(timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
			timer_settime(timer, 0, &when, NULL) != 0))
		exit(99);
}

static void step(long i)
{
	CTP_SCOPE("step");

	/* Every eighth is a record of several words. */
	if (i % 8 == 0)
		ctp_arg_int("i", i);
}

static void *work(void *argument)
{
	struct kill_thread *thread = argument;
	long tid = (long)syscall(SYS_gettid);

	atomic_store(&thread->tid, tid);
	for (long i = 1; range_count == 0 || i <= range_count; i++) {
		step(i);
		atomic_store_explicit(&thread->count, i, memory_order_release);
		if (prints_lines) {
			char line[64];
			int size = snprintf(
				line, sizeof(line), "%ld %ld;\n", tid, i);

			if (write(STDOUT_FILENO, line, (size_t)size) != size)
				exit(99);
		}
	}
	return NULL;
}

/* The first of the threads is main's. */
static void run_threads(void)
{
	pthread_t threads[KILL_THREADS_MAX];

	for (int i = 1; i < thread_count; i++)
		if (pthread_create(&threads[i], NULL, work,
			    &progress->threads[i]) != 0)
			exit(99);
	(void)work(&progress->threads[0]);
	for (int i = 1; i < thread_count; i++)
		(void)pthread_join(threads[i], NULL);
}

/* One recording after the other. */
static void end_restart(void)
{
	(void)ctp_stop(); /* the current one */
	for (;;) {
		progress->log[0] = '\0';
		for (int i = 0; i < KILL_THREADS_MAX; i++)
			atomic_store(&progress->threads[i].count, 0);
		if (ctp_start(NULL) != CTP_OK) /* until no more names are
					        * free */
			(void)pause();
		(void)snprintf(progress->log, sizeof(progress->log), "%s",
			ctp_status() + strlen("recording to "));
		run_threads();
		if (ctp_stop() != CTP_OK)
			exit(99);
	}
}

static void *fork_on(void *argument)
{
	(void)argument;
	for (;;) {
		pid_t child = fork();

		if (child == 0) {
			CTP_SCOPE("child");
			_exit(0);
		}
		(void)waitpid(child, NULL, 0);
	}
	return NULL;
}

/* One thread forks while the others record. */
static void end_fork(void)
{
	pthread_t thread;

	range_count = 0;
	if (pthread_create(&thread, NULL, fork_on, NULL) != 0)
		exit(99);
	run_threads();
}

static int recurse(int depth)
{
	CTP_FUNCTION();
	volatile char frame[1024];

	frame[0] = (char)depth;
	return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}

static void end_overflow(void)
{
	struct rlimit limit = {256 * 1024, 256 * 1024};

	(void)setrlimit(RLIMIT_STACK, &limit);
	(void)recurse(0);
}

/* No more memory, for the program and for the recorder. */
static void end_memory(void)
{
	struct rlimit limit = {0, 0};
	void *volatile memory; /* otherwise the compiler may omit it, and assume
			        * success */

	(void)setrlimit(RLIMIT_AS, &limit);
	range_count *= 2;
	for (long i = range_count / 2 + 1; i <= range_count; i++) {
		step(i);
		atomic_store(&progress->threads[0].count, i);
	}
	memory = malloc(256 * 1024 * 1024);
	if (memory == NULL)
		abort();
}

/* The disk is full, for the program; it continues recording, and ends well. */
static void end_disk(void)
{
	struct rlimit limit = {4096, RLIM_INFINITY};

	(void)signal(SIGXFSZ, SIG_IGN);
	(void)setrlimit(RLIMIT_FSIZE, &limit);
	for (int i = 0; i < 200000; i++) {
		CTP_SCOPE("more");
	}
}

static void end_exec(void)
{
	(void)setenv("PROGRESS", getenv("PROGRESS2"), 1);
	(void)execl("/proc/self/exe", "kill_program", "_exit", "2", "5000", "0",
		(char *)NULL);
}

/* Records some more, and lives until it is killed. */
static void live_on(void)
{
	map_progress(getenv("PROGRESS2"));
	atomic_store(&progress->pid, (long)getpid());
	thread_count = 1;
	run_threads();
	for (;;)
		(void)pause();
}

static void end_daemon(void)
{
	if (daemon(1, 1) != 0)
		exit(99);
	live_on();
}

/* The same, but its parent waits until it records. */
static void end_child(void)
{
	struct timespec rest = {0, 1000000};

	if (fork() == 0)
		live_on();
	map_progress(getenv("PROGRESS2"));
	while (atomic_load(&progress->threads[0].count) < range_count)
		(void)nanosleep(&rest, NULL);
}

static void end_stop(void)
{
	(void)raise(SIGSTOP);
}

static void end_exit(void)
{
	_exit(0);
}

static const struct end {
	const char *name;
	void (*call)(void);
} ends[] = {{"abort", abort}, {"_exit", end_exit}, {"restart", end_restart},
	{"fork", end_fork}, {"overflow", end_overflow}, {"memory", end_memory},
	{"exec", end_exec}, {"daemon", end_daemon}, {"child", end_child},
	{"disk", end_disk}, {"stop", end_stop}};

int main(int argc, char **argv)
{
	const char *name = argc == 5 ? argv[1] : "";

	if (argc != 5)
		return 99;
	prints_lines = getenv("LINES") != NULL;
	map_progress(getenv("PROGRESS"));
	atomic_store(&progress->pid, (long)getpid());
	thread_count = (int)strtol(argv[2], NULL, 10);
	range_count = strtol(argv[3], NULL, 10);
	die_after(strtol(argv[4], NULL, 10));
	if (strcmp(name, "restart") != 0 && strcmp(name, "fork") != 0)
		run_threads();
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strcmp(ends[i].name, name) == 0)
			ends[i].call();
	return 0;
}
