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

enum callee_kind {
	CALLEE_PLAIN,
	CALLEE_EXCLUDED,  /* excluded by a filter: not recorded */
	CALLEE_HIDDEN,    /* the profiler's own */
	CALLEE_IMPORT,    /* imports a module */
	CALLEE_MODULE,    /* calls a torch.nn.Module */
	CALLEE_OPTIMIZER, /* steps a torch.optim.Optimizer */
	CALLEE_TASK,      /* creates an asyncio.Task */
};

struct callee {
	const void *identity;
	enum callee_kind kind;
	uint32_t line;
	char *name;
	char *file;
	char *full_name; /* NULL: the name */
	char *module;    /* NULL for Python functions */
	const char *category;
	PyObject *kept; /* keeps the identity alive; NULL: not needed */
};

/* A callee as a hook sees it. */
struct callee_seen {
	const void *identity; /* equal for equal callees */
	PyObject *object;     /* a code object, or the called object */
	PyObject *self;       /* the object of a method descriptor, or NULL */
};

/*
 * The callee, created when first seen. NULL if out of memory.
 *
 * Ownership: the table's, until callee_forget(). So is what gives its identity:
 * a freed code object's address would come again.
 * Threads: any that may run Python. The pending exception must have been put
 * aside.
 */
const struct callee *callee_find(const struct callee_seen *seen);

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

/* Forgets all, while no trace is on: a trace takes names from the objects that
 * it sees first, and its filters decide which calls are recorded. */
void callee_forget(void);

#endif
