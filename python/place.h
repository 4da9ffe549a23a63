/* SPDX-License-Identifier: MIT */
/*
 * The functions that a profiler state has met, each once. A call is recursive
 * if a call of its function is already open.
 */
#ifndef PLACE_H
#define PLACE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stddef.h>

#include "ctprof.h"

struct place {
	PyObject *name;
	PyObject *file;
	long long line;
	Py_hash_t hash;
	size_t open;           /* calls */
	struct ctp_site *site; /* NULL until it is recorded */
};

struct places {
	struct place **slots; /* a hash table; NULL: free */
	size_t count;
	size_t room; /* a power of two, or 0 */
};

/*
 * The function's place, created if it is new; its address holds until
 * places_clear(). NULL with an exception.
 *
 * Ownership: `name` and `file`, which are str, are borrowed for the call.
 */
struct place *places_find(
	struct places *places, PyObject *name, PyObject *file, long long line);

void places_clear(struct places *places);

/* The recorder's site of this place; NULL with an exception. */
struct ctp_site *place_site(struct place *place);

#endif
