/* SPDX-License-Identifier: MIT */
#include "instances.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "callee_name.h"
#include "ctprof.h"
#include "pystring.h"

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

PyObject *instances_name(PyObject *object, bool *is_new)
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

void instances_parameters(PyObject *module)
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

void instances_groups(PyObject *optimizer)
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
