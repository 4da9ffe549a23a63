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

/* Is there a sequence number among them, which is the range's own? `args` may
 * be NULL. */
bool range_args_seq(PyObject *args, int64_t *seq);

/* Adds all others to the range that was opened last. False with an exception
 * set: a value's __str__ raised. */
bool range_args_add(PyObject *args);

/* A range outside the nesting begins, with as many of them as it may have.
 * False with an exception set, and nothing recorded: a value's __str__ raised. */
bool range_args_begin(struct ctp_site *site, uint64_t id, PyObject *args);

#endif
