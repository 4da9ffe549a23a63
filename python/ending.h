/* SPDX-License-Identifier: MIT */
/* What of a program is still to come when its main module has ended. */
#ifndef ENDING_H
#define ENDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* is_last(callbacks) -> bool: is there no thread but this one, and has atexit
 * no more than so many callbacks? Called by a program that is being traced, so
 * it calls nothing that would be recorded. */
PyObject *ending_is_last(PyObject *module, PyObject *callbacks);

#endif
