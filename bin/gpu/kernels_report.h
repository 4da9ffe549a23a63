/* SPDX-License-Identifier: MIT */
/* Prints the statistics of kernels. */
#ifndef KERNELS_REPORT_H
#define KERNELS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "profile/profile.h"
#include "roofline/kernels.h"
#include "gpu/peaks_file.h"
#include "input/report.h"

struct kernels_view {
	const struct kernels *kernels;  /* borrowed, like */
	const struct peaks_file *peaks; /* peaks that override peaks.h */
	uint64_t late;                  /* see kernels_late() */
	enum dtype dtype; /* assumed if unknown; DTYPE_UNKNOWN: none */
	uint32_t top;     /* rows per device; 0: all */
	const struct column *sort;
	const char *input;
	uint64_t all_ns; /* of all functions of devices, on pages */
};

/* The table of kernels, whose columns have the words of --sort; and sorts them
 * by the view's. `kernels` are the view's. */
extern const struct columns kernels_table;
void kernels_report_sort(
	struct kernels *kernels, const struct kernels_view *view);

/* For pages: writes the cells of a device's function, with the work of a row and
 * the peak of its device (UINT32_MAX: unknown). */
void kernels_put_function(struct sheet *sheet, const struct kernels_view *view,
	const struct profile_function *function,
	const struct kernels_row *work);

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

/* Writes the table of operators, for pages. */
void kernels_write_ops(struct sheet *sheet, const struct kernels_view *view);

#endif
