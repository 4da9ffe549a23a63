/* SPDX-License-Identifier: MIT */
/* For cupti_program.c: ranges that the fake CUDA knows of, so that what it
 * writes down says where each call was made. */
#ifndef CUPTI_RANGE_H
#define CUPTI_RANGE_H

#include <stdint.h>

#include "fake/fake.h"

/* NULL until it is loaded. */
extern const struct fake_calls *cupti_fake;

/* So many ranges were opened. */
extern _Atomic int64_t cupti_opened;

/* Loads the fake CUDA, as a program does when it first has need of it. */
void cupti_load(void);

/* A range of the calling thread. `name` is borrowed until it ends. */
void cupti_begin(const char *name);
void cupti_end(void);

/* Tells in GPU_OUT how many threads there are. */
void cupti_print_threads(void);

/* A line on stderr, and the end. */
void cupti_complain(const char *what) __attribute__((noreturn));

#endif
