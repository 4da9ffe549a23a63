/* SPDX-License-Identifier: MIT */
#include "greenlets.h"

#include <stdlib.h>
#include <string.h>

#include "pystring.h"

/* The calls that a waiting greenlet has open. */
struct waiting {
	uint32_t trace;
	size_t count;
	struct tracer_call calls[];
};

/* {greenlet: capsule of struct waiting}, with weak keys. */
static PyObject *all_waiting;

static void waiting_free(PyObject *capsule)
{
	free(PyCapsule_GetPointer(capsule, NULL));
}

/* Closes the open calls, innermost first, and returns them. NULL without an
 * exception if nothing is open; forgetting a greenlet at its end would
 * otherwise call a Python function that is not the program's. NULL also if out
 * of memory: then nothing is reopened. */
static struct waiting *put_aside(struct tracer_thread *thread)
{
	struct tracer_call *first = thread->calls + thread->base + 1;
	size_t count = (size_t)(thread->top + 1 - first);
	struct waiting *waiting =
		count == 0 ? NULL
			   : malloc(sizeof(*waiting) + count * sizeof(*first));

	if (waiting != NULL) {
		waiting->trace = thread->trace;
		waiting->count = count;
		memcpy(waiting->calls, first, count * sizeof(*first));
	}
	for (; thread->top >= first; thread->top--)
		if (thread->top->site != NULL)
			ctp_end_inline();
	return waiting;
}

static void pin(PyObject *greenlet, struct waiting *waiting)
{
	PyObject *capsule = PyCapsule_New(waiting, NULL, waiting_free);

	if (capsule == NULL)
		free(waiting);
	else
		(void)PyObject_SetItem(all_waiting, greenlet, capsule);
	Py_XDECREF(capsule);
}

/* Reopens the calls that the greenlet had open; none the first time. */
static void go_on(struct tracer_thread *thread, PyObject *greenlet)
{
	PyObject *capsule = PyObject_CallMethod(
		all_waiting, "pop", "OO", greenlet, Py_None);
	struct waiting *waiting = NULL;

	if (capsule != NULL && capsule != Py_None)
		waiting = PyCapsule_GetPointer(capsule, NULL);
	if (waiting != NULL && waiting->trace == thread->trace)
		for (size_t i = 0; i < waiting->count; i++)
			threads_push(thread, waiting->calls[i].identity,
				waiting->calls[i].site);
	Py_XDECREF(capsule);
}

/* The trace function of greenlet: `self` is the previous one. */
static PyObject *switched(PyObject *self, PyObject *args)
{
	struct tracer_thread *thread = tracer_self;
	const char *event;
	PyObject *origin, *target;
	struct waiting *waiting;

	if (!PyArg_ParseTuple(args, "s(OO):switched", &event, &origin, &target))
		return NULL;
	if (tracer_on != 0 && thread != NULL && thread->trace == tracer_on) {
		waiting = put_aside(thread);
		if (waiting != NULL)
			pin(origin, waiting);
		go_on(thread, target);
		PyErr_Clear();
	}
	if (self == Py_None)
		Py_RETURN_NONE;
	return PyObject_Call(self, args, NULL);
}

static PyMethodDef switched_method = {"switched", switched, METH_VARARGS, NULL};

/* Sets our function, which calls the previous one. -1 with an exception. */
static int set_trace(PyObject *module)
{
	PyObject *before = PyObject_CallMethod(module, "gettrace", NULL);
	PyObject *ours = before == NULL
				 ? NULL
				 : PyCFunction_New(&switched_method, before);
	PyObject *result = ours == NULL ? NULL
					: PyObject_CallMethod(module,
						  "settrace", "O", ours);

	Py_XDECREF(before);
	Py_XDECREF(ours);
	Py_XDECREF(result);
	return result == NULL ? -1 : 0;
}

static PyObject *weak_dictionary(void)
{
	PyObject *module = PyImport_ImportModule("weakref");
	PyObject *made = module == NULL ? NULL
					: PyObject_CallMethod(module,
						  "WeakKeyDictionary", NULL);

	Py_XDECREF(module);
	return made;
}

void greenlets_watch(struct tracer_thread *thread)
{
	static struct pystring greenlet = {"greenlet", NULL};
	PyObject *module;

	if (thread->has_greenlets)
		return;
	module = pystring_module(&greenlet);
	/* A partly imported module has no functions yet. */
	if (module != NULL && PyObject_HasAttrString(module, "settrace") &&
		PyObject_HasAttrString(module, "gettrace")) {
		if (all_waiting == NULL)
			all_waiting = weak_dictionary();
		if (all_waiting != NULL && set_trace(module) == 0)
			thread->has_greenlets = true;
	}
	Py_XDECREF(module);
	PyErr_Clear();
}
