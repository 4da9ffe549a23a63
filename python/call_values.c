/* SPDX-License-Identifier: MIT */
#include "call_values.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "frame.h"
#include "value_text.h"

/* More arguments of one call are left out. */
enum { VALUES_MAX = 100 };

struct call_values {
	int count;
	struct {
		char *key;
		char *text;
	} values[];
};

static struct call_values *values_new(int most)
{
	struct call_values *values = calloc(
		1, sizeof(*values) + (size_t)most * sizeof(*values->values));

	return values;
}

/* Ownership: takes both. Without memory for one, the value is left out. */
static void add_text(struct call_values *values, char *key, char *text)
{
	if (key == NULL || text == NULL) {
		free(key);
		free(text);
		return;
	}
	values->values[values->count].key = key;
	values->values[values->count++].text = text;
}

/* Ownership: takes the key. */
static void add(struct call_values *values, char *key, PyObject *value)
{
	size_t limit = (size_t)tracer_options().args_length;

	add_text(values, key, value == NULL ? NULL : value_text(value, limit));
}

void call_values_store(const struct call_values *values)
{
	for (int i = 0; i < values->count; i++)
		ctp_arg_string(values->values[i].key, values->values[i].text);
}

void call_values_free(struct call_values *values)
{
	if (values == NULL)
		return;
	for (int i = 0; i < values->count; i++) {
		free(values->values[i].key);
		free(values->values[i].text);
	}
	free(values);
}

/* ---- arguments ---- */

/* The name of an argument, from malloc(); "*" and "**" before those that collect
 * others. */
static char *key_of(PyCodeObject *code, int i, const char *stars)
{
	char *name = callee_text(PyTuple_GET_ITEM(code->co_localsplusnames, i));
	size_t count = strlen(stars);
	char *key = name == NULL ? NULL : malloc(count + strlen(name) + 1);

	if (key != NULL) {
		memcpy(key, stars, count);
		memcpy(key + count, name, strlen(name) + 1);
	}
	free(name);
	return key;
}

/* A new reference to a local variable; NULL if it has no value. A variable that
 * inner functions use is in a cell. */
static PyObject *local(frame_t *frame, PyCodeObject *code, int i)
{
	/* Source: CO_FAST_CELL, CPython's pycore_code.h. */
	const unsigned char cell = 0x40;
	const unsigned char *kinds = (const unsigned char *)PyBytes_AS_STRING(
		code->co_localspluskinds);
	PyObject *value = frame_local(frame, i);

	if (value != NULL && (kinds[i] & cell) != 0 && PyCell_Check(value))
		return PyCell_Get(value);
	return Py_XNewRef(value);
}

static void add_local(
	struct call_values *values, frame_t *frame, int i, const char *stars)
{
	PyCodeObject *code = frame_code(frame);
	PyObject *value;

	if (values->count == VALUES_MAX)
		return;
	value = local(frame, code, i);
	add(values, key_of(code, i, stars), value);
	Py_XDECREF(value);
}

/* Generated code, like that of a comprehension, has arguments without names. */
static bool has_name(PyCodeObject *code, int i)
{
	PyObject *name = PyTuple_GET_ITEM(code->co_localsplusnames, i);

	return PyUnicode_GET_LENGTH(name) > 0 &&
	       PyUnicode_READ_CHAR(name, 0) != '.';
}

static void read_frame(struct call_values *values, frame_t *frame)
{
	PyCodeObject *code = frame_code(frame);
	int count = code->co_argcount + code->co_kwonlyargcount;

	for (int i = 0; i < count; i++)
		if (has_name(code, i))
			add_local(values, frame, i, "");
	if ((code->co_flags & CO_VARARGS) != 0)
		add_local(values, frame, count++, "*");
	if ((code->co_flags & CO_VARKEYWORDS) != 0)
		add_local(values, frame, count, "**");
}

/* The object of a C function, unless that is its module. */
static void read_c(struct call_values *values, const struct callee_seen *seen)
{
	PyObject *self = seen->self, *first = NULL;

	if (PyCFunction_Check(seen->object)) {
		first = self;
		self = PyCFunction_GET_SELF(seen->object);
	}
	if (self != NULL && !PyModule_Check(self))
		add(values, strdup("self"), self);
	if (first != NULL)
		add(values, strdup("first"), first);
}

struct call_values *call_values_read(const struct callee_seen *seen)
{
	frame_t *frame = frame_current();
	bool is_python = PyCode_Check(seen->object);
	struct call_values *values;

	/* A generator's frame goes on from a later place. */
	if (is_python &&
		(frame == NULL ||
			(PyObject *)frame_code(frame) != seen->object ||
			frame_index(frame) >
				frame_code(frame)->_co_firsttraceable))
		return NULL;
	values = values_new(VALUES_MAX);
	if (values == NULL)
		return NULL;
	if (is_python)
		read_frame(values, frame);
	else
		read_c(values, seen);
	PyErr_Clear();
	return values;
}

/* ---- outcomes ---- */

/* The value that an asynchronous generator yields, which is wrapped; NULL for one
 * that it waits for, as a coroutine does. Borrowed.
 * Source: struct _PyAsyncGenWrappedValue of CPython's genobject.c. */
static PyObject *yielded(const PyCodeObject *code, PyObject *value)
{
	const struct {
		PyObject_HEAD PyObject *value;
	} *wrapped = (const void *)value;

	if ((code->co_flags & CO_COROUTINE) != 0)
		return NULL;
	if ((code->co_flags & CO_ASYNC_GENERATOR) == 0)
		return value;
	return strcmp(Py_TYPE(value)->tp_name,
		       "async_generator_wrapped_value") == 0
		       ? wrapped->value
		       : NULL;
}

struct call_values *call_values_read_outcome(
	const PyCodeObject *code, struct tracer_outcome outcome)
{
	/* Keywords, which no argument is named after. */
	static const char *const keys[] = {"return", "yield", "raise"};
	struct call_values *values;
	PyObject *value = outcome.value;

	if (outcome.kind == TRACER_YIELD && value != NULL)
		value = yielded(code, value);
	if (value == NULL && outcome.kind != TRACER_RAISE)
		return NULL;
	values = values_new(1);
	if (values == NULL)
		return NULL;
	if (value != NULL)
		add(values, strdup(keys[outcome.kind]), value);
	else
		add_text(values, strdup(keys[outcome.kind]),
			strdup("(unknown exception)"));
	PyErr_Clear();
	return values;
}
