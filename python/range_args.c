/* SPDX-License-Identifier: MIT */
#include "range_args.h"

#include "ctprof.h"

PyObject *range_args_encode(PyObject *text)
{
	return PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
}

/* An argument that is neither a number nor text is shown as print() would. */
static bool add_text(const char *key, PyObject *value)
{
	PyObject *text = PyObject_Str(value);
	PyObject *bytes = text == NULL ? NULL : range_args_encode(text);

	if (bytes != NULL)
		ctp_arg_string(key, PyBytes_AS_STRING(bytes));
	Py_XDECREF(text);
	Py_XDECREF(bytes);
	return bytes != NULL;
}

static bool add_argument(const char *key, PyObject *value)
{
	if (PyLong_CheckExact(value)) {
		int overflow = 0;
		long long number =
			PyLong_AsLongLongAndOverflow(value, &overflow);

		if (overflow != 0)
			return add_text(key, value);
		ctp_arg_int(key, number);
		return true;
	}
	if (PyFloat_CheckExact(value)) {
		ctp_arg_float(key, PyFloat_AS_DOUBLE(value));
		return true;
	}
	return add_text(key, value);
}

/* The sequence number, which libctprof adds itself: an argument of this name
 * that is a number of 64 bits. */
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
		PyObject *bytes;

		if (is_seq(key, value, &seq))
			continue;
		bytes = range_args_encode(key);
		Py_INCREF(value);
		done = bytes != NULL &&
		       add_argument(PyBytes_AS_STRING(bytes), value);
		Py_DECREF(value);
		Py_XDECREF(bytes);
	}
	return done;
}
