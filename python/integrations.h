/* SPDX-License-Identifier: MIT */
/*
 * Records imports, calls of torch modules and optimizers, garbage collections
 * and asyncio tasks beside calls. The first three are found by the code that
 * does them, so nothing is imported or replaced.
 */
#ifndef PYTHON_INTEGRATIONS_H
#define PYTHON_INTEGRATIONS_H

#include "callee.h"
#include "tracer.h"

/* The identity of the range inside such a call, which ends with it. */
extern const char integrations_identity;
#define EXTRAS_IDENTITY ((const void *)&integrations_identity)

/* Starts those that the tracer's options ask for. -1 with an exception. */
int integrations_start(void);
void integrations_stop(void);

/* Called after such a call has been pushed, and at its end; `result` is that
 * of tracer_exit_slow(). Clear exceptions. */
void integrations_enter(struct tracer_thread *thread, enum callee_kind kind);
void integrations_exit(struct tracer_thread *thread, PyObject *result);

#endif
