/* SPDX-License-Identifier: MIT */
/*
 * Records programs in Python: through the environment, every interpreter that
 * is run starts the tracer of our package. See python/ctprof/site.
 */
#ifndef PYTHON_H
#define PYTHON_H

#include <argp.h>
#include <stdbool.h>

struct python {
	bool wanted;
	char *options; /* for the tracer, a line each; NULL: none */
};

/* --python and what goes with it; its input is a struct python. */
extern const struct argp python_argp;

/* Adds an option for the tracer; `value` may be NULL. False if out of
 * memory. */
bool python_add_option(
	struct python *python, const char *option, const char *value);

/*
 * Sets PYTHONPATH and CTPROF_PYTHON; does nothing if it is not wanted.
 *
 * Errors: said; returns an exit status.
 */
int python_apply(const struct python *python);

/* Says why nothing that was run has left a log at `output`. */
void python_explain(char *const *argv, const char *output);

void python_clear(struct python *python);

#endif
