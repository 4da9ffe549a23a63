/* SPDX-License-Identifier: MIT */
#include "callee.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "call_sites.h"
#include "code_watch.h"
#include "ptr_map.h"

/* The interpreter's lock is never released while this one is held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ptr_map table;

static struct callee *find(const void *identity)
{
	struct callee *callee;

	pthread_mutex_lock(&lock);
	callee = ptr_map_find(&table, identity, NULL);
	pthread_mutex_unlock(&lock);
	return callee;
}

bool callee_is_hidden(const void *identity)
{
	const struct callee *callee = find(identity);

	return callee != NULL && callee->kind == CALLEE_HIDDEN;
}

static void callee_free(struct callee *callee)
{
	free(callee->names.name);
	free(callee->names.file);
	free(callee->names.full_name);
	free(callee->names.c_name);
	free(callee->names.module);
	Py_XDECREF(callee->kept);
	free(callee);
}

/* Names a code object from the code alone; a C callee from the first object
 * seen. */
static bool name_python(struct callee *callee, PyCodeObject *code)
{
	callee->names.name = callee_text(code->co_name);
	callee->names.file = callee_text(code->co_filename);
	callee->names.full_name = callee_text(code->co_qualname);
	callee->line =
		code->co_firstlineno > 0 ? (uint32_t)code->co_firstlineno : 0;
	callee->category = "python";
	return callee->names.name != NULL && callee->names.file != NULL &&
	       callee->names.full_name != NULL;
}

static bool name_c(struct callee *callee, const struct callee_seen *seen)
{
	callee->names.name = callee_c_name(seen);
	callee->names.c_name = callee_c_plain_name(seen);
	callee->names.module = callee_c_module(seen);
	callee->names.file = strdup("~");
	callee->category = "c";
	return callee->names.name != NULL && callee->names.module != NULL &&
	       callee->names.file != NULL;
}

/* The object that must live as long as the identity, borrowed. NULL if it lives
 * anyway, or if nothing can be done. */
static PyObject *object_to_pin(const struct callee_seen *seen)
{
	PyObject *self;

	if (PyCode_Check(seen->object))
		return code_watch((PyCodeObject *)seen->object) ? NULL
								: seen->object;
	if (!PyCFunction_Check(seen->object))
		return Py_TYPE(seen->object) == &PyMethodDescr_Type
			       ? NULL
			       : seen->object;
	/* Extensions made by pybind11 own their definitions through this. A
	 * reference to any other object would keep it alive. */
	self = PyCFunction_GET_SELF(seen->object);
	if (self != NULL &&
		(PyModule_Check(self) || PyCapsule_CheckExact(self)))
		return seen->object;
	return NULL;
}

/* The script by which `ctprof record --pid` stops its recording: its frame is
 * open when the trace is. CPython calls its file <string>. */
static bool is_attached_script(PyObject *object)
{
	PyCodeObject *code = (PyCodeObject *)object;

	return PyCode_Check(object) && PyTuple_GET_SIZE(code->co_names) > 0 &&
	       PyUnicode_CompareWithASCIIString(
		       code->co_filename, "<string>") == 0 &&
	       PyUnicode_CompareWithASCIIString(
		       PyTuple_GET_ITEM(code->co_names, 0), "ctprof._attach") ==
		       0;
}

static struct callee *callee_new(const struct callee_seen *seen)
{
	struct callee *callee = calloc(1, sizeof(*callee));
	bool named;

	if (callee == NULL)
		return NULL;
	callee->identity = seen->identity;
	named = PyCode_Check(seen->object)
			? name_python(callee, (PyCodeObject *)seen->object)
			: name_c(callee, seen);
	if (!named) {
		callee_free(callee);
		return NULL;
	}
	callee->kept = Py_XNewRef(object_to_pin(seen));
	callee->kind = is_attached_script(seen->object)
			       ? CALLEE_HIDDEN
			       : code_filter_kind(&callee->names);
	callee->has_values = code_filter_has_values(&callee->names);
	return callee;
}

struct callee *callee_find(const struct callee_seen *seen)
{
	struct callee *callee = find(seen->identity);
	struct callee *other, *unused = NULL;

	if (callee != NULL)
		return callee;
	/* Not under the lock: naming may run Python. */
	callee = callee_new(seen);
	if (callee == NULL)
		return NULL;
	pthread_mutex_lock(&lock);
	other = ptr_map_find(&table, seen->identity, NULL);
	if (other != NULL ||
		ptr_map_add(&table, (struct ptr_map_entry){
					    seen->identity, NULL, callee}) != 0)
		unused = callee;
	pthread_mutex_unlock(&lock);
	if (unused == NULL)
		return callee;
	callee_free(unused);
	return other;
}

void callee_code_freed(const void *code)
{
	struct callee *callee;

	pthread_mutex_lock(&lock);
	callee = ptr_map_remove(&table, code, NULL);
	pthread_mutex_unlock(&lock);
	if (callee == NULL)
		return;
	/* Other threads do not use it, since they do not run its code. */
	call_sites_forget(callee);
	callee_free(callee);
}

void callee_forget(void)
{
	struct ptr_map old;

	pthread_mutex_lock(&lock);
	old = table;
	table = (struct ptr_map){0};
	pthread_mutex_unlock(&lock);
	/* In a free-threaded build, a thread may still be using one. */
#ifndef Py_GIL_DISABLED
	for (size_t i = 0; i < old.size; i++)
		if (old.entries[i].value != NULL)
			callee_free(old.entries[i].value);
#endif
	ptr_map_clear(&old);
}
