/* SPDX-License-Identifier: MIT */
/*
 * Hooks that do nothing, for both of CPython's protocols of call events: the
 * least cost of any profiler. Also the benchmark's units: the number of events
 * in the older protocol, and the time of one reading of the time-stamp counter.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

static uint64_t event_count;

/* A callback of sys.monitoring. An own type with a vectorcall is the cheapest
 * callable. */
struct callback {
	PyObject_HEAD /* a semicolon would be one too many */
		vectorcallfunc call;
};

static PyObject *nothing(PyObject *self, PyObject *const *arguments,
	size_t count, PyObject *names)
{
	(void)self;
	(void)arguments;
	(void)count;
	(void)names;
	Py_RETURN_NONE;
}

static PyTypeObject callback_type = {
	PyVarObject_HEAD_INIT(NULL, 0) /* likewise */
		.tp_name = "bench_floor.callback",
	.tp_basicsize = sizeof(struct callback),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
	.tp_vectorcall_offset = offsetof(struct callback, call),
	.tp_call = PyVectorcall_Call,
};

static PyObject *callback(PyObject *module, PyObject *unused)
{
	struct callback *new = PyObject_New(struct callback, &callback_type);

	(void)module;
	(void)unused;
	if (new != NULL)
		new->call = nothing;
	return (PyObject *)new;
}

static int profile_nothing(
	PyObject *self, PyFrameObject *frame, int what, PyObject *argument)
{
	(void)self;
	(void)frame;
	(void)what;
	(void)argument;
	return 0;
}

static int profile_count(
	PyObject *self, PyFrameObject *frame, int what, PyObject *argument)
{
	event_count++;
	return profile_nothing(self, frame, what, argument);
}

static PyObject *set_profile(PyObject *module, PyObject *name)
{
	Py_tracefunc hook = NULL;

	(void)module;
	if (!PyUnicode_Check(name))
		return PyErr_Format(PyExc_TypeError, "the name of a hook");
	if (PyUnicode_CompareWithASCIIString(name, "nothing") == 0)
		hook = profile_nothing;
	else if (PyUnicode_CompareWithASCIIString(name, "count") == 0)
		hook = profile_count;
	PyEval_SetProfile(hook, NULL);
	Py_RETURN_NONE;
}

static PyObject *events(PyObject *module, PyObject *unused)
{
	(void)module;
	(void)unused;
	return PyLong_FromUnsignedLongLong(event_count);
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static PyObject *rdtsc_ns(PyObject *module, PyObject *unused)
{
	const int count = 200000;
	double start = now_ns();

	(void)module;
	(void)unused;
#ifdef __x86_64__
	for (int i = 0; i < count; i++) {
		uint64_t ticks = __builtin_ia32_rdtsc();

		__asm__ volatile("" : : "r"(ticks));
	}
#else
	for (int i = 0; i < count; i++)
		(void)now_ns();
#endif
	return PyFloat_FromDouble((now_ns() - start) / count);
}

static PyMethodDef methods[] = {
	{"callback", callback, METH_NOARGS, "One for sys.monitoring."},
	{"set_profile", set_profile, METH_O,
		"Sets the profile function: \"nothing\", \"count\" or none."},
	{"events", events, METH_NOARGS, "What \"count\" has counted."},
	{"rdtsc_ns", rdtsc_ns, METH_NOARGS,
		"Time of a reading of the counter, or else the clock."},
	{NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "bench_floor",
	.m_methods = methods,
};

PyMODINIT_FUNC PyInit_bench_floor(void);

PyMODINIT_FUNC PyInit_bench_floor(void)
{
	if (PyType_Ready(&callback_type) < 0)
		return NULL;
	return PyModule_Create(&definition);
}
