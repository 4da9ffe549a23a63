/* SPDX-License-Identifier: MIT */
/*
 * What can be called: Python functions by their code object, C functions by
 * their method definition, other things by themselves or their type. Their
 * names are taken once, when they are first seen.
 */
#ifndef PYTHON_CALLEE_H
#define PYTHON_CALLEE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

enum callee_kind {
	CALLEE_PLAIN,
	CALLEE_EXCLUDED,  /* by a filter: not recorded */
	CALLEE_HIDDEN,    /* the profiler's own */
	CALLEE_IMPORT,    /* the function that imports a module */
	CALLEE_MODULE,    /* the one that calls a torch.nn.Module */
	CALLEE_OPTIMIZER, /* or steps a torch.optim.Optimizer */
	CALLEE_TASK,      /* or makes an asyncio.Task */
};

struct callee {
	const void *identity;
	enum callee_kind kind;
	uint32_t line;
	char *name;
	char *file;
	char *full_name; /* NULL: the name */
	char *module;    /* NULL: of Python functions */
	const char *category;
	PyObject *kept; /* for its identity's sake; NULL: nothing */
};

/* A callee as a hook sees it. */
struct callee_seen {
	const void *identity; /* equal for equal callees */
	PyObject *object;     /* a code object, or what is called */
	PyObject *self;       /* of a method descriptor: its object. NULL */
};

/*
 * The callee, made at first sight. NULL if out of memory.
 *
 * Ownership: the table's, until callee_forget(). So is what gives its identity:
 * a freed code object's address would come again.
 * Threads: any that may run Python. The pending exception must have been put
 * aside.
 */
const struct callee *callee_find(const struct callee_seen *seen);

/* The types of what is called most, and is no builtin function. */
static inline bool callee_is_usual(const PyTypeObject *type)
{
	return type == &PyFunction_Type || type == &PyType_Type ||
	       type == &PyMethod_Type;
}

/* Whether the profile function would be told of its calls. The most usual are
 * told apart before base types are walked through. */
static inline bool callee_is_builtin(PyObject *object)
{
	const PyTypeObject *type = Py_TYPE(object);

	return type == &PyCFunction_Type ||
	       (!callee_is_usual(type) && PyCFunction_Check(object));
}

/* Whether it is known and the profiler's own. */
bool callee_is_hidden(const void *identity);

/* Forgets all, while no trace is on: names are those of the objects that a
 * trace sees first, and what is recorded is its filters' business. */
void callee_forget(void);

#endif
