/* SPDX-License-Identifier: MIT */
/*
 * Names for objects: their class and a number within it, "Linear_0". An object
 * keeps its number, and no other gets it, but objects are not kept alive.
 */
#ifndef PYTHON_INSTANCES_H
#define PYTHON_INSTANCES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>

/* The object's name, a new reference; sets `is_new` if it is a new one. NULL
 * with an exception. */
PyObject *instances_name(PyObject *object, bool *is_new);

/* Adds arguments to the innermost open range: the parameters of a
 * torch.nn.Module, or those in the groups of a torch.optim.Optimizer and its
 * state. Torch is not imported, and objects that do not look like these are
 * left out. Clear exceptions. */
void instances_parameters(PyObject *module);
void instances_groups(PyObject *optimizer);

#endif
