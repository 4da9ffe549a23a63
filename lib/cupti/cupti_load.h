/* SPDX-License-Identifier: MIT */
/* The loaded libcupti: its functions, version, quirks, and record sizes. */
#ifndef CUPTI_LOAD_H
#define CUPTI_LOAD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti/cupti_abi.h"

/* Differences between versions. */
enum cupti_quirk {
	/* CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: disabling it may hang. */
	CUPTI_QUIRK_NEVER_DISABLE = 1,
	/* Flushing buffers that belong to threads races with these. */
	CUPTI_QUIRK_NO_THREAD_BUFFERS = 2,
};

struct cupti_library {
	struct cupti cupti;
	char path[PATH_MAX];
	uint32_t version;
	unsigned quirks;
	/* Size of the records of each kind; 0: unknown to the library. */
	uint16_t sizes[CUPTI_KIND_LIMIT];
};

/* The loaded library. Written only by cupti_load(). */
extern struct cupti_library cupti_library;

/*
 * Loads it; once in a process.
 *
 * Errors: false, with `reason`.
 */
bool cupti_load(char *reason, size_t size);

/* The applicable quirks as text, separated by "; ". */
void cupti_load_quirks(char *out, size_t size);

/* libcuda if loaded; else NULL. */
void *cupti_load_driver(void);

/* The driver's version from cuDriverGetVersion(); 0: unknown. */
int cupti_load_driver_version(void);

/* A result as text, like "CUPTI_ERROR_UNKNOWN (999)". */
void cupti_load_result(char *out, size_t size, int result);

/* Size of the record at `bytes`, of which `left` are valid; 0 if it is unknown.
 * Does not call CUPTI. */
size_t cupti_load_size(const uint8_t *bytes, size_t left);

#endif
