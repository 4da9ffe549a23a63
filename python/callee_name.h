/* SPDX-License-Identifier: MIT */
/* Names of callees; C functions have exactly the names that cProfile gives
 * them. */
#ifndef PYTHON_CALLEE_NAME_H
#define PYTHON_CALLEE_NAME_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A callee as a hook sees it. */
struct callee_seen {
	const void *identity; /* equal for equal callees */
	PyObject *object;     /* a code object, or the called object */
	PyObject *self;       /* the object of a method descriptor, or NULL */
};

/* The texts are owned. */
struct callee_names {
	char *name;
	char *file;
	char *full_name; /* NULL: the name */
	char *c_name;    /* without type and module; NULL for others */
	char *module;    /* NULL for Python functions */
};

/* The bytes of a str, from malloc; if it is not valid UTF-8, the bytes it was
 * decoded from. NULL if out of memory. Clears exceptions. */
char *callee_text(PyObject *text);

/* The name of a callee that is not a Python function, from malloc. NULL if out
 * of memory. Clears exceptions. Source: normalizeUserObj() of CPython's
 * _lsprof.c. */
char *callee_c_name(const struct callee_seen *seen);

/* The name in its definition in C, from malloc. NULL for other callees, or if
 * out of memory. */
char *callee_c_plain_name(const struct callee_seen *seen);

/* The module named by its __module__, from malloc; "" if there is none. NULL if
 * out of memory. Clears exceptions. */
char *callee_c_module(const struct callee_seen *seen);

#endif
