/* SPDX-License-Identifier: MIT */
/*
 * Ranges that have outlived the function that they were begun in: since then
 * they are asynchronous, and end on any thread. What nobody ends stays until
 * the recording is over, so that their number is bounded.
 */
#ifndef PYTHON_ASYNC_RANGES_H
#define PYTHON_ASYNC_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"

struct tracer_thread;

struct async_range {
	const void *identity;
	const struct tracer_thread *thread; /* that began it; only compared */
	struct ctp_site *site;
	uint64_t number; /* of the asynchronous range that it is now */
};

/* Keeps it until it ends. False if there are too many, or no memory.
 * Threads: any. */
bool async_ranges_add(const struct async_range *range);

/* Gives the last one of this identity, and forgets it: of this thread, or if
 * it has none, of any. False if there is none. Threads: any. */
bool async_ranges_remove(const void *identity,
	const struct tracer_thread *thread, struct async_range *range);

/* Forgets all: another recording begins, in which they are not open. */
void async_ranges_clear(void);

#endif
