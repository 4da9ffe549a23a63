/* SPDX-License-Identifier: MIT */
#include "value_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error_state.h"
#include "tracer.h"

/* Containers in containers; deeper ones are "...". */
enum { DEPTH_MAX = 8 };

struct text {
	char *bytes;
	size_t size, room;
	size_t left; /* characters until the limit */
	bool is_cut;
	bool has_failed; /* out of memory */
};

static void add_bytes(struct text *text, const char *bytes, size_t size)
{
	size_t room = 2 * text->room + size + 16;
	char *more;

	if (text->room - text->size <= size) {
		more = realloc(text->bytes, room);
		if (more == NULL) {
			text->has_failed = true;
			return;
		}
		text->bytes = more;
		text->room = room;
	}
	memcpy(text->bytes + text->size, bytes, size);
	text->size += size;
	text->bytes[text->size] = '\0';
}

/* Adds as much of an ASCII text as there is room for. */
static void add(struct text *text, const char *ascii)
{
	size_t size = strlen(ascii);

	if (size > text->left) {
		size = text->left;
		text->is_cut = true;
	}
	add_bytes(text, ascii, size);
	text->left -= size;
}

/* The same for a str. Half surrogates and zero bytes, which have no place in a
 * text of the log, are shown as escapes. */
static void add_str(struct text *text, PyObject *str)
{
	size_t length = (size_t)PyUnicode_GET_LENGTH(str);
	size_t taken = length < text->left ? length : text->left;
	PyObject *part = PyUnicode_Substring(str, 0, (Py_ssize_t)taken);
	PyObject *bytes = part == NULL ? NULL
				       : PyUnicode_AsEncodedString(part,
						 "utf-8", "backslashreplace");

	if (bytes == NULL) {
		PyErr_Clear();
		text->has_failed = true;
	} else {
		const char *at = PyBytes_AS_STRING(bytes);
		const char *end = at + PyBytes_GET_SIZE(bytes);

		for (; at < end; at += strlen(at) + 1) {
			add_bytes(text, at, strlen(at));
			if (at + strlen(at) < end)
				add_bytes(text, "\\0", 2);
		}
		text->left -= taken;
		text->is_cut |= taken < length;
	}
	Py_XDECREF(part);
	Py_XDECREF(bytes);
}

/* Adds a text that names the pending exception, and clears that. */
static void add_error(struct text *text, PyObject *value)
{
	PyObject *type = PyErr_Occurred(); /* borrowed */
	PyObject *words = PyUnicode_FromFormat(
		"<%.100s object: repr() raised %.100s>",
		Py_TYPE(value)->tp_name,
		type == NULL ? "nothing" : ((PyTypeObject *)type)->tp_name);

	PyErr_Clear();
	if (words == NULL)
		text->has_failed = true;
	else
		add_str(text, words);
	Py_XDECREF(words);
}

/* repr() of an object whose repr() is the interpreter's own. */
static void add_repr(struct text *text, PyObject *value)
{
	PyObject *repr = PyObject_Repr(value);

	if (repr == NULL)
		add_error(text, value);
	else
		add_str(text, repr);
	Py_XDECREF(repr);
}

static int raise_now(void *exception)
{
	PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
	Py_DECREF((PyObject *)exception);
	return -1;
}

/* A new reference to the pending exception, which stays. Python 3.11 may not
 * have made its object yet. */
static PyObject *pending(void)
{
	PyObject *type = PyErr_Occurred(), *exception;
	struct error_state error;

	error_save(&error);
	if (error.exception == NULL)
		exception = PyObject_CallNoArgs(type);
	else if (PyExceptionInstance_Check(error.exception))
		exception = Py_NewRef(error.exception);
	else
		exception = PyObject_CallOneArg(type, error.exception);
	error_restore(&error);
	return exception;
}

/* A signal's handler may have run within repr(): Control-C, or an exit. Raises
 * its exception again when the hook has returned. Handlers run in the main
 * thread. */
static void pass_on_exit(void)
{
	PyObject *exception;

	if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) &&
		!PyErr_ExceptionMatches(PyExc_SystemExit))
		return;
	exception = gettid() == getpid() ? pending() : NULL;
	if (exception != NULL && Py_AddPendingCall(raise_now, exception) != 0)
		Py_DECREF(exception);
}

static const _Alignas(2) char repr_identity;

/* repr() of any other object, as a range that names its type: so its time is
 * not that of a function of the program. */
static void add_foreign(struct text *text, PyObject *value)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	char name[128];
	PyObject *repr;

	(void)snprintf(
		name, sizeof(name), "repr(%.100s)", Py_TYPE(value)->tp_name);
	info.name = name;
	info.category = "args";
	tracer_begin(ctp_site_intern_info(&info), &repr_identity, NULL);
	repr = PyObject_Repr(value);
	(void)tracer_end(&repr_identity);
	if (repr != NULL) {
		add_str(text, repr);
		Py_DECREF(repr);
		return;
	}
	pass_on_exit();
	add_error(text, value);
}

