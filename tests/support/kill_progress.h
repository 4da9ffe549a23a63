/* SPDX-License-Identifier: MIT */
/* How far the threads of tests/support/kill_program.c got, in a file that is mapped
 * shared: a killed process has stored what it had stored. */
#ifndef KILL_PROGRESS_H
#define KILL_PROGRESS_H

#include <stdatomic.h>

#define KILL_THREADS_MAX 64

struct kill_thread {
	_Atomic long tid;
	_Atomic long count; /* ranges that were recorded */
	char rest[48];      /* of the cache line */
};

struct kill_progress {
	_Atomic long pid;
	char log[4096]; /* ""; between two recordings */
	struct kill_thread threads[KILL_THREADS_MAX];
};

#endif
