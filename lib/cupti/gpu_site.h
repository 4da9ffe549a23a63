/* SPDX-License-Identifier: MIT */
/* Names of what devices do, as sites of the log, by their numbers. By one
 * thread. */
#ifndef GPU_SITE_H
#define GPU_SITE_H

#include <stdint.h>

#include "ctprof.h"

uint32_t gpu_site_number(struct ctp_site *site);

/* Of any name; copied. */
uint32_t gpu_site(const char *name, const char *category);

/* Of a kernel, whose name is CUPTI's; NULL: not known. */
uint32_t gpu_site_kernel(const char *name);

/* By CUPTI's numbers for the direction, and for kinds of memory. */
uint32_t gpu_site_copy(uint8_t kind, uint8_t source, uint8_t target);
uint32_t gpu_site_memset(uint16_t memory);

#endif
