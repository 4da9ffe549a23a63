/* SPDX-License-Identifier: MIT */
/* Between kernels_report.c and kernels_text.c. */
#ifndef KERNELS_PRIVATE_H
#define KERNELS_PRIVATE_H

#include "gpu/kernels_report.h"

/* The row behind the last that is shown of the device that this one is the
 * first of; the first row of the next device. */
uint32_t kernels_end_of(const struct kernels_view *view, uint32_t first);
uint32_t kernels_next_of(const struct kernels_view *view, uint32_t first);

/* Rounded to the nearest. */
uint64_t kernels_mean_of(const struct kernels_row *row);

#endif
