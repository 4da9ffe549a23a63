/* SPDX-License-Identifier: MIT */
/*
 * Arrows that lead to what a device did, which is told when it has ended, so
 * that the arrow comes before it: it waits on its track.
 *
 * Memory: PFTRACE_FLOWS_MAX arrows a track.
 */
#ifndef PFTRACE_FLOW_H
#define PFTRACE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/event.h"

/* So many at a time; only activities that overlap have theirs wait together. */
#define PFTRACE_FLOWS_MAX 16

/* An arrow's end: at a time, and the field that it is of TrackEvent. */
struct pftrace_flow {
	int64_t time_ns;
	uint64_t id;
	uint32_t field;
	uint32_t site;
};

struct pftrace_flows {
	struct pftrace_flow flows[PFTRACE_FLOWS_MAX]; /* the oldest first */
	uint32_t count;
};

/* Lets an arrow wait. If there is no room, the oldest one makes some, is put
 * into `*oldest`, and the result is true. */
bool pftrace_flows_add(struct pftrace_flows *flows, struct pftrace_flow flow,
	struct pftrace_flow *oldest);

/* Adds the arrows that wait for this slice to the fields of its event. */
void pftrace_flows_take(struct pftrace_flows *flows, const struct event *slice,
	struct buffer *out);

#endif
