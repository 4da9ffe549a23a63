/* SPDX-License-Identifier: MIT */
/* For cupti_program.c: ranges that the fake CUDA knows, so that its record
 * contains the range of each call. */
#ifndef CUPTI_RANGE_H
#define CUPTI_RANGE_H

#include <stdint.h>

#include "fake/fake.h"

/* NULL until it is loaded. */
extern const struct fake_calls *cupti_fake;

/* The number of ranges opened. */
extern _Atomic int64_t cupti_opened;

/* Loads the fake CUDA, as a program does at its first use. */
void cupti_load(void);

/* A range of the calling thread. `name` is borrowed until it ends. */
void cupti_begin(const char *name);
void cupti_end(void);

/* Prints the number of threads to the file GPU_OUT. */
void cupti_print_threads(void);

/* Prints a line on stderr, and exits. */
void cupti_complain(const char *what) __attribute__((noreturn));

#endif
