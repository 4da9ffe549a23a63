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
#ifndef COMBINE_H
#define COMBINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

struct combine;

/* How a source stands among others. */
struct combine_place {
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

/* With room for so many sources; free with combine_free(). NULL if out of
 * memory. */
struct combine *combine_new(uint32_t room);

/* Frees it, and not the sources. NULL is allowed. */
void combine_free(struct combine *combine);

/*
 * Adds a source, whose first event is taken: by then most formats know their
 * clock and what they say of themselves. It stands where it is.
 *
 * Errors: those of the source; CTP_ERR_UNSUPPORTED if it holds a profile.
 * Ownership: the source is borrowed until combine_free().
 */
enum ctp_status combine_add(struct combine *combine,
	struct event_source *source, struct ctp_error *err);

/* Before the first event is taken from combine_source(). */
void combine_set_place(struct combine *combine, uint32_t number,
	const struct combine_place *place);

/* All sources as one, borrowed; its close() does nothing. When its events are
 * at their end its trace has what all the sources know and have lost. */
struct event_source *combine_source(struct combine *combine);

/* Has the source any event? */
bool combine_has_events(const struct combine *combine, uint32_t number);

/* Which source the last error came from; UINT32_MAX: none of them. */
uint32_t combine_failed(const struct combine *combine);

/* What the sources lost, of what the combined trace has lost. */
uint64_t combine_lost(const struct combine *combine, enum trace_loss loss);

#endif
