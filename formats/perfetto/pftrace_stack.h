/* SPDX-License-Identifier: MIT */
/*
 * Nested ranges of a Perfetto trace: an event where each begins, and one where
 * it ends. The begin is held back until another event on its track, so that
 * arguments and arrows can be added to it. Later ones are added to the end, and
 * readers merge them.
 *
 * A call whose end was moved to make it nest is written with its original end:
 * ranges that overlap it go to another line.
 *
 * Memory: the held begin and late arguments of open ranges.
 */
#ifndef PFTRACE_STACK_H
#define PFTRACE_STACK_H

#include "trace/event.h"
#include "perfetto/pftrace_track.h"

/* Opens a range, with the event's arguments. False if out of memory, as for all
 * below, or the packets' `bytes.failed` is set. The caller must correct times
 * that go backwards. */
bool pftrace_stack_begin(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event);

/* Closes the innermost range, which must exist, at the event's time and with
 * its arguments. */
bool pftrace_stack_end(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event);

/* The buffer for fields of the innermost range's event; NULL if out of
 * memory. */
struct buffer *pftrace_stack_fields(struct pftrace_track *track);

/* Writes the held begin: call it before another event of the track. */
bool pftrace_stack_flush(
	struct pftrace_tracks *tracks, struct pftrace_track *track);

/* The track for an instant within the innermost range. */
uint64_t pftrace_stack_track(const struct pftrace_track *track);

#endif
