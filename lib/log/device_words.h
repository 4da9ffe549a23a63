/* SPDX-License-Identifier: MIT */
/* CUPTI's numbers in words: those that PyTorch's profiler has for them, which
 * its tools look for. */
#ifndef DEVICE_WORDS_H
#define DEVICE_WORDS_H

#include <stdint.h>

/* "HtoD"; "Unknown" of a number that is not known, as all of these. */
const char *device_word_copy(uint32_t kind);
const char *device_word_memory(uint32_t kind);   /* "Pageable" */
const char *device_word_wait(uint32_t type);     /* "Stream Sync" */
const char *device_word_overhead(uint32_t what); /* "Buffer Flush" */

#endif
