/* SPDX-License-Identifier: MIT */
/* Prints when and why devices were idle. */
#ifndef GAPS_REPORT_H
#define GAPS_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "gaps/gaps.h"
#include "input/report.h"

struct gaps_view {
	const struct gaps *gaps; /* borrowed */
	uint32_t top;            /* places; 0: all */
	const char *input;
};

/* Whether some places are beyond `top`. */
bool gaps_has_more(const struct gaps_view *view);

/* The forms for one input and for a sum. */
extern const struct report_form gaps_form;
extern const struct report_form gaps_sum_form;

/* Writes a struct gaps_view. */
void gaps_write(struct sheet *sheet, const void *view);

/* The parts of it about the devices, and about the host's work. */
void gaps_write_devices(struct sheet *sheet, const struct gaps_view *view);
void gaps_write_places(struct sheet *sheet, const struct gaps_view *view);

#endif
