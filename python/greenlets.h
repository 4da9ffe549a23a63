/* SPDX-License-Identifier: MIT */
/*
 * Greenlets: several call stacks that take turns in one thread, in programs
 * that have imported the greenlet package. The calls of a waiting greenlet are
 * closed; when it goes on they are opened again.
 */
#ifndef PYTHON_GREENLETS_H
#define PYTHON_GREENLETS_H

#include "threads.h"

/* Makes greenlet report the calling thread's switches, if it is imported.
 * Clears exceptions. */
void greenlets_watch(struct tracer_thread *thread);

#endif
