/* SPDX-License-Identifier: MIT */
/* The ways to print when and why devices were idle. */
#ifndef GAPS_REPORT_H
#define GAPS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "gaps/gaps.h"
#include "input/report.h"

struct gaps_view {
	const struct gaps *gaps;   /* borrowed, as is */
	const struct trace *trace; /* the trace */
	uint32_t top;              /* places; 0: all */
	bool color;                /* text only, as is */
	size_t width;
	const char *input; /* CSV only, as is */
	bool titles;       /* those of the columns come first */
};

/* Each prints to `out`. Errors: said; they return an exit status; those of
 * writing show on the stream. */
int gaps_print_text(const struct gaps_view *view, FILE *out);
int gaps_print_csv(const struct gaps_view *view, FILE *out);
int gaps_print_json(
	const struct gaps_view *view, const struct report *report, FILE *out);

#endif
