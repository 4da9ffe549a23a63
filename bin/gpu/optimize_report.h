/* SPDX-License-Identifier: MIT */
/* Prints which host ranges are worth optimizing. */
#ifndef OPTIMIZE_REPORT_H
#define OPTIMIZE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "gaps/ranking.h"
#include "input/report.h"

struct optimize_view {
	const struct ranking *optimize; /* borrowed, like */
	const struct trace *trace;      /* the trace */
	bool color;                     /* text only, like the next */
	size_t width;
	const char *input; /* CSV only, like the next */
	bool titles;       /* print column titles first */
};

/* Each prints to `out`. Errors: reported; they return an exit status. Write
 * errors remain in the stream. */
int optimize_print_text(const struct optimize_view *view, FILE *out);
int optimize_print_csv(const struct optimize_view *view, FILE *out);
int optimize_print_json(const struct optimize_view *view,
	const struct report *report, FILE *out);

#endif
