/* SPDX-License-Identifier: MIT */
/* Between kernels_report.c, kernels_text.c and page_kernels.c. */
#ifndef KERNELS_PRIVATE_H
#define KERNELS_PRIVATE_H

#include "gpu/kernels_report.h"

/* What is shown of a row, where it is known. */
struct kernels_rates {
	bool has_flops;
	bool has_bytes;
	bool has_flops_share;
	bool has_bytes_share;
	uint64_t flops_per_s;
	uint64_t bytes_per_s;
	uint64_t flops_share; /* hundredths of a percent, as is */
	uint64_t bytes_share;
};

/* `peak` may be NULL. */
struct kernels_rates kernels_rates_of(const struct kernels_view *view,
	const struct kernels_row *row, const struct peak *peak);

/* The peaks of a device; NULL if they are not known. */
const struct peak *kernels_peak_of(
	const struct kernels_view *view, const struct kernels_device *device);

/* The row behind the last that is shown of the device that this one is the
 * first of; the first row of the next device. */
uint32_t kernels_end_of(const struct kernels_view *view, uint32_t first);
uint32_t kernels_next_of(const struct kernels_view *view, uint32_t first);

/* Rounded to the nearest. */
uint64_t kernels_mean_of(const struct kernels_row *row);

#endif
