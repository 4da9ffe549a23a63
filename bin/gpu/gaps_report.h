/* SPDX-License-Identifier: MIT */
/* Prints when and why devices were idle. */
#ifndef GAPS_REPORT_H
#define GAPS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "gaps/gaps.h"
#include "input/report.h"

struct gaps_view {
	const struct gaps *gaps;   /* borrowed, like */
	const struct trace *trace; /* the trace */
	uint32_t top;              /* places; 0: all */
	bool color;                /* text only, like the next */
	size_t width;
	const char *input; /* CSV only, like the next */
	bool titles;       /* print column titles first */
};

/* Each prints to `out`. Errors: reported; they return an exit status. Write
 * errors remain in the stream. */
int gaps_print_text(const struct gaps_view *view, FILE *out);
int gaps_print_csv(const struct gaps_view *view, FILE *out);
int gaps_print_json(
	const struct gaps_view *view, const struct report *report, FILE *out);

#endif
