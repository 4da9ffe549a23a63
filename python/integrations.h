/* SPDX-License-Identifier: MIT */
/*
 * What is recorded beside calls: imports, calls of modules and optimizers of
 * torch, collections of garbage, tasks of asyncio. The first three are found
 * by the code that does them, so that nothing is imported or replaced.
 */
#ifndef PYTHON_INTEGRATIONS_H
#define PYTHON_INTEGRATIONS_H

#include "callee.h"
#include "tracer.h"

/* The identity of the range inside such a call, which ends with it. */
extern const char integrations_identity;
#define EXTRAS_IDENTITY ((const void *)&integrations_identity)

/* By the tracer's options. -1 with an exception. */
int integrations_start(void);
void integrations_stop(void);

/* Such a call has been pushed, or its end has been seen; `result` as of
 * tracer_exit_slow(). Clear exceptions. */
void integrations_enter(struct tracer_thread *thread, enum callee_kind kind);
void integrations_exit(struct tracer_thread *thread, PyObject *result);

#endif
