/* SPDX-License-Identifier: MIT */
/*
 * Finds the API call or op that caused a device activity: by correlation, or by
 * "External id", if that is a separate number and not just the correlation
 * again.
 *
 * Memory: CHROME_CORRELATION_LIMIT calls and activities. In larger traces,
 * correlations are used unless External ids are requested.
 */
#ifndef CHROME_CORRELATION_H
#define CHROME_CORRELATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define CHROME_CORRELATION_LIMIT (UINT32_C(1) << 20)

struct chrome_correlation_ids {
	uint64_t *ids;
	size_t count;
	size_t room;
};

/* The ids of an activity; 0: none. */
struct chrome_cause_ids {
	uint64_t correlation;
	uint64_t external;
};

struct chrome_correlation {
	const struct trace *trace;
	struct chrome_correlation_ids calls; /* correlations of API calls */
	struct chrome_correlation_ids
		external; /* later only those used for joining */
	struct chrome_correlation_ids work; /* their correlations */
	bool *seen; /* the op with this External id was found */
	bool real;  /* some External ids are not correlations */
	bool full;  /* beyond the limit */
};

void chrome_correlation_init(
	struct chrome_correlation *table, const struct trace *trace);
void chrome_correlation_clear(struct chrome_correlation *table);

/* Call these while reading the file; false if out of memory, as for all
 * below. */
bool chrome_correlation_add_call(
	struct chrome_correlation *table, uint64_t correlation);
bool chrome_correlation_add_work(
	struct chrome_correlation *table, struct chrome_cause_ids cause);

/* Call it after reading the file. */
bool chrome_correlation_finish(struct chrome_correlation *table);

/* Call these in order of time. Return the id of a call or an op, 0 if no
 * activity refers to it, and the id of an activity. */
uint64_t chrome_correlation_call(
	const struct chrome_correlation *table, uint64_t correlation);
uint64_t chrome_correlation_op(
	struct chrome_correlation *table, uint64_t external);
uint64_t chrome_correlation_work(
	const struct chrome_correlation *table, struct chrome_cause_ids cause);

#endif
