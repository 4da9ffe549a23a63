/* SPDX-License-Identifier: MIT */
/*
 * Children find our package through PYTHONPATH. Some programs set the child's
 * PYTHONPATH from their own sys.path, as torch does for the workers of its
 * compiler. We are hidden from sys.path, so such children would miss us. So the
 * directory is put into the environment that they pass, if that has the rest of
 * what we set.
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

/* The path with the directory first; the caller frees it. NULL if the path has
 * it already, or if out of memory. */
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

/* Extends the environment of this process itself, not os.environ: the program
 * must not see the change there. */
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

/* Sets PYTHONPATH in the table. */
static void set_path(PyObject *table, PyObject *(*text)(const char *string),
	const char *path)
{
	PyObject *key = text(PATH), *value = text(path);

	if (key != NULL && value != NULL)
		(void)PyObject_SetItem(table, key, value);
	Py_XDECREF(key);
	Py_XDECREF(value);
}

/* A new reference; NULL if there is none, perhaps with an exception. */
static PyObject *find(PyObject *table, PyObject *(*text)(const char *string),
	const char *name)
{
	PyObject *key = text(name);
	PyObject *value = key == NULL ? NULL : pystring_item(table, key);

	Py_XDECREF(key);
	return value;
}

/* Extends a dictionary whose keys and values are of the type that `text` makes.
 * False if they are of another type, or if it lacks the rest of what we set. */
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

/* A program may give its child nothing, a dictionary, or os.environ, which
 * holds a dictionary. Other mappings are left alone: reading them may run
 * Python, which would be recorded. */
static void extend_environment(PyObject *env)
{
	PyObject *data;

	if (env == Py_None) {
		extend_own();
		return;
	}
	if (PyDict_CheckExact(env) || PyODict_CheckExact(env)) {
		/* Not both: a str and its bytes have the same hash, and `python
		 * -b` warns when they are compared. */
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
		/* A given environment has been read by now. For our own,
		 * posix_spawn() holds the array already, and frees it if it has
		 * moved, as it does when it grows. */
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
		/* multiprocessing reports nothing. */
		extend_own();
	}
	Py_DECREF(bytes);
	Py_RETURN_NONE;
}
