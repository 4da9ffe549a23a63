/* SPDX-License-Identifier: MIT */
/* The C types under the profiler state of ctprof/dynamo.py. */
#ifndef STATE_H
#define STATE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* An open call, as Python sees it: ProfilerStackEntry. */
struct stack_entry {
	PyObject_HEAD PyObject *func_name;
	PyObject *filename;
	long long firstlineno;
	long long start_time_ns;
	long long child_time_ns;
	char is_primitive_call;
};

extern PyTypeObject stack_entry_type;
extern PyTypeObject state_type;

/* A new entry; the names are borrowed for the call. NULL with an exception. */
struct stack_entry *stack_entry_new(
	PyObject *func_name, PyObject *filename, long long firstlineno);

/* (func_name, filename, firstlineno); NULL with an exception. */
PyObject *stack_entry_place(const struct stack_entry *entry);

/* Adds both types to the module. -1 with an exception. */
int state_add(PyObject *module);

#endif
