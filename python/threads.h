/* SPDX-License-Identifier: MIT */
/* The threads that the tracer has seen. */
#ifndef PYTHON_THREADS_H
#define PYTHON_THREADS_H

#include "tracer.h"

/* The calling thread's, made at first use. NULL if out of memory. Does not
 * touch Python; exceptions stay as they are. */
struct tracer_thread *threads_self(void);

/* Adds to a counter of a thread; only that thread may. */
static inline void threads_count(uint64_t *counter)
{
	__atomic_store_n(counter,
		__atomic_load_n(counter, __ATOMIC_RELAXED) + 1,
		__ATOMIC_RELAXED);
}

/* What all threads have counted since the last call. */
struct tracer_counts threads_take_counts(void);

/* Gives the calling thread the name in the log that it has in `threading`, if
 * it has one there and the log does not know. Clears exceptions. */
void threads_name(struct tracer_thread *thread);

#endif
