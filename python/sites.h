/* SPDX-License-Identifier: MIT */
/*
 * Sites: a callee, called from an instruction. Equal pairs are one site in the
 * whole process; the line is computed once for each.
 */
#ifndef PYTHON_SITES_H
#define PYTHON_SITES_H

#include "callee.h"
#include "frame.h"
#include "threads.h"

/*
 * The site of `callee` called by `caller` (NULL: unknown); the thread's cache
 * holds it under `place` from now on. NULL: not to be recorded.
 *
 * Threads: as callee_find().
 */
struct ctp_site *sites_find(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, const void *place);

/*
 * The same for a call that is open when a trace starts; not cached. With
 * `in_range`, a range with its name and line is open and may stand for the
 * call.
 */
struct ctp_site *sites_find_open(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, bool in_range);

/* Removes all, before the filters change. */
void sites_clear(void);

#endif
