/* SPDX-License-Identifier: MIT */
/*
 * Records what programs tell tools for GPUs, NVTX and ITT, and tells such tools
 * what we record: all through the environment, where the loaders of CUDA, NVTX
 * and ITT look for a library to load.
 */
#ifndef TOOLS_H
#define TOOLS_H

#include <argp.h>
#include <stdbool.h>

struct tools {
	const char *gpu;  /* "light", "full" or "off"; NULL: not asked for */
	const char *emit; /* "nvtx" or "itt"; NULL: nothing */
	bool no_library;  /* have no library of ours loaded */
	bool no_nvtx;
	bool no_itt;
};

/* --gpu, --emit and so on; its input is a struct tools. */
extern const struct argp tools_argp;

/* Is what goes on in the GPU to be recorded? */
bool tools_want_gpu(const struct tools *tools);

/*
 * Sets the variables; those that another tool has set are left to it, which is
 * said if `verbose` is set.
 *
 * Errors: said; EXIT_LIMIT if the environment cannot be changed, EXIT_INPUT if
 * the GPU is asked for and the library is not found.
 */
int tools_apply(const struct tools *tools, bool verbose);

#endif
