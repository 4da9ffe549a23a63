/* SPDX-License-Identifier: MIT */
/* The ways to print which ranges of the host are worth to be made faster. */
#ifndef OPTIMIZE_REPORT_H
#define OPTIMIZE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "gaps/ranking.h"
#include "input/report.h"

struct optimize_view {
	const struct ranking *optimize; /* borrowed, as is */
	const struct trace *trace;      /* the trace */
	bool color;                     /* text only, as is */
	size_t width;
	const char *input; /* CSV only, as is */
	bool titles;       /* those of the columns come first */
};

/* Each prints to `out`. Errors: said; they return an exit status; those of
 * writing show on the stream. */
int optimize_print_text(const struct optimize_view *view, FILE *out);
int optimize_print_csv(const struct optimize_view *view, FILE *out);
int optimize_print_json(const struct optimize_view *view,
	const struct report *report, FILE *out);

#endif
