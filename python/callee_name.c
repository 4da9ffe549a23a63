/* SPDX-License-Identifier: MIT */
#include "callee_name.h"

#include <stdbool.h>
#include <string.h>

char *callee_text(PyObject *text)
{
	PyObject *bytes;
	char *copy;

	/* Nearly all names are valid UTF-8, and those are encoded directly. */
	if (PyUnicode_Check(text) && PyUnicode_IS_COMPACT_ASCII(text))
		return strdup((const char *)PyUnicode_1BYTE_DATA(text));
	bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogateescape");
	if (bytes == NULL) {
		PyErr_Clear();
		bytes = PyUnicode_AsEncodedString(
			text, "utf-8", "backslashreplace");
	}
	if (bytes == NULL) {
		PyErr_Clear();
		return NULL;
	}
	copy = strdup(PyBytes_AS_STRING(bytes));
	Py_DECREF(bytes);
	return copy;
}

/* The parts of a C function. */
struct c_function {
	const char *name;
	PyObject *self;   /* NULL: none */
	PyObject *module; /* its module attribute, or NULL */
};

static struct c_function c_function(const struct callee_seen *seen)
{
	PyCFunctionObject *f;

	if (Py_TYPE(seen->object) == &PyMethodDescr_Type)
		return (struct c_function){
			.name = ((PyMethodDescrObject *)seen->object)
					->d_method->ml_name,
			.self = seen->self,
		};
	f = (PyCFunctionObject *)seen->object;
	return (struct c_function){f->m_ml->ml_name, f->m_self, f->m_module};
}

static PyObject *name_of_function(const struct c_function *f)
{
	PyObject *module = NULL, *name;

	if (f->module != NULL && PyUnicode_Check(f->module))
		module = Py_NewRef(f->module);
	else if (f->module != NULL && PyModule_Check(f->module))
		module = PyModule_GetNameObject(f->module);
	PyErr_Clear();
	if (module == NULL ||
		PyUnicode_CompareWithASCIIString(module, "builtins") == 0)
		name = PyUnicode_FromFormat("<%s>", f->name);
	else
		name = PyUnicode_FromFormat("<%U.%s>", module, f->name);
	Py_XDECREF(module);
	return name;
}

/* The attribute of its type under the method's name. As in cProfile, that may
 * be a Python function that overrides this one. */
static PyObject *name_of_attribute(const struct c_function *f)
{
	PyObject *key = PyUnicode_FromString(f->name);
	PyObject *found, *name = NULL;

	if (key == NULL)
		return NULL;
	found = _PyType_Lookup(Py_TYPE(f->self), key);
	if (found != NULL) {
		Py_INCREF(found);
		name = PyObject_Repr(found);
		Py_DECREF(found);
	}
	Py_DECREF(key);
	return name;
}

static PyObject *name_of_method(const struct c_function *f)
{
	PyObject *name = name_of_attribute(f);

	if (name != NULL)
		return name;
	PyErr_Clear();
	if (f->module != NULL && PyUnicode_Check(f->module))
		return PyUnicode_FromFormat(
			"<built-in method %S.%s>", f->module, f->name);
	return PyUnicode_FromFormat("<built-in method %s>", f->name);
}

static bool is_c_function(const struct callee_seen *seen)
{
	return PyCFunction_Check(seen->object) ||
	       (Py_TYPE(seen->object) == &PyMethodDescr_Type &&
		       seen->self != NULL);
}

char *callee_c_plain_name(const struct callee_seen *seen)
{
	return is_c_function(seen) ? strdup(c_function(seen).name) : NULL;
}

/* Names the callables that cProfile does not show: a type, a descriptor, or an
 * object whose type can be called. */
static PyObject *name_of_other(const struct callee_seen *seen)
{
	if (seen->identity == seen->object)
		return PyObject_Repr(seen->object);
	return PyUnicode_FromFormat("<slot wrapper '__call__' of '%s' objects>",
		Py_TYPE(seen->object)->tp_name);
}

char *callee_c_name(const struct callee_seen *seen)
{
	PyObject *name;
	char *text;

	if (is_c_function(seen)) {
		struct c_function f = c_function(seen);

		name = f.self == NULL ? name_of_function(&f)
				      : name_of_method(&f);
	} else {
		name = name_of_other(seen);
	}
	if (name == NULL) {
		PyErr_Clear();
		return strdup("<unknown>");
	}
	text = callee_text(name);
	Py_DECREF(name);
	return text;
}

/* The type that defines the method: `type` or one of its bases; NULL if none
 * does. */
static PyTypeObject *find_method(
	const PyTypeObject *type, const PyMethodDef *wanted)
{
	PyObject *bases = type->tp_mro;

	for (Py_ssize_t i = 0; bases != NULL && i < PyTuple_GET_SIZE(bases);
		i++) {
		PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(bases, i);
		const PyMethodDef *method = base->tp_methods;

		while (method != NULL && method->ml_name != NULL)
			if (method++ == wanted)
				return base;
	}
	return NULL;
}

/* The same for a method of an object; for a class method, the object is the
 * type. */
static PyTypeObject *type_of_method(const PyCFunctionObject *f)
{
	PyTypeObject *type = NULL;

	if (PyType_Check(f->m_self))
		type = find_method((PyTypeObject *)f->m_self, f->m_ml);
	if (type == NULL)
		type = find_method(Py_TYPE(f->m_self), f->m_ml);
	return type != NULL ? type : Py_TYPE(f->m_self);
}

/* The object whose __module__ is read. */
static PyObject *module_holder(const struct callee_seen *seen)
{
	PyObject *object = seen->object;
	bool is_descriptor = Py_TYPE(object) == &PyMethodDescr_Type ||
			     Py_TYPE(object) == &PyWrapperDescr_Type ||
			     Py_TYPE(object) == &PyClassMethodDescr_Type;

	if (is_descriptor)
		return (PyObject *)((PyDescrObject *)object)->d_type;
	if (PyCFunction_Check(object)) {
		PyCFunctionObject *f = (PyCFunctionObject *)object;

		if (f->m_module == NULL && f->m_self != NULL)
			return (PyObject *)type_of_method(f);
	}
	return object;
}

char *callee_c_module(const struct callee_seen *seen)
{
	PyObject *module =
		PyObject_GetAttrString(module_holder(seen), "__module__");
	char *text;

	if (module == NULL || !PyUnicode_Check(module)) {
		PyErr_Clear();
		Py_XDECREF(module);
		return strdup("");
	}
	text = callee_text(module);
	Py_DECREF(module);
	return text;
}
