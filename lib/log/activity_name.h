/* SPDX-License-Identifier: MIT */
/* CUPTI's numbers in words: those that PyTorch's profiler has for them, which
 * its tools look for. */
#ifndef ACTIVITY_NAME_H
#define ACTIVITY_NAME_H

#include <stdint.h>

/* "HtoD"; "Unknown" of a number that is not known, as all of these. */
const char *activity_name_copy(uint32_t kind);
const char *activity_name_memory(uint32_t kind);   /* "Pageable" */
const char *activity_name_wait(uint32_t type);     /* "Stream Sync" */
const char *activity_name_overhead(uint32_t what); /* "Buffer Flush" */

#endif
