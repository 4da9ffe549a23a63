/* SPDX-License-Identifier: MIT */
/*
 * An overview of a timeline: for each track, the busy time and leading site in
 * some hundreds of equal time bins. The bins double in length as time grows, so
 * that memory is bounded by the tracks.
 */
#ifndef OVERVIEW_H
#define OVERVIEW_H

#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

#define OVERVIEW_BINS 512

/* A time bin of a track. */
struct overview_bin {
	/* In ranges, or a stream's activities; exceeds the bin's length if they
	 * overlap. */
	uint64_t busy_ns;
	/* The leading site, which is certain with more than half of the bin,
	 * and its minimum time. If ranges nest, the innermost counts. */
	uint64_t lead_ns;
	uint32_t site; /* TRACE_NONE: nothing */
};

struct overview_counts {
	uint64_t ranges;
	uint64_t activities; /* see profile_is_activity() */
	uint64_t instants;
	uint64_t counters;
	uint64_t async;
	uint64_t memory;
	uint64_t steps;
};

struct overview;

/* `trace` is borrowed until overview_free(). NULL if out of memory. */
struct overview *overview_new(const struct trace *trace);
void overview_free(struct overview *overview);

/* Takes one event. Errors: CTP_ERR_NOMEM. */
enum ctp_status overview_add(struct overview *overview,
	const struct event *event, struct ctp_error *err);

/* Call it once, after the last event: open ranges end with their track. Errors:
 * as above. */
enum ctp_status overview_finish(
	struct overview *overview, struct ctp_error *err);

/* After overview_finish(). */
const struct overview_counts *overview_counts(const struct overview *overview);

/* Start of the first event and end of the last; equal without events. */
void overview_span(
	const struct overview *overview, int64_t *first_ns, int64_t *last_ns);

/* Start of the first bin, and length of all. */
int64_t overview_start(const struct overview *overview, uint64_t *bin_ns);

/* OVERVIEW_BINS bins, borrowed until overview_free(), and the track's busy
 * time, in which no bin exceeds its length; NULL if the track has no time. */
const struct overview_bin *overview_track(
	const struct overview *overview, uint32_t track, uint64_t *busy_ns);

#endif
