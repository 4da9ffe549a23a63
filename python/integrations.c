/* SPDX-License-Identifier: MIT */
#include "integrations.h"

#include <stdlib.h>
#include <string.h>
#include <Python.h>
#include <stdbool.h>
#include <stdio.h>

#include "callee_name.h"
#include "error_state.h"
#include "ctprof.h"
#include "pystring.h"

/* ---- instances ---- */

#define PY_SSIZE_T_CLEAN

static PyObject *names; /* {address: (weak reference, name)} */
static PyObject *next;  /* {class: number}, by the class's name */

/* Guards numbers against being given twice, where the interpreter's lock does
 * not. No Python runs between lock and unlock. */
#ifdef Py_GIL_DISABLED
static PyMutex lock;
#define LOCK() PyMutex_Lock(&lock)
#define UNLOCK() PyMutex_Unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

/* Called when an object ends: `self` is its address. */
static PyObject *forget(PyObject *self, PyObject *reference)
{
	(void)reference;
	if (names != NULL && PyDict_DelItem(names, self) != 0)
		PyErr_Clear();
	Py_RETURN_NONE;
}

static PyMethodDef forget_method = {"forget", forget, METH_O, NULL};

/* The name given to the object, a new reference. NULL without an exception if
 * it has no name yet. */
static PyObject *known(PyObject *address)
{
	PyObject *entry = pystring_item(names, address);
	PyObject *name =
		entry == NULL ? NULL : Py_NewRef(PyTuple_GET_ITEM(entry, 1));

	Py_XDECREF(entry);
	return name;
}

/* The next name of the object's class, a new reference. */
static PyObject *number(PyObject *object)
{
	const char *class = Py_TYPE(object)->tp_name;
	PyObject *last = PyDict_GetItemString(next, class); /* borrowed */
	long count = last == NULL ? 0 : PyLong_AsLong(last);
	PyObject *after = PyLong_FromLong(count + 1);
	int result =
		after == NULL ? -1 : PyDict_SetItemString(next, class, after);

	Py_XDECREF(after);
	return result != 0 ? NULL
			   : PyUnicode_FromFormat("%s_%ld", class, count);
}

/* Stores the name for as long as the object lives. -1 with an exception. */
static int remember(PyObject *object, PyObject *address, PyObject *name)
{
	PyObject *callback = PyCFunction_New(&forget_method, address);
	PyObject *reference =
		callback == NULL ? NULL : PyWeakref_NewRef(object, callback);
	PyObject *entry =
		reference == NULL ? NULL : PyTuple_Pack(2, reference, name);
	int result = entry == NULL ? -1 : PyDict_SetItem(names, address, entry);

	Py_XDECREF(callback);
	Py_XDECREF(reference);
	Py_XDECREF(entry);
	return result;
}

static PyObject *find_or_number(PyObject *object, bool *is_new)
{
	PyObject *address, *name = NULL;

	if (names == NULL)
		names = PyDict_New();
	if (next == NULL)
		next = PyDict_New();
	address = names == NULL || next == NULL ? NULL
						: PyLong_FromVoidPtr(object);
	if (address == NULL)
		return NULL;
	name = known(address);
	if (name == NULL && !PyErr_Occurred()) {
		name = number(object);
		if (name != NULL && remember(object, address, name) != 0)
			Py_CLEAR(name);
		*is_new = name != NULL;
	}
	Py_DECREF(address);
	return name;
}

/* The object's name, a new reference; sets `is_new` if it is a new one. NULL
 * with an exception. */
static PyObject *instances_name(PyObject *object, bool *is_new)
{
	PyObject *name;

	LOCK();
	name = find_or_number(object, is_new);
	UNLOCK();
	return name;
}

/* Adds an argument with the text of an object. Ownership: takes the
 * reference. */
static void add_text(const char *key, PyObject *text)
{
	char *value = text == NULL ? NULL : callee_text(text);

	if (value != NULL)
		ctp_arg_string(key, value);
	free(value);
	Py_XDECREF(text);
	PyErr_Clear();
}

/* The text of an attribute, a new reference; "?" if it is missing. */
static PyObject *attribute(PyObject *object, const char *name)
{
	PyObject *value = PyObject_GetAttrString(object, name);
	PyObject *text = value == NULL ? NULL : PyObject_Str(value);

	Py_XDECREF(value);
	if (text != NULL)
		return text;
	PyErr_Clear();
	return PyUnicode_FromString("?");
}

/* The shape is a tuple, or a derived class whose text is longer. */
static PyObject *shape_of(PyObject *tensor)
{
	PyObject *shape = PyObject_GetAttrString(tensor, "shape");
	PyObject *tuple = shape == NULL ? NULL : PySequence_Tuple(shape);
	PyObject *text = tuple == NULL ? NULL : PyObject_Str(tuple);

	Py_XDECREF(shape);
	Py_XDECREF(tuple);
	if (text != NULL)
		return text;
	PyErr_Clear();
	return PyUnicode_FromString("?");
}

