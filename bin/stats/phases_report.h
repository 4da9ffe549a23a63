/* SPDX-License-Identifier: MIT */
/* Prints the times of phases. */
#ifndef PHASES_REPORT_H
#define PHASES_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "input/phase_totals.h"
#include "input/report.h"

struct phases_view {
	const struct phase_totals *totals; /* borrowed; sorted */
	bool color;                        /* text only, like the next */
	size_t width;
};

/* Each prints to `out`. Errors: reported; they return an exit status. Write
 * errors remain in the stream. */
int phases_print_text(const struct phases_view *view, FILE *out);
int phases_print_csv(const struct phases_view *view, FILE *out);
int phases_print_json(
	const struct phases_view *view, const struct report *report, FILE *out);

#endif
