/* SPDX-License-Identifier: MIT */
#include "ending.h"

#include <stdbool.h>

static bool is_only_thread(void)
{
	PyThreadState *first =
		PyInterpreterState_ThreadHead(PyInterpreterState_Get());

	return first != NULL && PyThreadState_Next(first) == NULL;
}

PyObject *ending_is_last(PyObject *module, PyObject *callbacks)
{
	PyObject *count;
	PyObject *atexit;
	int more;

	(void)module;
	if (!is_only_thread())
		Py_RETURN_FALSE;
	atexit = PyImport_ImportModule("atexit");
	if (atexit == NULL)
		return NULL;
	count = PyObject_CallMethod(atexit, "_ncallbacks", NULL);
	Py_DECREF(atexit);
	if (count == NULL)
		return NULL;
	more = PyObject_RichCompareBool(count, callbacks, Py_GT);
	Py_DECREF(count);
	return more < 0 ? NULL : PyBool_FromLong(more == 0);
}
