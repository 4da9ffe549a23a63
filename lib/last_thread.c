/* SPDX-License-Identifier: MIT */
#include "last_thread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"
#include "thread.h"

static struct {
	pthread_key_t key;
	bool has_key;
	_Atomic bool first_ends; /* its destructors are running, or done */
	sigset_t mask;
} last;

static void note_first(void *unused)
{
	(void)unused;
	atomic_store(&last.first_ends, true);
}

void last_thread_watch(void)
{
	/* The C library may allocate here. */
	const struct thread_hold before = thread_hold();

	atomic_store(&last.first_ends, false);
	if (!last.has_key)
		last.has_key = pthread_key_create(&last.key, note_first) == 0;
	/* The destructor is called by pthread_exit(), but not by exit(). */
	if (last.has_key && syscall(SYS_gettid) == getpid())
		(void)pthread_setspecific(last.key, &last);
	thread_release(before);
}

/* Has the first thread ended, and all but the calling one? */
static bool is_alone(void)
{
	long threads;

	return process_state(getpid(), &threads) == 'Z' && threads == 2;
}

static void *end_program(void *unused)
{
	(void)unused;
	(void)pthread_sigmask(SIG_SETMASK, &last.mask, NULL);
	exit(0);
}

void last_thread_look(const sigset_t *mask)
{
	pthread_t thread;

	if (!atomic_load(&last.first_ends) || !is_alone())
		return;
	last.mask = *mask;
	if (pthread_create(&thread, NULL, end_program, NULL) == 0)
		(void)pthread_detach(thread);
}
