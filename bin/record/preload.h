/* SPDX-License-Identifier: MIT */
/*
 * Puts the libraries that record unmodified programs into those we run: by
 * LD_PRELOAD, and by the variables in which the loaders of CUDA, NVTX and ITT
 * look for a tool's library. With --emit, such a tool collects our ranges.
 */
#ifndef PRELOAD_H
#define PRELOAD_H

#include <stdbool.h>

#include "cli/arguments.h"

struct preload_options {
	const char *gpu;  /* "light", "full" or "off"; NULL: not given */
	const char *emit; /* "nvtx" or "itt"; NULL: nothing */
	bool no_library;  /* have no library of ours loaded */
	bool no_nvtx;
	bool no_itt;
};

/* --gpu, --emit and so on; the structure is a struct preload_options. */
extern const struct arguments preload_arguments;

/*
 * Adds libctprof-instrument and libctprof to LD_PRELOAD, before existing
 * entries. If they are not found, only programs linked with libctprof are
 * recorded.
 *
 * Errors: reported; EXIT_LIMIT if the environment cannot be changed.
 */
int preload_set(void);

/* The path of the recorder's library; free it. NULL if it is not found. */
char *preload_find_recorder(void);

/* Whether to record GPU activity. */
bool preload_wants_gpu(const struct preload_options *options);

/*
 * Sets the variables of CUDA's, NVTX's and ITT's loaders. A variable that another
 * tool has set is left to it, which is reported if `verbose` is set.
 *
 * Errors: reported; EXIT_LIMIT if the environment cannot be changed, EXIT_INPUT if
 * the GPU was requested and the library is not found.
 */
int preload_set_tools(const struct preload_options *options, bool verbose);

/* Explains why `program` left no log at `output`. Returns EXIT_INPUT if it was
 * built for another tracer, else EXIT_DONE. */
int preload_explain(const char *program, const char *output);

#endif
