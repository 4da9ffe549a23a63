/* SPDX-License-Identifier: MIT */
/*
 * Records Python programs: the environment makes every interpreter start the
 * tracer of our package. See python/ctprof/site.
 */
#ifndef PYTHON_H
#define PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/arguments.h"

struct python {
	bool wanted;   /* --python: every call */
	bool compile;  /* --compile: functions that torch.compile traces */
	bool quiet;    /* the tracer prints only errors */
	char *options; /* options of the tracer, one per line; NULL: none */
	uint32_t pid;  /* --pid: a process that runs already; 0: none */
	uint64_t duration_ns; /* --duration; 0: no limit */
	uint64_t wait_ns;     /* --wait; 0: the default */
};

/* --python and related options; the structure is a struct python. */
extern const struct arguments python_arguments;

/* Adds an option for the tracer, without "--"; `value` may be NULL. False if out of
 * memory. */
bool python_add_option(
	struct python *python, const char *option, const char *value);

/*
 * Sets PYTHONPATH and CTPROF_PYTHON, if --python or --compile was given, or if
 * TORCH_COMPILE_DYNAMO_PROFILER is set, which needs the hooks of --compile.
 *
 * Errors: reported; returns an exit status.
 */
int python_apply(const struct python *python);

/* The directory of the package with the entry points of interpreters, absolute;
 * free it. NULL with a report if the package is not found. */
char *python_find_site(void);

/* Explains why no interpreter left a log at `output`. */
void python_explain(char *const *argv, const char *output);

void python_clear(struct python *python);

#endif
