/* SPDX-License-Identifier: MIT */
/* The sites of calls, by callee and by the place of the call. */
#ifndef PYTHON_CALL_SITES_H
#define PYTHON_CALL_SITES_H

#include <stdbool.h>

#include "callee.h"
#include "frame.h"
#include "threads.h"

/*
 * The site of `callee` called by `caller` (NULL: unknown); the thread's cache
 * holds it under `place` from now on, until the code of one of them is freed.
 * NULL: not to be recorded.
 *
 * Threads: as callee_find().
 */
struct ctp_site *call_sites_find(struct tracer_thread *thread,
	struct callee *callee, frame_t *caller, const void *place);

/*
 * The same for a call that is open when a trace starts; not cached. With
 * `in_range`, a range with its name and line is open and may stand for the
 * call.
 */
struct ctp_site *call_sites_find_open(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, bool in_range);

/* Forgets the calls of a callee whose code is freed, and those that it made,
 * here and in the threads' caches. */
void call_sites_forget(struct callee *callee);

/* Forgets all, before the filters change. */
void call_sites_clear(void);

#endif
