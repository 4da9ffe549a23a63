/* SPDX-License-Identifier: MIT */
/*
 * Texts of values, as repr() gives them, for the log.
 *
 * Numbers, texts and the usual containers are written here, no further than the
 * limit: a list of a million items costs its first ones. Other objects have a
 * repr() of their own, which runs as a whole and may do anything. It is recorded
 * as a range, and its exceptions do not reach the program.
 */
#ifndef PYTHON_VALUE_TEXT_H
#define PYTHON_VALUE_TEXT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stddef.h>

/* A text stays below the size of an argument in the log, also if each of its
 * characters takes four bytes. */
enum { VALUE_TEXT_USUAL = 100, VALUE_TEXT_MAX = 2000 };

/*
 * UTF-8 from malloc() with at most `limit` characters, and "..." if it was cut.
 * NULL if out of memory. May run Python; the pending exception must have been
 * put aside.
 */
char *value_text(PyObject *value, size_t limit);

#endif
