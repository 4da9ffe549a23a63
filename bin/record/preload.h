/* SPDX-License-Identifier: MIT */
/* Puts the libraries that record unmodified programs into those we run. */
#ifndef PRELOAD_H
#define PRELOAD_H

#include <stdbool.h>

#define PRELOAD_PATH_BYTES 4096

/* The path of one of our libraries that go into programs: what the environment
 * variable says, or beside this program; false if it is not there. */
bool preload_find(char out[static PRELOAD_PATH_BYTES], const char *variable,
	const char *library);

/*
 * Adds libctprof-instrument and libctprof to LD_PRELOAD, before what is there.
 * Where they are not found, only programs linked with libctprof are recorded.
 *
 * Errors: said; EXIT_LIMIT if the environment cannot be changed.
 */
int preload_set(void);

/* Says why `program` has left no log at `output`. */
void preload_explain(const char *program, const char *output);

#endif
