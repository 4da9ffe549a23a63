/* SPDX-License-Identifier: MIT */
/*
 * A timeline at a glance: for each track, how busy it was in each of some
 * hundreds of equal stretches of time, and with what above all. The stretches
 * double in length as time grows, so that memory is bounded by the tracks.
 */
#ifndef OVERVIEW_H
#define OVERVIEW_H

#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

#define OVERVIEW_BINS 512

/* One stretch of a track's time. */
struct overview_bin {
	/* In ranges, or of a stream at work: more than the stretch is long
	 * where they overlap. */
	uint64_t busy_ns;
	/* The site that ran for most of it, if one did for more than half, and
	 * its least time. Where ranges nest, the innermost count. */
	uint64_t lead_ns;
	uint32_t site; /* TRACE_NONE: nothing */
};

struct overview_counts {
	uint64_t ranges;
	uint64_t activities; /* of devices */
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

/* After the last event, once: what is open ends with its track. Errors: as
 * above. */
enum ctp_status overview_finish(
	struct overview *overview, struct ctp_error *err);

/* After overview_finish(). */
const struct overview_counts *overview_counts(const struct overview *overview);

/* When the first event was, and the last one ended; equal without any. */
void overview_span(
	const struct overview *overview, int64_t *first_ns, int64_t *last_ns);

/* When the first bin begins, and how long each is. */
int64_t overview_start(const struct overview *overview, uint64_t *bin_ns);

/* OVERVIEW_BINS bins, borrowed until overview_free(), and how long the track
 * was busy, where no bin counts for more than it is long; NULL if nothing took
 * time on it. */
const struct overview_bin *overview_track(
	const struct overview *overview, uint32_t track, uint64_t *busy_ns);

#endif
