/* SPDX-License-Identifier: MIT */
/* Prints the statistics of kernels. */
#ifndef KERNELS_REPORT_H
#define KERNELS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "roofline/kernels.h"
#include "gpu/peaks_file.h"
#include "input/report.h"

struct kernels_view {
	const struct kernels *kernels;  /* borrowed, like */
	const struct peaks_file *peaks; /* peaks that override peaks.h */
	enum dtype dtype; /* assumed if unknown; DTYPE_UNKNOWN: none */
	uint32_t top;     /* rows per device; 0: all */
	const struct column *sort;
	const char *input;
};

/* The rates of a row, if known. */
struct kernels_rates {
	bool has_flops;
	bool has_bytes;
	bool has_flops_share;
	bool has_bytes_share;
	uint64_t flops_per_s;
	uint64_t bytes_per_s;
	uint64_t flops_share; /* hundredths of a percent, like the next */
	uint64_t bytes_share;
};

/* `peak` may be NULL. */
struct kernels_rates kernels_rates_of(const struct kernels_view *view,
	const struct kernels_row *row, const struct peak *peak);

/* The peaks of a device; NULL if unknown. */
const struct peak *kernels_peak_of(
	const struct kernels_view *view, const struct kernels_device *device);

/* The table of kernels, whose columns have the words of --sort; and sorts them
 * by the view's. `kernels` are the view's. */
extern const struct columns kernels_table;
void kernels_report_sort(
	struct kernels *kernels, const struct kernels_view *view);

/* Applies each device's peaks to its rows: see kernels_apply_peak(). `kernels`
 * are the view's. */
void kernels_apply_peaks(
	struct kernels *kernels, const struct kernels_view *view);

/* Whether a device has rows beyond `top`. */
bool kernels_has_more(const struct kernels_view *view);

/* The forms for one input and for a sum. */
extern const struct report_form kernels_form;
extern const struct report_form kernels_sum_form;

/* Writes a struct kernels_view. */
void kernels_write(struct sheet *sheet, const void *view);

#endif
