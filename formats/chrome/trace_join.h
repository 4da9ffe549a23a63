/* SPDX-License-Identifier: MIT */
/*
 * Which call of an API, or which op, caused what a device did: by correlation,
 * or by "External id", where that is a number of its own and not merely the
 * correlation again.
 *
 * Memory: TRACE_JOIN_LIMIT calls and activities. Of traces with more, every
 * activity goes by its correlation, unless External ids are asked for.
 */
#ifndef TRACE_JOIN_H
#define TRACE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define TRACE_JOIN_LIMIT (UINT32_C(1) << 20)

struct trace_ids {
	uint64_t *ids;
	size_t count;
	size_t room;
};

/* Of an activity; 0: it has none. */
struct trace_cause {
	uint64_t correlation;
	uint64_t external;
};

struct trace_join_table {
	const struct trace *trace;
	struct trace_ids calls;    /* correlations of API calls */
	struct trace_ids external; /* and then those that are joined by */
	struct trace_ids work;     /* the correlations to these */
	bool *seen;                /* the op with this External id was there */
	bool real;                 /* External ids are not all correlations */
	bool full;                 /* beyond the limit */
};

void trace_join_init(struct trace_join_table *join, const struct trace *trace);
void trace_join_clear(struct trace_join_table *join);

/* While reading the file; false if out of memory, like all below. */
bool trace_join_add_call(struct trace_join_table *join, uint64_t correlation);
bool trace_join_add_work(
	struct trace_join_table *join, struct trace_cause cause);

/* The file is read. */
bool trace_join_finish(struct trace_join_table *join);

/* In order of time. The id of a call or an op, 0 if nothing is to know it; the
 * id of the activity. */
uint64_t trace_join_call(
	const struct trace_join_table *join, uint64_t correlation);
uint64_t trace_join_op(struct trace_join_table *join, uint64_t external);
uint64_t trace_join_work(
	const struct trace_join_table *join, struct trace_cause cause);

#endif
