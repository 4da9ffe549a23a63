/* SPDX-License-Identifier: MIT */
/*
 * Callees: Python functions are identified by their code object, C functions by
 * their method definition, other callables by themselves or their type. Names
 * are read once, when a callee is first seen.
 */
#ifndef PYTHON_CALLEE_H
#define PYTHON_CALLEE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "callee_name.h"
#include "code_filter.h"

/* The lists of a callee in which its calls and those that it makes are. */
enum callee_list { CALLEE_CALLED, CALLEE_CALLING, CALLEE_LISTS };

struct callee {
	const void *identity;
	enum callee_kind kind;
	uint32_t line;
	struct callee_names names;
	const char *category;
	bool has_values; /* arguments and results are recorded */
	PyObject *kept;  /* keeps the identity alive; NULL: not needed */
	struct call_site *calls[CALLEE_LISTS]; /* call_sites.c */
};

/*
 * The callee, created when first seen. NULL if out of memory.
 *
 * Ownership: the table's, until callee_forget() or, for a Python function, until
 * its code object is freed. Other objects that give an identity are kept alive:
 * their addresses would come again.
 * Threads: any that may run Python. The pending exception must have been put
 * aside.
 */
struct callee *callee_find(const struct callee_seen *seen);

/* The types of the most frequent callees that are not builtin functions. */
static inline bool callee_is_usual(const PyTypeObject *type)
{
	return type == &PyFunction_Type || type == &PyType_Type ||
	       type == &PyMethod_Type;
}

/* Whether the profile function would see its calls. The most frequent types are
 * checked before base types are walked through. */
static inline bool callee_is_builtin(PyObject *object)
{
	const PyTypeObject *type = Py_TYPE(object);

	return type == &PyCFunction_Type ||
	       (!callee_is_usual(type) && PyCFunction_Check(object));
}

/* Whether it is known and belongs to the profiler itself. */
bool callee_is_hidden(const void *identity);

/* The code object is being freed; it need not be a callee. Threads: any that may
 * run Python. Neither runs Python nor touches exceptions. */
void callee_code_freed(const void *code);

/* Forgets all, while no trace is on: a trace takes names from the objects that
 * it sees first, and its filters decide which calls are recorded. */
void callee_forget(void);

#endif
