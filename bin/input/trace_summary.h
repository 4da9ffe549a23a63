/* SPDX-License-Identifier: MIT */
/* Summary of an input: number of events of each kind, threads and duration.
 * Reads it to its end. */
#ifndef TRACE_SUMMARY_H
#define TRACE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "input/recording_cost.h"
#include "profile/replay.h"
#include "trace/correlation.h"
#include "trace/event.h"

struct trace_summary {
	uint64_t ranges;       /* on threads and timelines */
	uint64_t activities;   /* see profile_is_activity() */
	uint64_t device_other; /* other records of devices */
	uint64_t calls;        /* device API calls reported by the driver */
	uint64_t instants;
	uint64_t counters;
	uint64_t async;
	uint64_t memory;
	uint64_t steps;
	uint64_t open_ranges; /* ranges without an end */
	uint32_t processes;
	uint32_t threads;
	uint32_t devices;
	int64_t start_ns; /* see trace_summary_window() */
	uint64_t span_ns;
	/* Largest time by which an activity started before its launch: the
	 * clocks differ by at least that. 0: none did. */
	uint64_t skew_ns;
	uint64_t matched; /* activities with a known launch */
	struct recording_cost cost;

	int64_t first_ns; /* private */
	int64_t last_ns;
	uint64_t *depth; /* by track */
	uint32_t depth_room;
	struct correlation *launches; /* to launch times */
	struct replay *replay;        /* for the cost; NULL: it is unknown */
	bool has_begun;
	uint64_t event_count;
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

/*
 * Start and end of the recording, given the times of the first and last event:
 * those of the trace if it has measured threads. A recorded log begins at its
 * start, a converted timeline at its first event.
 */
void trace_summary_window(
	const struct trace *trace, int64_t *first_ns, int64_t *last_ns);

/* Counts only processes, threads and devices: a thread may have several tracks.
 * False if out of memory. */
bool trace_summary_count_tracks(
	struct trace_summary *summary, const struct trace *trace);

#endif
