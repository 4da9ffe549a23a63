/* SPDX-License-Identifier: MIT */
/* Prints findings. */
#ifndef FINDINGS_REPORT_H
#define FINDINGS_REPORT_H

#include "cli/columns.h"
#include "findings/findings.h"

struct findings_view {
	const struct findings *findings; /* borrowed */
	const char *input;               /* NULL: a sum */
};

extern const struct report_form findings_form;

/* For report_write(); `view` is a struct findings_view. */
void findings_write(struct sheet *sheet, const void *view);

/* The table alone, for pages. */
void findings_write_rows(struct sheet *sheet, const struct findings_view *view);

#endif
