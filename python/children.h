/* SPDX-License-Identifier: MIT */
/* Interpreters that the program starts, under `ctprof record --python`. */
#ifndef PYTHON_CHILDREN_H
#define PYTHON_CHILDREN_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* A function of the module: children run the sitecustomize of this directory,
 * whatever PYTHONPATH the program gives them. */
PyObject *children_follow(PyObject *module, PyObject *directory);

#endif
