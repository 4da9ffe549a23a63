/* SPDX-License-Identifier: MIT */
/*
 * When devices were idle, and why. A device is busy while any of its kernels,
 * copies or memsets runs, on any stream. The rest of its process's time is
 * idle, and each idle moment is charged to one cause. Until the activity that
 * ends a gap was launched, the cause is the work of the launching thread. After
 * that, the activity waited to start. Source: shared spec 04; this is its
 * robust form, which is right with graphs, copies and several streams.
 */
#ifndef GAPS_H
#define GAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "gaps/gap_cause.h"
#include "trace/event.h"

/* busy_ns + idle_ns = span_ns; idle_ns is the sum of cause_ns. */
struct gaps_device {
	int64_t pid;
	uint32_t number;
	int64_t start_ns; /* of what is known of its process */
	uint64_t span_ns;
	uint64_t busy_ns;
	uint64_t kernel_ns; /* a kernel ran */
	uint64_t idle_ns;
	uint64_t cause_ns[GAP_CAUSES];
	uint64_t gaps;
	uint64_t longest_ns;
	uint64_t activities;
	/* Kernels that were launched and had not started: the most at a time,
	 * and the mean over the span in thousandths. */
	uint64_t queue_max;
	uint64_t queue_mean;
};

/* Idle time of a device that the same code covered. */
struct gaps_place {
	uint32_t device; /* index into devices */
	enum gap_cause cause;
	uint32_t name; /* strtab numbers of the innermost range that is no */
	uint32_t file; /* call of the device's API; 0: there was none */
	uint32_t line;
	uint32_t call; /* of the call of the API inside that; 0: none */
	uint64_t idle_ns;
	uint64_t count; /* of stretches */
	uint64_t longest_ns;
};

/* Does the host's code tell this place from others of the same cause? */
static inline bool gaps_place_has_code(const struct gaps_place *place)
{
	return place->cause <= GAP_DATA;
}

struct gaps;

/* The counters over time. */
enum gaps_line {
	GAPS_IDLE,  /* 1: the device is idle; from the start of its span on */
	GAPS_QUEUE, /* kernels that are launched and have not started */
	GAPS_LINES
};

/* The value from that moment on. The last of several at one moment counts. */
struct gaps_level {
	enum gaps_line line;
	uint32_t device; /* index into devices */
	int64_t time_ns;
	uint64_t value;
};

/* Is called by gaps_finish() for all of them, those of a device's line in order of
 * time. Errors are those of gaps_finish(). */
struct gaps_watch {
	enum ctp_status (*report)(void *user, const struct gaps_level *level,
		struct ctp_error *err);
	void *user;
};

/* `trace` is borrowed until gaps_free(). NULL if out of memory. */
struct gaps *gaps_new(const struct trace *trace);

/* The same, but the lines are reported, and not what covers the idle time; devices
 * are in any order. */
struct gaps *gaps_new_watched(
	const struct trace *trace, const struct gaps_watch *watch);
void gaps_free(struct gaps *gaps);

/*
 * Takes one event. Memory: names, tracks and open ranges; what more there is
 * goes to temporary files (extsort.h).
 *
 * Errors: CTP_ERR_NOMEM; CTP_ERR_IO of the temporary files.
 */
enum ctp_status gaps_add(
	struct gaps *gaps, const struct event *event, struct ctp_error *err);

/* After the last event, once. Errors: as above. */
enum ctp_status gaps_finish(struct gaps *gaps, struct ctp_error *err);

/* Devices by process and number; places with the most idle time first.
 * Borrowed until gaps_free(). */
const struct gaps_device *gaps_devices(
	const struct gaps *gaps, uint32_t *count);
const struct gaps_place *gaps_places(const struct gaps *gaps, uint32_t *count);

#endif
