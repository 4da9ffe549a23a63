/* SPDX-License-Identifier: MIT */
/* The extension module ctprof._ctprof: what the package is built on. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "ctprof.h"
#include "ranges.h"

static PyObject *status(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return PyUnicode_FromString(ctp_status());
}

static PyMethodDef methods[] = {
	{"status", status, METH_NOARGS,
		"status() -> str: what the recorder is doing, for people."},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "ctprof._ctprof",
	.m_doc = "The recorder of the ctprof package.",
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit__ctprof(void);

PyMODINIT_FUNC PyInit__ctprof(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (module != NULL && ranges_add(module) != 0)
		Py_CLEAR(module);
	return module;
}
