/* SPDX-License-Identifier: MIT */
/*
 * Greenlets: several stacks of calls that take turns in one thread, in
 * programs that have imported the package of that name. While a greenlet waits
 * its calls are not open; when it goes on they are opened again.
 */
#ifndef PYTHON_GREENLETS_H
#define PYTHON_GREENLETS_H

#include "tracer.h"

/* Sees to it that we are told of the calling thread's switches, if there can
 * be any. Clears exceptions. */
void greenlets_watch(struct tracer_thread *thread);

#endif
