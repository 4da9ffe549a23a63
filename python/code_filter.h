/* SPDX-License-Identifier: MIT */
/* Which callees are recorded, and which need more than that. */
#ifndef PYTHON_CODE_FILTER_H
#define PYTHON_CODE_FILTER_H

#include "callee.h"

/*
 * Takes over the filters, two tuples of str: globs for file names, if they
 * contain a slash or one of "*?[" or end in ".py"; else modules, with what is
 * in them. -1 with an exception.
 */
int code_filter_set(PyObject *include, PyObject *exclude);

/* By the names that the callee has. */
enum callee_kind code_filter_kind(const struct callee *callee);

/* Where our own Python files are: what is in `directory` is hidden. -1 with an
 * exception. */
int code_filter_hide(PyObject *directory);

#endif
