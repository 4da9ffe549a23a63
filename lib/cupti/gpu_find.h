/* SPDX-License-Identifier: MIT */
/*
 * Which libcupti to use. A process must never have two of them: the one that
 * is not subscribed to stays silent, without an error.
 */
#ifndef GPU_FIND_H
#define GPU_FIND_H

#include <stddef.h>

/*
 * Opens it: what CTPROF_CUPTI_LIB says; else the one that is there already,
 * be it part of the program; else the one beside CUDA's runtime; else what the
 * dynamic linker finds, the driver's own version first, or the toolkit's usual
 * place has.
 *
 * Errors: NULL; then `reason` says why, in words.
 * Ownership: never closed: CUPTI's threads and handlers outlive any use.
 */
void *gpu_find(char *reason, size_t size);

/* libcuda if it is in the process; NULL if not. */
void *gpu_find_driver(void);

/* The driver's version as cuDriverGetVersion() gives it; 0: unknown. */
int gpu_driver_version(void);

#endif
