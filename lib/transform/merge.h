/* SPDX-License-Identifier: MIT */
/*
 * Several sources of events as one: all of their events, each source's in its
 * own order and between sources by time, in one trace with tables of its own.
 *
 * Equal pids of different sources are different processes: the first to come
 * keeps its number, and others get one that nobody has. Ids by which events
 * find each other - correlations, flows, asynchronous ranges, and the arguments
 * that repeat them - become id * sources + source, so that what was equal in a
 * source is, and in different ones never.
 *
 * Memory: names, tracks and devices of all sources, in the sources and once
 * more here; one event of each.
 */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

struct merge;

/* How a source stands among others. */
struct merge_place {
	/* What its processes and facts are called by, "rank 3"; "": as they
	 * are. Borrowed while events are read. */
	const char *label;
	/* Which of the sources it is, from 1: what is done to it does not
	 * depend on the order of adding. Its processes are shown in it. */
	uint32_t order;
	int64_t shift_ns; /* added to its times */
	/* Likewise, on tracks whose times are the program's own. */
	int64_t timeline_shift_ns;
};

/* With room for so many sources; free with merge_free(). NULL if out of
 * memory. */
struct merge *merge_new(uint32_t room);

/* Frees it, and not the sources. NULL is allowed. */
void merge_free(struct merge *merge);

/*
 * Adds a source, whose first event is taken: by then most formats know their
 * clock and what they say of themselves. It stands where it is.
 *
 * Errors: those of the source; CTP_ERR_UNSUPPORTED if it holds a profile.
 * Ownership: the source is borrowed until merge_free().
 */
enum ctp_status merge_add(struct merge *merge, struct event_source *source,
	struct ctp_error *err);

/* Before the first event is taken from merge_source(). */
void merge_set_place(
	struct merge *merge, uint32_t number, const struct merge_place *place);

/* All sources as one, borrowed; its close() does nothing. When its events are
 * at their end its trace has what all the sources know and have lost. */
struct event_source *merge_source(struct merge *merge);

/* Has the source any event? */
bool merge_has_events(const struct merge *merge, uint32_t number);

/* Which source the last error came from; UINT32_MAX: none of them. */
uint32_t merge_failed(const struct merge *merge);

/* What the sources lost, of what the merged trace has lost. */
uint64_t merge_lost(const struct merge *merge, enum trace_loss loss);

#endif
