/* SPDX-License-Identifier: MIT */
/* The fake device's clock. */
#ifndef CUDA_CLOCK_H
#define CUDA_CLOCK_H

#include <stdint.h>

/* Units: nanoseconds since some time. Threads: any. */
int64_t cuda_clock_ns(void);

void cuda_clock_step(int64_t ns);

#endif
