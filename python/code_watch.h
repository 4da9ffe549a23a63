/* SPDX-License-Identifier: MIT */
/*
 * Tells callees when their code object is freed. Another object may have its
 * address from then on, and generated code would fill the memory if callees
 * kept it alive.
 */
#ifndef PYTHON_CODE_WATCH_H
#define PYTHON_CODE_WATCH_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

/* A trace begins, or has ended. The pending exception is kept. */
void code_watch_start(void);
void code_watch_stop(void);

/* From now on until the trace ends, callee_code_freed() is called when this
 * code object is freed. False if it cannot be. Clears exceptions. */
bool code_watch(PyCodeObject *code);

#endif
