/* SPDX-License-Identifier: MIT */
/* The API for ranges, instants, counters and steps that a program names. */
#ifndef RANGES_H
#define RANGES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* Adds the type `range` and its functions to the module; -1 with an exception
 * set if that fails. */
int ranges_add(PyObject *module);

#endif
