/* SPDX-License-Identifier: MIT */
/* The arguments and results of chosen functions, as arguments of their ranges in
 * the log. */
#ifndef PYTHON_CALL_VALUES_H
#define PYTHON_CALL_VALUES_H

#include "callee_name.h"
#include "tracer.h"

/* The texts of a call's arguments. */
struct call_values;

/*
 * Reads the arguments of the call that begins: all of a Python function, which
 * is the innermost frame; of a C function, the object and first argument, as far
 * as the interpreter reports them. NULL if the frame of a generator goes on, or
 * if out of memory.
 *
 * May run Python, which may end the trace. Clears exceptions.
 */
struct call_values *call_values_read(const struct callee_seen *seen);

/* The same for the outcome of a Python function, while its range is open. */
struct call_values *call_values_read_outcome(
	const PyCodeObject *code, struct tracer_outcome outcome);

/* Adds them to the innermost open range. */
void call_values_store(const struct call_values *values);

/* NULL is allowed. */
void call_values_free(struct call_values *values);

#endif
