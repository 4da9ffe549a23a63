/* SPDX-License-Identifier: MIT */
/*
 * Adds counters to another source. "GPU 0 idle" is 1 while the device is idle.
 * "GPU 0 queue depth" is the number of kernels launched but not started, if the
 * launches are known. gaps.h defines both.
 *
 * They follow all other events, on a thread of the process that used the
 * device, or else on a stream. Existing counters of these names are dropped.
 */
#ifndef DEVICE_COUNTERS_H
#define DEVICE_COUNTERS_H

#include "trace/event.h"

struct device_counters;

/*
 * Opens a source around `inner`, which is closed with it; its trace is shared.
 * Memory: see gaps.h.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then. Errors of gaps_add() and
 * gaps_finish() are returned when events are read.
 */
enum ctp_status device_counters_open(struct event_source *inner,
	struct device_counters **out, struct ctp_error *err);

/* The same object, as an event source. */
struct event_source *device_counters_source(struct device_counters *counters);

/* Number of devices with counters, after the last event. */
uint32_t device_counters_count(const struct device_counters *counters);

#endif
