/* SPDX-License-Identifier: MIT */
/* For tests/lib/cupti/gpu_program.c: ranges that the fake CUDA knows of, so that what it
 * writes down says where each call was made. */
#ifndef GPU_RANGE_H
#define GPU_RANGE_H

#include <stdint.h>

#include "fake/fake.h"

/* NULL until it is loaded. */
extern const struct fake_calls *gpu_fake;

/* So many ranges were opened. */
extern _Atomic int64_t gpu_opened;

/* Loads the fake CUDA, as a program does when it first has need of it. */
void gpu_load(void);

/* A range of the calling thread. `name` is borrowed until it ends. */
void gpu_begin(const char *name);
void gpu_end(void);

/* Tells in GPU_OUT how many threads there are. */
void gpu_tell_threads(void);

/* A line on stderr, and the end. */
void gpu_complain(const char *what) __attribute__((noreturn));

#endif
