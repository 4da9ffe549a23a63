/* SPDX-License-Identifier: MIT */
/* Words for CUPTI's numbers, as used by PyTorch's profiler and expected by its
 * tools. */
#ifndef ACTIVITY_NAME_H
#define ACTIVITY_NAME_H

#include <stdint.h>

/* "HtoD". All return "Unknown" for an unknown number. */
const char *activity_name_copy(uint32_t kind);
const char *activity_name_memory(uint32_t kind);   /* "Pageable" */
const char *activity_name_wait(uint32_t type);     /* "Stream Sync" */
const char *activity_name_overhead(uint32_t what); /* "Buffer Flush" */

#endif
