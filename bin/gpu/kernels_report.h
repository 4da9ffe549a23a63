/* SPDX-License-Identifier: MIT */
/* The ways to print what kernels did. */
#ifndef KERNELS_REPORT_H
#define KERNELS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "roofline/kernels.h"
#include "gpu/peaks_file.h"
#include "input/report.h"

struct kernels_view {
	const struct kernels *kernels;  /* borrowed, as is */
	const struct trace *trace;      /* the trace; and */
	const struct peaks_file *peaks; /* what is known before peaks.h */
	enum dtype dtype; /* where it is not known; DTYPE_UNKNOWN: as it is */
	uint32_t top;     /* rows of each device; 0: all */
	enum kernels_key sort; /* text only, as are */
	bool color;
	size_t width;
	const char *input; /* CSV only, as is */
	bool titles;       /* those of the columns come first */
};

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

/* Each prints to `out`. Errors: said; they return an exit status; those of
 * writing show on the stream. */
int kernels_print_text(const struct kernels_view *view, FILE *out);
int kernels_print_csv(const struct kernels_view *view, FILE *out);
int kernels_print_json(const struct kernels_view *view,
	const struct report *report, FILE *out);

#endif
