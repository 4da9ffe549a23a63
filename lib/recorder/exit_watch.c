/* SPDX-License-Identifier: MIT */
#include "recorder/exit_watch.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pack/process.h"
#include "recorder/thread_state.h"

static struct {
	pthread_key_t key;
	bool has_key;
	_Atomic bool first_ends; /* its destructors run or have run */
	_Atomic uint32_t holds;  /* odd: held */
	sigset_t mask;
} last;

static void first_has_ended(void *unused)
{
	(void)unused;
	atomic_store(&last.first_ends, true);
}

void exit_watch_start(void)
{
	/* The C library may allocate here. */
	const struct thread_hold before = thread_hold();

	atomic_store(&last.first_ends, false);
	atomic_store(&last.holds, 0);
	if (!last.has_key)
		last.has_key =
			pthread_key_create(&last.key, first_has_ended) == 0;
	/* pthread_exit() calls the destructor, exit() does not. */
	if (last.has_key && syscall(SYS_gettid) == getpid())
		(void)pthread_setspecific(last.key, &last);
	thread_release(before);
}

void exit_watch_hold(bool on)
{
	if ((atomic_load(&last.holds) % 2 != 0) != on)
		atomic_fetch_add(&last.holds, 1);
}

static bool is_called(const char *number, const char *name)
{
	char found[PROCESS_THREAD_NAME];

	return process_thread_name(number, found) && strcmp(found, name) == 0;
}

/* Number of threads for the recording of devices. Without any hold there are
 * none, and threads of that name are the program's. */
static long count_device_threads(uint32_t holds)
{
	DIR *tasks = holds == 0 ? NULL : opendir("/proc/self/task");
	const struct dirent *task;
	long count = 0;

	while (tasks != NULL && (task = readdir(tasks)) != NULL)
		count += is_called(task->d_name, DEVICE_THREAD);
	if (tasks != NULL)
		(void)closedir(tasks);
	return count;
}

/* Number of threads if the first one has ended; else 0. */
static long count_threads(void)
{
	long threads;

	return process_state(getpid(), &threads) == 'Z' ? threads : 0;
}

/* Whether the first thread and all others except the library's have ended.
 * Counting twice excludes that some threads started while others ended. */
static bool is_alone(void)
{
	const uint32_t holds = atomic_load(&last.holds);
	const long threads = count_threads();

	return threads > 0 && holds % 2 == 0 &&
	       threads == 2 + count_device_threads(holds) &&
	       threads == count_threads() && holds == atomic_load(&last.holds);
}

static void *end_program(void *unused)
{
	(void)unused;
	(void)pthread_sigmask(SIG_SETMASK, &last.mask, NULL);
	exit(0);
}

void exit_watch_check(const sigset_t *mask)
{
	pthread_t thread;

	if (!atomic_load(&last.first_ends) || !is_alone())
		return;
	last.mask = *mask;
	if (pthread_create(&thread, NULL, end_program, NULL) == 0)
		(void)pthread_detach(thread);
}
