/* SPDX-License-Identifier: MIT */
/* What is in an input: how much of each kind, on how many threads, and how
 * long it took. Reads it to its end. */
#ifndef TRACE_SUMMARY_H
#define TRACE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/correlation.h"
#include "trace/event.h"

struct trace_summary {
	uint64_t ranges;     /* on threads and timelines */
	uint64_t activities; /* activities of devices */
	uint64_t calls;      /* of a device's API, as its driver tells */
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
	/* How much earlier than its launch an activity started that did so
	 * most: the clocks differ by that at least. 0: none did. */
	uint64_t skew_ns;
	uint64_t matched; /* activities whose launch is there */

	int64_t first_ns; /* private */
	int64_t last_ns;
	uint64_t *depth; /* by track */
	uint32_t depth_room;
	struct correlation *launches; /* to times of launches */
	uint64_t event_count;
};

/*
 * Counts all events, and as losses the activities whose launch is not there. `progress` (may be NULL) is called now and then.
 *
 * Errors: CTP_ERR_NOMEM; those of the source. What was counted before stands.
 */
enum ctp_status trace_summary_read(struct trace_summary *summary,
	struct event_source *source,
	void (*progress)(void *user, uint64_t position), void *user,
	struct ctp_error *err);

/*
 * When it began and ended, given that of the first and the last event: as the
 * trace says of the measured threads, if it has any. The log of a recording
 * begins with that, and one that was made of other timelines with its events.
 */
void trace_summary_window(
	const struct trace *trace, int64_t *first_ns, int64_t *last_ns);

/* Counts processes, threads and devices alone: a thread may have several
 * tracks. False if out of memory. */
bool trace_summary_count_tracks(
	struct trace_summary *summary, const struct trace *trace);

#endif
