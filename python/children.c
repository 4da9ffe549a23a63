/* SPDX-License-Identifier: MIT */
/*
 * A child finds us by PYTHONPATH. Programs that make their child's own, of
 * their sys.path, as torch does for the workers of its compiler, leave us out:
 * in sys.path we are not to be seen. So the directory is put into the
 * environment that they pass, if it has the rest of what we set.
 */
#include "children.h"

#include <string.h>

enum { POPEN_ENV = 3 }; /* of the arguments of the event */

/* No object: other interpreters have the hook, too. */
static char *directory;

/* A new reference: the path with the directory first; NULL if it has it, or
 * with an exception. */
static PyObject *extend(PyObject *path)
{
	PyObject *first = PyUnicode_DecodeFSDefault(directory);
	PyObject *whole = NULL;

	if (first != NULL && path == NULL)
		return first;
	if (first != NULL && PyUnicode_Check(path) &&
		PyUnicode_Contains(path, first) == 0)
		whole = PyUnicode_FromFormat(
			PyUnicode_GET_LENGTH(path) == 0 ? "%U" : "%U:%U", first,
			path);
	Py_XDECREF(first);
	return whole;
}

static int audit(const char *event, PyObject *arguments, void *unused)
{
	PyObject *env, *path;

	(void)unused;
	if (strcmp(event, "subprocess.Popen") != 0 ||
		PyTuple_GET_SIZE(arguments) <= POPEN_ENV)
		return 0;
	env = PyTuple_GET_ITEM(arguments, POPEN_ENV);
	if (!PyDict_CheckExact(env) ||
		PyDict_GetItemString(env, "CTPROF_PYTHON") == NULL)
		return 0;
	path = extend(PyDict_GetItemString(env, "PYTHONPATH"));
	if (path != NULL)
		(void)PyDict_SetItemString(env, "PYTHONPATH", path);
	Py_XDECREF(path);
	PyErr_Clear();
	return 0;
}

PyObject *children_follow(PyObject *module, PyObject *path)
{
	PyObject *bytes;

	(void)module;
	if (!PyUnicode_FSConverter(path, &bytes))
		return NULL;
	if (directory == NULL) {
		directory = strdup(PyBytes_AS_STRING(bytes));
		if (directory != NULL && PySys_AddAuditHook(audit, NULL) != 0)
			PyErr_Clear(); /* another hook forbids it */
	}
	Py_DECREF(bytes);
	Py_RETURN_NONE;
}
