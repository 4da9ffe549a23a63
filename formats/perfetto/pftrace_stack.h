/* SPDX-License-Identifier: MIT */
/*
 * Nested ranges of a Perfetto trace: an event where each begins, and one where
 * it ends. The first is held back until something else happens on its track, so
 * that arguments and arrows can stand there; those that come later stand at the
 * end, which readers add to it.
 *
 * A call whose end was moved, so that it nests, stands there as it was: what
 * overlaps it goes to another line.
 *
 * Memory: what is held, and what is late, of ranges that are open.
 */
#ifndef PFTRACE_STACK_H
#define PFTRACE_STACK_H

#include "trace/event.h"
#include "perfetto/pftrace_track.h"

/* Opens a range, with the event's arguments. False if out of memory, like all
 * below; or `bytes.failed` of the packets says so. Times that go back are the
 * caller's to mend. */
bool pftrace_stack_begin(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event);

/* Closes the innermost range, which there must be, at the event's time and with
 * its arguments. */
bool pftrace_stack_end(struct pftrace_tracks *tracks,
	struct pftrace_track *track, const struct event *event);

/* Where fields of the innermost range's event go; NULL if out of memory. */
struct buffer *pftrace_stack_fields(struct pftrace_track *track);

/* Writes what is held back: call it before another event of the track. */
bool pftrace_stack_flush(
	struct pftrace_tracks *tracks, struct pftrace_track *track);

/* The track where an instant within the innermost range goes. */
uint64_t pftrace_stack_track(const struct pftrace_track *track);

#endif
