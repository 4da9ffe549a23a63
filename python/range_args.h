/* SPDX-License-Identifier: MIT */
/* The arguments of a range, which a program gives by name. */
#ifndef PYTHON_RANGE_ARGS_H
#define PYTHON_RANGE_ARGS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "ctprof.h"

/* Bytes of any text, lone surrogates as escapes; a new reference or NULL. */
PyObject *range_args_encode(PyObject *text);

/* Is there a sequence number for the range among them? `args` may be NULL. */
bool range_args_seq(PyObject *args, int64_t *seq);

/* Adds all others to the innermost range. False with an exception set: a
 * value's __str__ raised. */
bool range_args_add(PyObject *args);

/* Begins a range outside the nesting, with as many of them as it can hold.
 * False with an exception set, and nothing recorded: a value's __str__
 * raised. */
bool range_args_begin(struct ctp_site *site, uint64_t id, PyObject *args);

#endif
