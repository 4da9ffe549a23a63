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
	const struct trace *trace;      /* the trace; and */
	const struct peaks_file *peaks; /* peaks that override peaks.h */
	enum dtype dtype;      /* assumed if unknown; DTYPE_UNKNOWN: none */
	uint32_t top;          /* rows per device; 0: all */
	enum kernels_key sort; /* text only, like the next */
	bool color;
	size_t width;
	const char *input; /* CSV only, like the next */
	bool titles;       /* print column titles first */
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

/* Applies each device's peaks to its rows: see kernels_apply_peak(). `kernels`
 * are the view's. */
void kernels_apply_peaks(
	struct kernels *kernels, const struct kernels_view *view);

/* Each prints to `out`. Errors: reported; they return an exit status. Write
 * errors remain in the stream. */
int kernels_print_text(const struct kernels_view *view, FILE *out);
int kernels_print_csv(const struct kernels_view *view, FILE *out);
int kernels_print_json(const struct kernels_view *view,
	const struct report *report, FILE *out);

#endif
