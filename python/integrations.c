/* SPDX-License-Identifier: MIT */
#include "integrations.h"

#include <stdlib.h>
#include <string.h>

#include "callee_name.h"
#include "instances.h"
#include "error_state.h"

const _Alignas(2) char integrations_identity;

/* The site of a range with this name; NULL if out of memory. */
static struct ctp_site *site_of(PyObject *text, const char *category)
{
	struct ctp_site_info info = CTP_SITE_INFO_INIT;
	char *name = text == NULL ? NULL : callee_text(text);
	struct ctp_site *site = NULL;

	if (name != NULL) {
		info.name = name;
		info.category = category;
		site = ctp_site_intern_info(&info);
	}
	free(name);
	return site;
}

/* A local variable of the function just entered, a new reference. NULL with an
 * exception. */
static PyObject *variable(const char *name)
{
	PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
	PyObject *value = NULL;

	if (frame == NULL)
		return NULL;
#if PY_VERSION_HEX >= 0x030c0000
	value = PyFrame_GetVarString(frame, name);
#else
	PyObject *locals = PyFrame_GetLocals(frame);

	if (locals != NULL)
		value = PyMapping_GetItemString(locals, name);
	Py_XDECREF(locals);
#endif
	return value;
}

static struct ctp_site *import_site(void)
{
	PyObject *name = variable("name");
	PyObject *text =
		name == NULL ? NULL : PyUnicode_FromFormat("import %S", name);
	struct ctp_site *site = site_of(text, "import");

	Py_XDECREF(name);
	Py_XDECREF(text);
	return site;
}

/* The object of the method; in a wrapper it is among the arguments. */
static PyObject *receiver(void)
{
	PyObject *self = variable("self"), *args;

	if (self != NULL)
		return self;
	PyErr_Clear();
	args = variable("args");
	if (args != NULL && PyTuple_Check(args) && PyTuple_GET_SIZE(args) > 0)
		self = Py_NewRef(PyTuple_GET_ITEM(args, 0));
	Py_XDECREF(args);
	return self;
}

/* Begins a range named after the object, "Linear_0". */
static void enter_instance(
	struct tracer_thread *thread, bool is_module, bool parameters)
{
	PyObject *self = receiver();
	PyObject *name = NULL;
	bool is_new = false;
	struct ctp_site *site;

	if (self != NULL)
		name = instances_name(self, &is_new);
	site = site_of(name, is_module ? "module" : "optimizer");
	if (site != NULL) {
		threads_push(thread, EXTRAS_IDENTITY, site);
		if (is_new && parameters && is_module)
			instances_parameters(self);
		else if (is_new && parameters)
			instances_groups(self);
	}
	Py_XDECREF(name);
	Py_XDECREF(self);
	PyErr_Clear();
}

void integrations_enter(struct tracer_thread *thread, enum callee_kind kind)
{
	struct tracer_options options = tracer_options();
	struct ctp_site *site;
	/* Where one such function calls another, the inner one. */
	bool is_inner = thread->top > thread->calls &&
			thread->top[-1].identity == EXTRAS_IDENTITY;

	switch (kind) {
	case CALLEE_IMPORT:
		site = options.imports ? import_site() : NULL;
		if (site != NULL)
			threads_push(thread, EXTRAS_IDENTITY, site);
		break;
	case CALLEE_MODULE:
	case CALLEE_OPTIMIZER:
		if (options.modules && !is_inner)
			enter_instance(thread, kind == CALLEE_MODULE,
				options.parameters);
		break;
	case CALLEE_TASK:
		/* The task does not exist yet: it is the result. */
		if (options.tasks && !is_inner)
			threads_push(thread, EXTRAS_IDENTITY, NULL);
		break;
	default:
		break;
	}
	PyErr_Clear();
}

/* Is it a default name of asyncio, like "Task-1"? */
static bool is_made_up(PyObject *name)
{
	const char *text =
		PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;

	return text == NULL ||
	       (strncmp(text, "Task-", 5) == 0 &&
		       text[5 + strspn(text + 5, "0123456789")] == '\0');
}

/* The task's name; if it has only a default name, that of its coroutine. A new
 * reference; NULL with an exception. */
