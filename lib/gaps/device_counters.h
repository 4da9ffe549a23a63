/* SPDX-License-Identifier: MIT */
/*
 * Adds counters to another source: of each device whether it is idle (1) or
 * not, "GPU 0 idle", and how many kernels were launched and have not started,
 * "GPU 0 queue depth", where it is known when they were launched. gaps.h says
 * what that means.
 *
 * They come when all else has come, on a thread of the process that used the
 * device, or else on a stream. Those of these names that are there already are
 * left out.
 */
#ifndef DEVICE_COUNTERS_H
#define DEVICE_COUNTERS_H

#include "trace/event.h"

struct device_counters;

/*
 * Opens a source around `inner`, which is closed with it; its trace is shared.
 * Memory: as gaps.h has it.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then. Those of gaps_add() and
 * gaps_finish() come when events are read.
 */
enum ctp_status device_counters_open(struct event_source *inner,
	struct device_counters **out, struct ctp_error *err);

/* The source of the events; the same object. */
struct event_source *device_counters_source(struct device_counters *counters);

/* Of how many devices there are any, after the last event. */
uint32_t device_counters_count(const struct device_counters *counters);

#endif
