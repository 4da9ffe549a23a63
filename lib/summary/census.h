/* SPDX-License-Identifier: MIT */
/* Counts the events of an input by kind, its threads and devices, and its
 * duration. */
#ifndef CENSUS_H
#define CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/correlation.h"
#include "trace/event.h"
#include "trace/trace.h"

struct census {
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
	uint64_t processes;
	uint64_t threads;
	uint64_t devices;
	int64_t start_ns; /* see census_window() */
	uint64_t span_ns;
	/* Largest time by which an activity started before its launch: the
	 * clocks differ by at least that. 0: none did. */
	uint64_t skew_ns;
	uint64_t matched;   /* activities with a known launch */
	uint64_t unmatched; /* activities without a known launch: losses */
	uint64_t event_count;

	const struct trace *trace; /* private, like the following */
	int64_t first_ns;
	int64_t last_ns;
	uint64_t *depth; /* by track */
	uint32_t depth_room;
	struct correlation *launches; /* to launch times */
};

/* The counts that can be added up. */
#define CENSUS_COUNTS(X) \
	X(ranges) \
	X(activities) \
	X(device_other) \
	X(calls) \
	X(instants) \
	X(counters) \
	X(async) \
	X(memory) \
	X(steps) \
	X(open_ranges) \
	X(processes) \
	X(threads) \
	X(devices) \
	X(matched) \
	X(unmatched) \
	X(span_ns)

/* `trace` is borrowed until census_finish(). False if out of memory. Call
 * census_clear() in any case; the counts remain. */
bool census_init(struct census *census, const struct trace *trace);
void census_clear(struct census *census);

/* Takes one event. False if out of memory. */
bool census_add(struct census *census, const struct event *event);

/* Call it once, after the last event. False if out of memory. */
bool census_finish(struct census *census);

/*
 * Start and end of the recording, given the times of the first and last event:
 * those of the trace if it has measured threads. A recorded log begins at its
 * start, a converted timeline at its first event.
 */
void census_window(
	const struct trace *trace, int64_t *first_ns, int64_t *last_ns);

/* Counts only processes, threads and devices: a thread may have several tracks.
 * False if out of memory. */
bool census_count_tracks(struct census *census, const struct trace *trace);

#endif
