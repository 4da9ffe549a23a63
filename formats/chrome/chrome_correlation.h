/* SPDX-License-Identifier: MIT */
/*
 * Which call of an API, or which op, caused what a device did: by correlation,
 * or by "External id", where that is a number of its own and not merely the
 * correlation again.
 *
 * Memory: CHROME_CORRELATION_LIMIT calls and activities. Of traces with more, every
 * activity goes by its correlation, unless External ids are asked for.
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

/* Of an activity; 0: it has none. */
struct chrome_cause_ids {
	uint64_t correlation;
	uint64_t external;
};

struct chrome_correlation {
	const struct trace *trace;
	struct chrome_correlation_ids calls; /* correlations of API calls */
	struct chrome_correlation_ids
		external; /* and then those that are joined by */
	struct chrome_correlation_ids work; /* the correlations to these */
	bool *seen; /* the op with this External id was there */
	bool real;  /* External ids are not all correlations */
	bool full;  /* beyond the limit */
};

void chrome_correlation_init(
	struct chrome_correlation *table, const struct trace *trace);
void chrome_correlation_clear(struct chrome_correlation *table);

/* While reading the file; false if out of memory, like all below. */
bool chrome_correlation_add_call(
	struct chrome_correlation *table, uint64_t correlation);
bool chrome_correlation_add_work(
	struct chrome_correlation *table, struct chrome_cause_ids cause);

/* The file is read. */
bool chrome_correlation_finish(struct chrome_correlation *table);

/* In order of time. The id of a call or an op, 0 if nothing is to know it; the
 * id of the activity. */
uint64_t chrome_correlation_call(
	const struct chrome_correlation *table, uint64_t correlation);
uint64_t chrome_correlation_op(
	struct chrome_correlation *table, uint64_t external);
uint64_t chrome_correlation_work(
	const struct chrome_correlation *table, struct chrome_cause_ids cause);

#endif
