/* SPDX-License-Identifier: MIT */
/*
 * last_program MODE: records 100,000 rounds of 4 events within the range "main",
 * then does what MODE names.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ctprof.h"

#define ROUNDS 100000

static struct ctp_site outer = {"outer", __FILE__, __LINE__, 0};
static struct ctp_site inner = {"inner", __FILE__, __LINE__, 0};
static struct ctp_site left = {"left", __FILE__, __LINE__, 0};
static struct ctp_site first = {"first", __FILE__, __LINE__, 0};
static struct ctp_site second = {"second", __FILE__, __LINE__, 0};
static struct ctp_site whole = {"main", __FILE__, __LINE__, 0};

static void rounds(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		ctp_begin(&outer);
		ctp_begin(&inner);
		ctp_end();
		ctp_end();
	}
}

static void *thread(void *unused)
{
	rounds();
	return unused;
}

/* Ends within ranges, so that their begins stay open. */
static void *thread_left(void *unused)
{
	ctp_begin(&left);
	rounds();
	return unused;
}

static void run_threads(void *(*function)(void *))
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, function, NULL) != 0)
			exit(1);
	for (int i = 0; i < 4; i++)
		(void)pthread_join(threads[i], NULL);
}

/* Waits until the background thread has had the signal. */
static void pause_briefly(void)
{
	const struct timespec rest = {0, 500000000};

	(void)nanosleep(&rest, NULL);
}

static void run_fork(void)
{
	pid_t child = fork();

	rounds();
	if (child != 0)
		(void)waitpid(child, NULL, 0);
}

/* Ranges that are closed between two dumps, and others that are not. */
static void run_dumps(void)
{
	ctp_begin(&first);
	(void)ctp_flush();
	ctp_end();
	ctp_begin(&second);
	rounds();
	(void)ctp_flush();
	ctp_end();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	ctp_begin(&whole);
	rounds();
	if (strcmp(mode, "kill") == 0)
		(void)raise(SIGKILL);
	if (strcmp(mode, "crash") == 0)
		(void)raise(SIGSEGV);
	if (strcmp(mode, "_exit") == 0)
		_exit(0);
	if (strcmp(mode, "signal") == 0) {
		(void)raise(argc > 2 ? atoi(argv[2]) : SIGUSR2);
		pause_briefly();
		(void)printf("dumped\n");
		(void)fflush(stdout);
		if (argc > 3)
			(void)system(argv[3]);
		rounds();
	}
	if (strcmp(mode, "threads") == 0)
		run_threads(thread);
	if (strcmp(mode, "left") == 0)
		run_threads(thread_left);
	if (strcmp(mode, "fork") == 0)
		run_fork();
	if (strcmp(mode, "dumps") == 0)
		run_dumps();
	ctp_end();
	return 0;
}
