/* SPDX-License-Identifier: MIT */
/*
 * A child finds us by PYTHONPATH. Programs that make their child's own, of
 * their sys.path, as torch does for the workers of its compiler, leave us out:
 * in sys.path we are not to be seen. So the directory is put into the
 * environment that they pass, if it has the rest of what we set.
 */
#include "children.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pystring.h"

#define PATH "PYTHONPATH"
#define ASKED "CTPROF_PYTHON"

enum { POPEN_ENV = 3 }; /* of the arguments of the event */

/* No object: other interpreters have the hook, too. */
static char *directory;

/* As environment_find() of lib/base/environment.h, which is not installed. */
static const char *environment(const char *name)
{
	return secure_getenv(name);
}

/* The path with the directory first, to be freed; NULL if it has it, or if out
 * of memory. */
static char *extend(const char *path)
{
	size_t room;
	char *whole;

	if (path == NULL || path[0] == '\0')
		return strdup(directory);
	if (strstr(path, directory) != NULL)
		return NULL;
	room = strlen(directory) + 1 + strlen(path) + 1;
	whole = malloc(room);
	if (whole != NULL)
		(void)snprintf(whole, room, "%s:%s", directory, path);
	return whole;
}

/* The environment of this process, from behind os.environ, in which the program
 * finds what it has put there. */
static void extend_own(void)
{
	char *path;

	if (environment(ASKED) == NULL)
		return;
	path = extend(environment(PATH));
	if (path != NULL)
		(void)setenv(PATH, path, 1);
	free(path);
}

/* Gives the table this path. */
static void set_path(PyObject *table, PyObject *(*text)(const char *string),
	const char *path)
{
	PyObject *key = text(PATH), *value = text(path);

	if (key != NULL && value != NULL)
		(void)PyObject_SetItem(table, key, value);
	Py_XDECREF(key);
	Py_XDECREF(value);
}

/* A new reference; NULL if there is none, also with an exception. */
static PyObject *find(PyObject *table, PyObject *(*text)(const char *string),
	const char *name)
{
	PyObject *key = text(name);
	PyObject *value = key == NULL ? NULL : pystring_item(table, key);

	Py_XDECREF(key);
	return value;
}

/* A dictionary whose names and values are made by `text`; false if they are not,
 * or it has not the rest. */
static bool extend_table(PyObject *table, PyObject *(*text)(const char *string))
{
	PyObject *asked = find(table, text, ASKED);
	PyObject *given, *bytes = NULL;
	char *path = NULL;

	Py_XDECREF(asked);
	if (asked == NULL)
		return false;
	given = find(table, text, PATH);
	if (given == NULL || PyUnicode_FSConverter(given, &bytes))
		path = extend(bytes == NULL ? NULL : PyBytes_AS_STRING(bytes));
	if (path != NULL)
		set_path(table, text, path);
	free(path);
	Py_XDECREF(given);
	Py_XDECREF(bytes);
	return true;
}

/* What a program may give its child: nothing of its own, a dictionary, or
 * os.environ, which has one. Others are not looked into: that may run Python,
 * which would be recorded. */
static void extend_environment(PyObject *env)
{
	PyObject *data;

	if (env == Py_None) {
		extend_own();
		return;
	}
	if (PyDict_CheckExact(env) || PyODict_CheckExact(env)) {
		/* Not both: of a string, the bytes have the hash, and to
		 * compare them is what `python -b` warns of. */
		if (!extend_table(env, PyUnicode_DecodeFSDefault))
			(void)extend_table(env, PyBytes_FromString);
		return;
	}
	if (strcmp(Py_TYPE(env)->tp_name, "_Environ") != 0)
		return;
	data = PyObject_GetAttrString(env, "_data");
	if (data != NULL && PyDict_CheckExact(data))
		(void)extend_table(data, PyBytes_FromString);
	Py_XDECREF(data);
}

static int audit(const char *event, PyObject *arguments, void *unused)
{
	(void)unused;
	if (strcmp(event, "subprocess.Popen") == 0 &&
		PyTuple_GET_SIZE(arguments) > POPEN_ENV) {
		extend_environment(PyTuple_GET_ITEM(arguments, POPEN_ENV));
		PyErr_Clear();
	} else if (strcmp(event, "os.system") == 0 ||
		   strcmp(event, "os.exec") == 0 ||
		   (strcmp(event, "os.posix_spawn") == 0 &&
			   environment(PATH) != NULL)) {
		/* An environment that is given has been read by now. Of our
		 * own, posix_spawn() has the array by now, and frees it if that
		 * has moved, as it does when it grows. */
		extend_own();
	}
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