/* Attributes of other objects are not read: they may be computed. */
static bool is_tensor(PyObject *object)
{
	const char *class = Py_TYPE(object)->tp_name;
	PyObject *module = PyObject_GetAttrString(
		(PyObject *)Py_TYPE(object), "__module__");
	char *name = module == NULL || !PyUnicode_Check(module)
			     ? NULL
			     : callee_text(module);
	bool is_torch = name != NULL && strncmp(name, "torch", 5) == 0 &&
			(strcmp(class, "Tensor") == 0 ||
				strcmp(class, "Parameter") == 0);

	free(name);
	Py_XDECREF(module);
	PyErr_Clear();
	return is_torch;
}

/* "(10, 20) torch.float32 cpu requires_grad=True grad=False" */
static void add_tensor(const char *key, PyObject *tensor)
{
	PyObject *shape = shape_of(tensor);
	PyObject *type = attribute(tensor, "dtype");
	PyObject *device = attribute(tensor, "device");
	PyObject *requires = attribute(tensor, "requires_grad");
	PyObject *grad = PyObject_GetAttrString(tensor, "grad");
	const char *has_grad =
		grad == NULL || grad == Py_None ? "False" : "True";

	PyErr_Clear();
	if (shape != NULL && type != NULL && device != NULL && requires != NULL)
		add_text(key, PyUnicode_FromFormat(
				      "%U %U %U requires_grad=%U grad=%s",
				      shape, type, device, requires, has_grad));
	Py_XDECREF(shape);
	Py_XDECREF(type);
	Py_XDECREF(device);
	Py_XDECREF(requires);
	Py_XDECREF(grad);
}

/* Adds arguments to the innermost open range: the parameters of a
 * torch.nn.Module, or those in the groups of a torch.optim.Optimizer and its
 * state. Torch is not imported, and objects that do not look like these are
 * left out. Clear exceptions. */
static void instances_parameters(PyObject *module)
{
	PyObject *parameters = PyObject_GetAttrString(module, "_parameters");
	PyObject *copy = parameters == NULL || !PyDict_Check(parameters)
				 ? NULL
				 : PyDict_Copy(parameters);
	PyObject *key, *value;
	Py_ssize_t at = 0;

	while (copy != NULL && PyDict_Next(copy, &at, &key, &value)) {
		char *name = PyUnicode_Check(key) ? callee_text(key) : NULL;

		if (name != NULL && is_tensor(value))
			add_tensor(name, value);
		free(name);
	}
	Py_XDECREF(copy);
	Py_XDECREF(parameters);
	PyErr_Clear();
}

/* The names in the optimizer's state of a parameter, sorted. */
static void add_state(const char *prefix, PyObject *state, PyObject *parameter)
{
	PyObject *kept = state == NULL || !PyDict_Check(state)
				 ? NULL
				 : pystring_item(state, parameter);
	PyObject *keys =
		kept == NULL || !PyDict_Check(kept) ? NULL : PyDict_Keys(kept);
	char key[80];

	(void)snprintf(key, sizeof(key), "%s.state", prefix);
	if (keys != NULL && PyList_Sort(keys) == 0)
		add_text(key, PyObject_Str(keys));
	Py_XDECREF(keys);
	Py_XDECREF(kept);
	PyErr_Clear();
}

/* A group's tensors, a new reference; NULL if there are none, perhaps with an
 * exception. */
static PyObject *tensors_of(PyObject *group)
{
	PyObject *key = PyUnicode_FromString("params");
	PyObject *list = key == NULL || !PyDict_Check(group)
				 ? NULL
				 : pystring_item(group, key);
	PyObject *tensors = list == NULL ? NULL : PySequence_Tuple(list);

	Py_XDECREF(key);
	Py_XDECREF(list);
	return tensors;
}

static void add_group(Py_ssize_t number, PyObject *group, PyObject *state)
{
	PyObject *tensors = tensors_of(group);

	for (Py_ssize_t i = 0; tensors != NULL && i < PyTuple_GET_SIZE(tensors);
		i++) {
		PyObject *tensor = PyTuple_GET_ITEM(tensors, i);
		char key[64];

		(void)snprintf(
			key, sizeof(key), "group%zd.param%zd", number, i);
		if (!is_tensor(tensor))
			continue;
		add_tensor(key, tensor);
		add_state(key, state, tensor);
	}
	Py_XDECREF(tensors);
	PyErr_Clear();
}

static void instances_groups(PyObject *optimizer)
{
	PyObject *list = PyObject_GetAttrString(optimizer, "param_groups");
	PyObject *groups = list == NULL ? NULL : PySequence_Tuple(list);
	PyObject *state = PyObject_GetAttrString(optimizer, "state");

	PyErr_Clear();
	for (Py_ssize_t i = 0; groups != NULL && i < PyTuple_GET_SIZE(groups);
		i++)
		add_group(i, PyTuple_GET_ITEM(groups, i), state);
	Py_XDECREF(list);
	Py_XDECREF(groups);
	Py_XDECREF(state);
	PyErr_Clear();
}

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
