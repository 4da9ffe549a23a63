/* SPDX-License-Identifier: MIT */
/* Prints the times of phases. */
#ifndef PHASES_REPORT_H
#define PHASES_REPORT_H

#include "input/phase_totals.h"
#include "cli/columns.h"

extern const struct report_form phases_form;

/* For report_write(); `view` is a sorted struct phase_totals. */
void phases_write(struct sheet *sheet, const void *view);

#endif
