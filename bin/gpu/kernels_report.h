/* SPDX-License-Identifier: MIT */
/* The ways to print what kernels did. */
#ifndef KERNELS_REPORT_H
#define KERNELS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "roofline/kernels.h"
#include "gpu/peaks_file.h"
#include "cli/report.h"

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

/* Each prints to `out`. Errors: said; they return an exit status; those of
 * writing show on the stream. */
int kernels_print_text(const struct kernels_view *view, FILE *out);
int kernels_print_csv(const struct kernels_view *view, FILE *out);
int kernels_print_json(const struct kernels_view *view,
	const struct report *report, FILE *out);

#endif
