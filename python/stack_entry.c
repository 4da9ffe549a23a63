/* SPDX-License-Identifier: MIT */
/*
 * ProfilerStackEntry: like a dataclass with these fields, but in C, since one
 * is created for each call. Its name cannot change: the state has counted it
 * under that name.
 */
#include "state.h"

#include <stddef.h>
#include <structmember.h>

#define FIELD(name) offsetof(struct stack_entry, name)

struct stack_entry *stack_entry_new(
	PyObject *func_name, PyObject *filename, long long firstlineno)
{
	struct stack_entry *entry =
		PyObject_New(struct stack_entry, &stack_entry_type);

	if (entry == NULL)
		return NULL;
	entry->func_name = Py_NewRef(func_name);
	entry->filename = Py_NewRef(filename);
	entry->firstlineno = firstlineno;
	entry->start_time_ns = 0;
	entry->child_time_ns = 0;
	entry->is_primitive_call = 1;
	return entry;
}

PyObject *stack_entry_place(const struct stack_entry *entry)
{
	return Py_BuildValue(
		"(OOL)", entry->func_name, entry->filename, entry->firstlineno);
}

static PyObject *make(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
	static const char *const names[] = {"func_name", "filename",
		"firstlineno", "start_time_ns", "child_time_ns",
		"is_primitive_call", NULL};
	PyObject *func_name, *filename;
	long long line, start_ns, child_ns;
	int primitive = 1;
	struct stack_entry *entry;

	(void)type; /* cannot be a base class */
	if (!PyArg_ParseTupleAndKeywords(args, keywords,
		    "UULLL|p:ProfilerStackEntry", (char **)(uintptr_t)names,
		    &func_name, &filename, &line, &start_ns, &child_ns,
		    &primitive))
		return NULL;
	entry = stack_entry_new(func_name, filename, line);
	if (entry == NULL)
		return NULL;
	entry->start_time_ns = start_ns;
	entry->child_time_ns = child_ns;
	entry->is_primitive_call = (char)primitive;
	return (PyObject *)entry;
}

static void dealloc(PyObject *self)
{
	struct stack_entry *entry = (struct stack_entry *)self;

	Py_DECREF(entry->func_name);
	Py_DECREF(entry->filename);
	PyObject_Free(self);
}

static PyObject *repr(PyObject *self)
{
	const struct stack_entry *entry = (const struct stack_entry *)self;

	return PyUnicode_FromFormat(
		"ProfilerStackEntry(func_name=%R, filename=%R, firstlineno="
		"%lld, start_time_ns=%lld, child_time_ns=%lld, "
		"is_primitive_call=%s)",
		entry->func_name, entry->filename, entry->firstlineno,
		entry->start_time_ns, entry->child_time_ns,
		entry->is_primitive_call ? "True" : "False");
}

static PyObject *compare(PyObject *left, PyObject *right, int operation)
{
	const struct stack_entry *a = (const struct stack_entry *)left;
	const struct stack_entry *b = (const struct stack_entry *)right;
	int equal;

	if (!Py_IS_TYPE(left, &stack_entry_type) ||
		!Py_IS_TYPE(right, &stack_entry_type) ||
		(operation != Py_EQ && operation != Py_NE))
		Py_RETURN_NOTIMPLEMENTED;
	equal = a->firstlineno == b->firstlineno &&
		a->start_time_ns == b->start_time_ns &&
		a->child_time_ns == b->child_time_ns &&
		a->is_primitive_call == b->is_primitive_call;
	if (equal)
		equal = PyObject_RichCompareBool(
			a->func_name, b->func_name, Py_EQ);
	if (equal > 0)
		equal = PyObject_RichCompareBool(
			a->filename, b->filename, Py_EQ);
	if (equal < 0)
		return NULL;
	return PyBool_FromLong(equal == (operation == Py_EQ));
}

/* For copy and pickle. */
static PyObject *reduce(PyObject *self, PyObject *unused)
{
	const struct stack_entry *entry = (const struct stack_entry *)self;

	(void)unused;
	return Py_BuildValue("O(OOLLLO)", Py_TYPE(self), entry->func_name,
		entry->filename, entry->firstlineno, entry->start_time_ns,
		entry->child_time_ns,
		entry->is_primitive_call ? Py_True : Py_False);
}

static PyMethodDef methods[] = {
	{"__reduce__", reduce, METH_NOARGS, NULL},
	{NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
	{"func_name", T_OBJECT_EX, FIELD(func_name), READONLY, NULL},
	{"filename", T_OBJECT_EX, FIELD(filename), READONLY, NULL},
	{"firstlineno", T_LONGLONG, FIELD(firstlineno), READONLY, NULL},
	{"start_time_ns", T_LONGLONG, FIELD(start_time_ns), 0, NULL},
	{"child_time_ns", T_LONGLONG, FIELD(child_time_ns), 0,
		"The time of its direct calls, so far."},
	{"is_primitive_call", T_BOOL, FIELD(is_primitive_call), 0,
		"Was no call of this function open when it began?"},
	{NULL, 0, 0, 0, NULL},
};

PyTypeObject stack_entry_type = {
	PyVarObject_HEAD_INIT(NULL, 0).tp_name =
		"ctprof.dynamo.ProfilerStackEntry",
	.tp_doc = "ProfilerStackEntry(func_name, filename, firstlineno, "
		  "start_time_ns, child_time_ns, is_primitive_call=True)\n"
		  "--\n\n"
		  "An open call of a DynamoProfilerState.",
	.tp_basicsize = sizeof(struct stack_entry),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_new = make,
	.tp_dealloc = dealloc,
	.tp_repr = repr,
	.tp_richcompare = compare,
	.tp_hash = PyObject_HashNotImplemented,
	.tp_methods = methods,
	.tp_members = members,
};
