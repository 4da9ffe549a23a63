/* SPDX-License-Identifier: MIT */
/* Names that are looked up repeatedly, interned once with their hash. */
#ifndef PYTHON_PYSTRING_H
#define PYTHON_PYSTRING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

struct pystring {
	const char *text;
	PyObject *str; /* NULL until it is first looked up */
};

/* The dictionary's item, a new reference: in a free-threaded build, another
 * thread may remove it at once. NULL if missing, or with an exception. */
PyObject *pystring_item(PyObject *dictionary, PyObject *key);

/* The module of that name if it is imported, a new reference. NULL if not, or
 * with an exception. */
PyObject *pystring_module(struct pystring *word);

/* The object's attribute of that name, a new reference. NULL with an
 * exception. */
PyObject *pystring_attribute(struct pystring *word, PyObject *object);

#endif
