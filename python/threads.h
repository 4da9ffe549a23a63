/* SPDX-License-Identifier: MIT */
/* The threads that the tracer has seen. */
#ifndef PYTHON_THREADS_H
#define PYTHON_THREADS_H

#include "tracer.h"

/* The calling thread's, created at first use. NULL if out of memory. Does not
 * touch Python; exceptions stay as they are. */
struct tracer_thread *threads_self(void);

/* Increments a counter of a thread; only that thread may call this. */
static inline void threads_count(uint64_t *counter)
{
	__atomic_store_n(counter,
		__atomic_load_n(counter, __ATOMIC_RELAXED) + 1,
		__ATOMIC_RELAXED);
}

/* The counts of all threads since the last call. */
struct tracer_counts threads_take_counts(void);

/* Copies the calling thread's name from `threading` to the log, if it has one
 * there that the log does not have yet. Clears exceptions. */
void threads_name(struct tracer_thread *thread);

#endif
