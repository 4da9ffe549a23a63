/* SPDX-License-Identifier: MIT */
/*
 * Ranges that have outlived the function they began in. From then on they are
 * asynchronous and may end on any thread. A range that never ends stays until
 * the recording is over, so their number is bounded.
 */
#ifndef PYTHON_ASYNC_RANGES_H
#define PYTHON_ASYNC_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"

struct tracer_thread;

struct async_range {
	const void *identity;
	const struct tracer_thread *thread; /* the one that began it; only
					     * compared */
	struct ctp_site *site;
	uint64_t number; /* identifies the asynchronous range */
};

/* Stores it until it ends. False if there are too many, or no memory. Threads:
 * any. */
bool async_ranges_add(const struct async_range *range);

/* Removes the last range of this identity: of this thread, or else of any
 * thread. False if not found. Threads: any. */
bool async_ranges_remove(const void *identity,
	const struct tracer_thread *thread, struct async_range *range);

/* Removes all: another recording begins, in which they are not open. */
void async_ranges_clear(void);

#endif
