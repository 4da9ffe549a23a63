/* SPDX-License-Identifier: MIT */
/*
 * Sites: a callee, called from an instruction. Equal pairs are one site in the
 * whole process; the line is worked out once for each.
 */
#ifndef PYTHON_SITES_H
#define PYTHON_SITES_H

#include "callee.h"
#include "frame.h"
#include "tracer.h"

/*
 * The site of `callee` called from where `caller` (NULL: unknown) is, which the
 * thread's cache knows from now on as `place`. NULL: not to be recorded.
 *
 * Threads: as callee_find().
 */
struct ctp_site *sites_find(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, const void *place);

/*
 * The same of a call that a trace finds open at its start, which is not kept:
 * `in_range` says whether a range was begun that may stand for it, as one that
 * begins later does.
 */
struct ctp_site *sites_find_open(struct tracer_thread *thread,
	const struct callee *callee, frame_t *caller, bool in_range);

/* Forgets all: the filters are others now. */
void sites_clear(void);

#endif
