/* SPDX-License-Identifier: MIT */
/*
 * The time that recording itself took, estimated from a log: its ranges, each
 * at the cost that the recorder measured, and the waits of threads for the log.
 */
#ifndef RECORDING_COST_H
#define RECORDING_COST_H

#include "profile/profile.h"
#include "trace/trace.h"

#define RECORDING_COST_TEXT 384

/* The header's fact with the measured cost of a range, in picoseconds. */
#define RECORDING_COST_FACT "range_ps"

struct recording_cost {
	/* One line with the estimate and the cure, if recording took more than
	 * a tenth of the time of all functions, or of one that matters; else
	 * "". */
	char line[RECORDING_COST_TEXT];
	/* The same in numbers, set with the line. */
	uint32_t percent;
	uint64_t ranges;
	/* One line about the waits of threads; "" if there was none. */
	char waits[RECORDING_COST_TEXT];
};

/* The waits of threads for the log: their total time. */
uint64_t recording_cost_waits_ns(const struct trace *trace);

/* Fills in the lines for a log that was read to its end. `profile` may be NULL:
 * there is no estimate then. */
void recording_cost_find(struct recording_cost *cost, const struct trace *trace,
	const struct profile *profile);

#endif
