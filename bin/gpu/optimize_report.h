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
	const char *input;
};

extern const struct report_form optimize_form;

/* Writes a struct optimize_view. */
void optimize_write(struct sheet *sheet, const void *view);

#endif
