/* SPDX-License-Identifier: MIT */
/* Summary of an input: number of events of each kind, threads and duration.
 * Reads it to its end. */
#ifndef TRACE_SUMMARY_H
#define TRACE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "input/recording_cost.h"
#include "profile/replay.h"
#include "summary/census.h"
#include "trace/event.h"

struct trace_summary {
	struct census events;
	struct recording_cost cost;

	struct replay *replay; /* private: for the cost; NULL: it is unknown */
	bool has_begun;
};

/*
 * Counts all events, and activities without a known launch as losses.
 * `progress` (may be NULL) is called now and then.
 *
 * Errors: CTP_ERR_NOMEM; those of the source. Events before the error are
 * counted.
 */
enum ctp_status trace_summary_read(struct trace_summary *summary,
	struct event_source *source,
	void (*progress)(void *user, uint64_t position), void *user,
	struct ctp_error *err);

#endif
