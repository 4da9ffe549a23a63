/* SPDX-License-Identifier: MIT */
/* The ways to print the times of phases. */
#ifndef PHASES_REPORT_H
#define PHASES_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "input/phase_totals.h"
#include "input/report.h"

struct phases_view {
	const struct phase_totals *totals; /* borrowed; sorted */
	bool color;                        /* text only, as is */
	size_t width;
};

/* Each prints to `out`. Errors: said; they return an exit status; those of
 * writing show on the stream. */
int phases_print_text(const struct phases_view *view, FILE *out);
int phases_print_csv(const struct phases_view *view, FILE *out);
int phases_print_json(
	const struct phases_view *view, const struct report *report, FILE *out);

#endif
