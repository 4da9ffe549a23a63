/* SPDX-License-Identifier: MIT */
/* Counters of a Perfetto trace: the program's, and what a device holds. */
#ifndef PFTRACE_COUNTER_H
#define PFTRACE_COUNTER_H

#include "trace/event.h"
#include "perfetto/pftrace_track.h"

/* Writes an EVENT_COUNTER; counts one that has no number. False if out of
 * memory, like all below. */
bool pftrace_counter_write(
	struct pftrace_tracks *tracks, const struct event *event);

/* Writes what a device, or the host, holds after an EVENT_ALLOC or
 * EVENT_FREE. */
bool pftrace_counter_write_memory(
	struct pftrace_tracks *tracks, const struct event *event);

#endif
