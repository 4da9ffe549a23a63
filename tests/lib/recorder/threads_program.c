/* SPDX-License-Identifier: MIT */
/*
 * Threads that are alive at the same time, each with RANGES ranges: all record
 * once all exist, and end once all have recorded.
 *
 *	threads_program THREADS [kill]    the process kills itself before the end
 *	threads_program THREADS dropping  prints the picoseconds of a range in
 *	                                  the main thread, while all live; the
 *	                                  log should be a pipe that is not read
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctprof.h"

#define STACK_BYTES ((size_t)64 * 1024)
#define RANGES 200 /* every second one in the one before */
#define WORK 300   /* steps of an inner range, about 200 ns */

#define FILL 100000
#define MEASURED 1000000

static pthread_barrier_t barrier;

static __attribute__((noinline)) void work(void)
{
	for (int i = 0; i < WORK; i++)
		__asm__ __volatile__("");
}

static void *record(void *argument)
{
	(void)pthread_barrier_wait(&barrier);
	for (int i = 0; i < RANGES / 2; i++) {
		CTP_SCOPE("outer");
		{
			CTP_SCOPE("inner");
			work();
		}
	}
	(void)pthread_barrier_wait(&barrier);
	return argument;
}

static int64_t thread_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void measure(void)
{
	int64_t start_ns;

	for (int i = 0; i < FILL; i++) {
		CTP_SCOPE("fill");
	}
	start_ns = thread_ns();
	for (int i = 0; i < MEASURED; i++) {
		CTP_SCOPE("dropped");
	}
	printf("%" PRId64 "\n", (thread_ns() - start_ns) * 1000 / MEASURED);
	(void)fflush(stdout);
	(void)raise(SIGKILL); /* a log that nobody reads has no end */
}

static unsigned start(pthread_t *threads, unsigned count)
{
	pthread_attr_t attributes;
	unsigned made = 0;

	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	while (made < count &&
		pthread_create(&threads[made], &attributes, record, NULL) == 0)
		made++;
	(void)pthread_attr_destroy(&attributes);
	return made;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100;
	const char *mode = argc > 2 ? argv[2] : "";
	pthread_t *threads = calloc(count, sizeof(*threads));

	if (threads == NULL ||
		pthread_barrier_init(&barrier, NULL, count + 1) != 0)
		return 1;
	if (start(threads, count) < count) {
		fprintf(stderr, "threads_program: the system allows fewer "
				"threads\n");
		return 77;
	}
	(void)pthread_barrier_wait(&barrier);
	if (strcmp(mode, "dropping") == 0)
		measure();
	(void)pthread_barrier_wait(&barrier);
	if (strcmp(mode, "kill") == 0)
		(void)raise(SIGKILL);
	for (unsigned i = 0; i < count; i++)
		(void)pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
