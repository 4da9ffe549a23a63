/* SPDX-License-Identifier: MIT */
/* Filters callees, and classifies those that need more than a record. */
#ifndef PYTHON_CODE_FILTER_H
#define PYTHON_CODE_FILTER_H

#include <stdbool.h>

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
 * Sets the filters, tuples of str. A text with a slash or one of "*?[", or
 * that ends in ".py", is a glob for file names; any other names a module, and
 * includes its submodules.
 *
 * `values` are globs for names of functions, "decode" or "Decoder.decode"; before
 * a colon, such a text limits them to a file or module. -1 with an exception.
 */
int code_filter_set(PyObject *include, PyObject *exclude, PyObject *values);

/* Decided by the callee's names. */
enum callee_kind code_filter_kind(const struct callee_names *names);

/* Whether the arguments and results of this callee are recorded. */
bool code_filter_has_values(const struct callee_names *names);

/* Hides callees whose file is in `directory`, where our own Python files are.
 * -1 with an exception. */
int code_filter_hide(PyObject *directory);

#endif
