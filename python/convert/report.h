/* SPDX-License-Identifier: MIT */
/* Errors and losses of an input as Python's objects. */
#ifndef CONVERT_REPORT_H
#define CONVERT_REPORT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

#include "base/error.h"

/* Raises the exception for an error of this path: OSError, ValueError or
 * MemoryError. */
void report_error(PyObject *path, const struct ctp_error *err);

/* {words: count} of the missing parts; NULL with an exception. */
PyObject *report_losses(const uint64_t *losses);

#endif
