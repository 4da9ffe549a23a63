/* SPDX-License-Identifier: MIT */
/* What callees are called; C functions exactly as by cProfile. */
#ifndef PYTHON_CALLEE_NAME_H
#define PYTHON_CALLEE_NAME_H

#include "callee.h"

/* The bytes of a str, from malloc; of what is no UTF-8 those that it was made
 * of. NULL if out of memory. Clears exceptions. */
char *callee_text(PyObject *text);

/* The name of what is no Python function, from malloc. NULL if out of memory.
 * Clears exceptions. Source: normalizeUserObj() of CPython's _lsprof.c. */
char *callee_c_name(const struct callee_seen *seen);

/* The module that it says it is from, from malloc; "" if it says none. NULL if
 * out of memory. Clears exceptions. */
char *callee_c_module(const struct callee_seen *seen);

#endif
