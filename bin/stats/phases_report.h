/* SPDX-License-Identifier: MIT */
/* Prints the times of phases. */
#ifndef PHASES_REPORT_H
#define PHASES_REPORT_H

#include "input/phase_threads.h"
#include "cli/columns.h"

extern const struct report_form phases_form;

struct phases_view {
	const struct phase_totals *totals;
	const struct phase_threads *threads; /* sorted; NULL: not shown */
};

/* For report_write(); `view` is a struct phases_view. */
void phases_write(struct sheet *sheet, const void *view);

#endif
