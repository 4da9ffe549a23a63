/* SPDX-License-Identifier: MIT */
#include "base/thread.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

/* More threads would wait for the user's. */
#define HALF_MAX 8

bool thread_start(pthread_t *thread, void *(*run)(void *user), void *user)
{
	/* A fault's signal ends the process in any thread. */
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	sigset_t all;
	sigset_t old;
	int failed;

	(void)sigfillset(&all);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		(void)sigdelset(&all, faults[i]);
	if (pthread_sigmask(SIG_SETMASK, &all, &old) != 0)
		return false;
	failed = pthread_create(thread, NULL, run, user);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	return failed == 0;
}

unsigned thread_processors(void)
{
	cpu_set_t allowed;
	long online;

	/* It fails on machines with more processors than the set has. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		return (unsigned)CPU_COUNT(&allowed);
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned)online : 1;
}

unsigned thread_share(unsigned jobs, size_t count)
{
	if (jobs == 0)
		jobs = thread_processors();
	return count < jobs ? jobs / (unsigned)count : 1;
}

unsigned thread_half(unsigned jobs)
{
	if (jobs == 0)
		jobs = thread_processors();
	if (jobs < 3)
		return 0;
	return jobs < 2 * HALF_MAX ? (jobs + 1) / 2 : HALF_MAX;
}