static PyObject *task_name(PyObject *task)
{
	PyObject *name = PyObject_CallMethod(task, "get_name", NULL);
	PyObject *coroutine;

	if (name == NULL || !is_made_up(name))
		return name;
	Py_DECREF(name);
	coroutine = PyObject_CallMethod(task, "get_coro", NULL);
	name = coroutine == NULL
		       ? NULL
		       : PyObject_GetAttrString(coroutine, "__qualname__");
	Py_XDECREF(coroutine);
	return name;
}

/* The callback of a finished task: `self` has its site and its number. */
static PyObject *task_done(PyObject *self, PyObject *task)
{
	void *site = PyLong_AsVoidPtr(PyTuple_GET_ITEM(self, 0));
	uint64_t number = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(self, 1));

	(void)task;
	ctp_async_end(site, number);
	Py_RETURN_NONE;
}

static PyMethodDef task_done_method = {"task_done", task_done, METH_O, NULL};

static void task_begin(PyObject *task)
{
	uint64_t number = tracer_number();
	PyObject *name = task_name(task);
	struct ctp_site *site = site_of(name, "task");
	PyObject *self, *done = NULL, *added = NULL;

	Py_XDECREF(name);
	if (site == NULL)
		return;
	self = Py_BuildValue(
		"(NK)", PyLong_FromVoidPtr(site), (unsigned long long)number);
	if (self != NULL)
		done = PyCFunction_New(&task_done_method, self);
	if (done != NULL)
		added = PyObject_CallMethod(
			task, "add_done_callback", "O", done);
	if (added != NULL)
		ctp_async_begin(site, number);
	Py_XDECREF(self);
	Py_XDECREF(done);
	Py_XDECREF(added);
}

void integrations_exit(struct tracer_thread *thread, PyObject *result)
{
	/* Only a task's range has no site. */
	if (thread->top->site == NULL && result != NULL &&
		PyObject_HasAttrString(result, "add_done_callback"))
		task_begin(result);
	PyErr_Clear();
}

static const _Alignas(2) char gc_identity;
static struct ctp_site *gc_site;

/* Adds what a garbage collection reports at its end to its range. */
static void gc_fact(PyObject *info, const char *key)
{
	PyObject *number = PyDict_GetItemString(info, key); /* borrowed */
	long value = number == NULL ? -1 : PyLong_AsLong(number);

	if (value >= 0)
		ctp_arg_int(key, value);
	PyErr_Clear();
}

static PyObject *gc_collect(PyObject *self, PyObject *args)
{
	const char *phase;
	PyObject *info;

	(void)self;
	if (!PyArg_ParseTuple(
		    args, "sO!:gc_collect", &phase, &PyDict_Type, &info))
		return NULL;
	if (strcmp(phase, "start") == 0) {
		tracer_begin(gc_site, &gc_identity, NULL);
		gc_fact(info, "generation");
	} else {
		gc_fact(info, "collected");
		(void)tracer_end(&gc_identity);
	}
	Py_RETURN_NONE;
}

static PyMethodDef gc_method = {"gc_collect", gc_collect, METH_VARARGS, NULL};
static PyObject *gc_callback; /* NULL: not installed */

/* Calls a method of gc.callbacks with our callback. -1 with an exception. */
static int gc_callbacks(const char *method)
{
	PyObject *module = PyImport_ImportModule("gc");
	PyObject *list = module == NULL
				 ? NULL
				 : PyObject_GetAttrString(module, "callbacks");
	PyObject *result = list == NULL ? NULL
					: PyObject_CallMethod(list, method, "O",
						  gc_callback);

	Py_XDECREF(module);
	Py_XDECREF(list);
	Py_XDECREF(result);
	return result == NULL ? -1 : 0;
}

int integrations_start(void)
{
	struct tracer_options options = tracer_options();
	struct ctp_site_info info = CTP_SITE_INFO_INIT;

	if (!options.gc)
		return 0;
	info.name = "garbage collection";
	info.category = "gc";
	gc_site = ctp_site_intern_info(&info);
	gc_callback = PyCFunction_New(&gc_method, NULL);
	if (gc_callback != NULL && gc_callbacks("append") == 0)
		return 0;
	Py_CLEAR(gc_callback);
	return -1;
}

void integrations_stop(void)
{
	struct error_state error;

	if (gc_callback == NULL)
		return;
	/* The program may have emptied the list. */
	error_save(&error);
	(void)gc_callbacks("remove");
	PyErr_Clear();
	error_restore(&error);
	Py_CLEAR(gc_callback);
}
