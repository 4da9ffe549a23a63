/* SPDX-License-Identifier: MIT */
/*
 * An iterator of an input's events as tuples, in the columns of the format csv.
 * It holds only open ranges and names, however long the input is.
 */
#ifndef CONVERT_EVENT_ITERATOR_H
#define CONVERT_EVENT_ITERATOR_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* events(path, *, trim_prefix=False): a new iterator; NULL with an
 * exception. */
PyObject *event_iterator_new(
	PyObject *module, PyObject *args, PyObject *keywords);

/* Readies the type. -1 with an exception. */
int event_iterator_add(PyObject *module);

#endif
