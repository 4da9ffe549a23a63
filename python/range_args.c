/* SPDX-License-Identifier: MIT */
#include "range_args.h"

PyObject *range_args_encode(PyObject *text)
{
	return PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
}

/* An argument that is neither a number nor text is shown as print() would.
 * Ownership: both of `owned` are references of the caller's now, which the
 * argument borrows. */
static bool fill(struct ctp_arg *arg, PyObject *key, PyObject *value,
	PyObject *owned[static 2])
{
	int overflow = 0;
	PyObject *text;

	owned[0] = range_args_encode(key);
	if (owned[0] == NULL)
		return false;
	*arg = (struct ctp_arg){.key = PyBytes_AS_STRING(owned[0])};
	if (PyFloat_CheckExact(value)) {
		arg->kind = CTP_ARG_FLOAT;
		arg->value.real = PyFloat_AS_DOUBLE(value);
		return true;
	}
	if (PyLong_CheckExact(value)) {
		arg->value.number =
			PyLong_AsLongLongAndOverflow(value, &overflow);
		if (overflow == 0)
			return true;
	}
	text = PyObject_Str(value);
	owned[1] = text == NULL ? NULL : range_args_encode(text);
	Py_XDECREF(text);
	if (owned[1] == NULL)
		return false;
	arg->kind = CTP_ARG_STRING;
	arg->value.string = PyBytes_AS_STRING(owned[1]);
	return true;
}

static void add(const struct ctp_arg *arg)
{
	if (arg->kind == CTP_ARG_STRING)
		ctp_arg_string(arg->key, arg->value.string);
	else if (arg->kind == CTP_ARG_FLOAT)
		ctp_arg_float(arg->key, arg->value.real);
	else
		ctp_arg_int(arg->key, arg->value.number);
}

/* The sequence number, which libctprof adds itself: an argument of this name
 * that is a 64-bit integer. */
static bool is_seq(PyObject *key, PyObject *value, int64_t *seq)
{
	int overflow = 0;

	if (!PyLong_CheckExact(value) ||
		PyUnicode_CompareWithASCIIString(key, "seq") != 0)
		return false;
	*seq = PyLong_AsLongLongAndOverflow(value, &overflow);
	return overflow == 0;
}

bool range_args_seq(PyObject *args, int64_t *seq)
{
	PyObject *key;
	PyObject *value;
	Py_ssize_t at = 0;

	while (args != NULL && PyDict_Next(args, &at, &key, &value))
		if (is_seq(key, value, seq))
			return true;
	return false;
}

bool range_args_add(PyObject *args)
{
	int64_t seq;
	PyObject *key;
	PyObject *value;
	Py_ssize_t at = 0;
	bool done = true;

	while (done && PyDict_Next(args, &at, &key, &value)) {
		struct ctp_arg arg;
		PyObject *owned[2] = {NULL, NULL};

		if (is_seq(key, value, &seq))
			continue;
		Py_INCREF(value);
		done = fill(&arg, key, value, owned);
		Py_DECREF(value);
		if (done)
			add(&arg);
		Py_XDECREF(owned[0]);
		Py_XDECREF(owned[1]);
	}
	return done;
}

bool range_args_begin(struct ctp_site *site, uint64_t id, PyObject *args)
{
	/* One more than are stored, so that the library counts it. */
	struct ctp_arg taken[CTP_ARGS_MAX + 1];
	PyObject *owned[CTP_ARGS_MAX + 1][2] = {{NULL, NULL}};
	PyObject *key;
	PyObject *value;
	Py_ssize_t at = 0;
	uint32_t count = 0;
	bool done = true;

	while (done && count <= CTP_ARGS_MAX &&
		PyDict_Next(args, &at, &key, &value)) {
		Py_INCREF(value);
		done = fill(&taken[count], key, value, owned[count]);
		Py_DECREF(value);
		count++;
	}
	if (done)
		ctp_async_begin_args(site, id, taken, count);
	for (uint32_t i = 0; i < count; i++) {
		Py_XDECREF(owned[i][0]);
		Py_XDECREF(owned[i][1]);
	}
	return done;
}
