/* SPDX-License-Identifier: MIT */
/*
 * Records what programs tell tools for GPUs, NVTX and ITT, and tells such tools
 * what we record: all through the environment, where the loaders of CUDA, NVTX
 * and ITT look for a library to load.
 */
#ifndef TOOL_ENV_H
#define TOOL_ENV_H

#include <argp.h>
#include <stdbool.h>

struct tool_env {
	const char *gpu;  /* "light", "full" or "off"; NULL: not asked for */
	const char *emit; /* "nvtx" or "itt"; NULL: nothing */
	bool no_library;  /* have no library of ours loaded */
	bool no_nvtx;
	bool no_itt;
};

/* --gpu, --emit and so on; its input is a struct tool_env. */
extern const struct argp tool_env_argp;

/* Is what goes on in the GPU to be recorded? */
bool tool_env_wants_gpu(const struct tool_env *tools);

/*
 * Sets the variables; those that another tool has set are left to it, which is
 * said if `verbose` is set.
 *
 * Errors: said; EXIT_LIMIT if the environment cannot be changed, EXIT_INPUT if
 * the GPU is asked for and the library is not found.
 */
int tool_env_apply(const struct tool_env *tools, bool verbose);

#endif
