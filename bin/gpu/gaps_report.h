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

/* The columns of idle time by cause: X(cause, key, help). */
#define GAP_CAUSES_IN_JSON(X) \
	X(GAP_HOST, "host", "the thread that launches was at work") \
	X(GAP_SYNC, "synchronization", "it waited for the device") \
	X(GAP_COPY, "copies", "it was in a call that copies") \
	X(GAP_DATA, "data_loading", "it loaded data") \
	X(GAP_QUEUED, "queued", \
		"the next activity was launched, but had not started") \
	X(GAP_NOTHING, "nothing_launched", "there was no further activity") \
	X(GAP_UNKNOWN, "unknown", "the launch is not in the file")

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
