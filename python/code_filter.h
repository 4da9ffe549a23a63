/* SPDX-License-Identifier: MIT */
/* Filters callees, and classifies those that need more than a record. */
#ifndef PYTHON_CODE_FILTER_H
#define PYTHON_CODE_FILTER_H

#include "callee_name.h"

enum callee_kind {
	CALLEE_PLAIN,
	CALLEE_EXCLUDED,  /* excluded by a filter: not recorded */
	CALLEE_HIDDEN,    /* the profiler's own */
	CALLEE_IMPORT,    /* imports a module */
	CALLEE_MODULE,    /* calls a torch.nn.Module */
	CALLEE_OPTIMIZER, /* steps a torch.optim.Optimizer */
	CALLEE_TASK,      /* creates an asyncio.Task */
};

/*
 * Sets the filters, two tuples of str. A text with a slash or one of "*?[", or
 * that ends in ".py", is a glob for file names; any other names a module, and
 * includes its submodules. -1 with an exception.
 */
int code_filter_set(PyObject *include, PyObject *exclude);

/* Decided by the callee's names. */
enum callee_kind code_filter_kind(const struct callee_names *names);

/* Hides callees whose file is in `directory`, where our own Python files are.
 * -1 with an exception. */
int code_filter_hide(PyObject *directory);

#endif
