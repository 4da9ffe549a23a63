/* SPDX-License-Identifier: MIT */
/* Filters callees, and classifies those that need more than a record. */
#ifndef PYTHON_CODE_FILTER_H
#define PYTHON_CODE_FILTER_H

#include "callee.h"

/*
 * Sets the filters, two tuples of str. A text with a slash or one of "*?[", or
 * that ends in ".py", is a glob for file names; any other names a module, and
 * includes its submodules. -1 with an exception.
 */
int code_filter_set(PyObject *include, PyObject *exclude);

/* Decided by the callee's names. */
enum callee_kind code_filter_kind(const struct callee *callee);

/* Hides callees whose file is in `directory`, where our own Python files are.
 * -1 with an exception. */
int code_filter_hide(PyObject *directory);

#endif