/* An int's repr() takes the square of its digits. */
static void add_int(struct text *text, PyObject *value)
{
	int overflow;
	PyObject *bits;
	char words[64];
	long count;

	(void)PyLong_AsLongLongAndOverflow(value, &overflow);
	bits = overflow == 0 ? NULL
			     : PyObject_CallMethod(value, "bit_length", NULL);
	count = bits == NULL ? 0 : PyLong_AsLong(bits);
	Py_XDECREF(bits);
	PyErr_Clear();
	if (count <= 4 * VALUE_TEXT_MAX) {
		add_repr(text, value);
	} else {
		(void)snprintf(
			words, sizeof(words), "<int of %ld bits>", count);
		add(text, words);
	}
}

/* A str or bytes. One character more than fits shows that the rest is cut off. */
static void add_quoted(struct text *text, PyObject *value)
{
	Py_ssize_t limit = (Py_ssize_t)text->left + 1;
	PyObject *part = NULL;

	if (Py_SIZE(value) <= limit && !PyUnicode_Check(value))
		part = Py_NewRef(value);
	else if (PyBytes_Check(value))
		part = PyBytes_FromStringAndSize(
			PyBytes_AS_STRING(value), limit);
	else if (PyUnicode_Check(value))
		part = PyUnicode_Substring(value, 0, limit);
	if (part == NULL) {
		PyErr_Clear();
		text->has_failed = true;
		return;
	}
	add_repr(text, part);
	Py_DECREF(part);
}

static void add_value(struct text *text, PyObject *value, int depth);

static void add_item(struct text *text, PyObject *item, bool is_pair, int depth)
{
	if (!is_pair) {
		add_value(text, item, depth);
		return;
	}
	add_value(text, PyTuple_GET_ITEM(item, 0), depth);
	add(text, ": ");
	add_value(text, PyTuple_GET_ITEM(item, 1), depth);
}

/* The first items, until the text is full. The program may change the container
 * meanwhile; its own iterator withstands that. */
static void add_items(struct text *text, PyObject *items, int depth)
{
	bool are_pairs = PyDictItems_Check(items);
	PyObject *iterator = PyObject_GetIter(items);
	PyObject *item = iterator == NULL ? NULL : PyIter_Next(iterator);

	for (bool is_first = true; item != NULL; is_first = false) {
		if (!is_first)
			add(text, ", ");
		add_item(text, item, are_pairs, depth);
		Py_DECREF(item);
		item = text->is_cut ? NULL : PyIter_Next(iterator);
	}
	PyErr_Clear();
	Py_XDECREF(iterator);
}

static void add_container(struct text *text, PyObject *value, int depth)
{
	PyTypeObject *type = Py_TYPE(value);
	bool is_tuple = type == &PyTuple_Type;
	bool is_frozen = type == &PyFrozenSet_Type;
	PyObject *items = type == &PyDict_Type
				  ? PyObject_CallMethod(value, "items", NULL)
				  : Py_NewRef(value);

	if (PyAnySet_CheckExact(value) && PySet_GET_SIZE(value) == 0) {
		add(text, is_frozen ? "frozenset()" : "set()");
	} else if (items == NULL) {
		add_error(text, value);
	} else {
		add(text, is_tuple               ? "("
			  : type == &PyList_Type ? "["
			  : is_frozen            ? "frozenset({"
						 : "{");
		if (depth == DEPTH_MAX)
			add(text, "...");
		else
			add_items(text, items, depth + 1);
		add(text, is_tuple && PyTuple_GET_SIZE(value) == 1 ? ",)"
			  : is_tuple                               ? ")"
			  : type == &PyList_Type                   ? "]"
			  : is_frozen                              ? "})"
								   : "}");
	}
	Py_XDECREF(items);
}

/* Objects without code of the program in their repr(). */
static bool is_plain(PyObject *value)
{
	return value == Py_None || PyBool_Check(value) ||
	       value == Py_Ellipsis || value == Py_NotImplemented ||
	       PyFloat_CheckExact(value) || PyComplex_CheckExact(value) ||
	       PyFunction_Check(value) || PyCFunction_CheckExact(value) ||
	       Py_TYPE(value) == &PyType_Type;
}

static void add_value(struct text *text, PyObject *value, int depth)
{
	if (text->left == 0)
		text->is_cut = true;
	else if (PyLong_CheckExact(value))
		add_int(text, value);
	else if (PyUnicode_CheckExact(value) || PyBytes_CheckExact(value))
		add_quoted(text, value);
	else if (PyList_CheckExact(value) || PyTuple_CheckExact(value) ||
		 PyDict_CheckExact(value) || PyAnySet_CheckExact(value))
		add_container(text, value, depth);
	else if (is_plain(value))
		add_repr(text, value);
	else
		add_foreign(text, value);
}

char *value_text(PyObject *value, size_t limit)
{
	struct text text = {.left = limit};

	add_value(&text, value, 0);
	if (text.is_cut)
		add_bytes(&text, "...", 3);
	if (!text.has_failed && text.bytes != NULL)
		return text.bytes;
	free(text.bytes);
	return NULL;
}
