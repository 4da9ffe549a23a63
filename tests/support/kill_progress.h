/* SPDX-License-Identifier: MIT */
/* The progress of the threads of tests/support/kill_program.c, in a file that
 * is mapped shared: stores of a killed process stay. */
#ifndef KILL_PROGRESS_H
#define KILL_PROGRESS_H

#include <stdatomic.h>

#define KILL_THREADS_MAX 64

struct kill_thread {
	_Atomic long tid;
	_Atomic long count; /* recorded ranges */
	char rest[48];      /* fills the cache line */
};

struct kill_progress {
	_Atomic long pid;
	char log[4096]; /* ""; between two recordings */
	struct kill_thread threads[KILL_THREADS_MAX];
};

#endif
