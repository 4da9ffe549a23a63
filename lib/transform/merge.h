/* SPDX-License-Identifier: MIT */
/*
 * Merges several event sources: all their events, in each source's own order
 * and by time between sources, in one trace with its own tables.
 *
 * Equal pids of different sources are different processes: the first one keeps
 * its pid, and others get an unused one. Ids that link events (correlations,
 * flows, asynchronous ranges, and the arguments that repeat them) become id *
 * sources + source, so that equal ids stay equal within a source and never
 * match between sources.
 *
 * Memory: names, tracks and devices of all sources, in the sources and again
 * here; one event of each. Many sources are read through event_spool.h.
 */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"

struct merge;

/* A source's label, order and clock shift. */
struct merge_place {
	/* Prefix of its process and fact names, "rank 3"; "": none. Borrowed
	 * while events are read. */
	const char *label;
	/* Number of the source, from 1, so that the result does not depend on
	 * the order of adding. Viewers show its processes in this order. */
	uint32_t order;
	int64_t shift_ns; /* added to its times */
	/* The same for tracks with the program's own times. */
	int64_t timeline_shift_ns;
};

/* Returns a merge with room for `room` sources; free with merge_free(). NULL if
 * out of memory. */
struct merge *merge_new(uint32_t room);

/* Frees it, but not the sources. NULL is allowed. */
void merge_free(struct merge *merge);

/*
 * Adds a source and reads its first event: by then most formats know their
 * clock and their facts. Sources keep the order of addition until
 * merge_set_place().
 *
 * Errors: those of the source; CTP_ERR_UNSUPPORTED if it holds a profile.
 * Ownership: the source is borrowed until merge_free().
 */
enum ctp_status merge_add(struct merge *merge, struct event_source *source,
	struct ctp_error *err);

/* Sources whose text is that of `tables` also have its sites: their numbers are
 * the same in all of these sources. See event_spool.h. Call it before the first
 * event is read from merge_source(); borrowed. */
void merge_share_tables(struct merge *merge, const struct trace *tables);

/* Call it before the first event is read from merge_source(). */
void merge_set_place(
	struct merge *merge, uint32_t number, const struct merge_place *place);

/* The merged source, borrowed; its close() does nothing. After its last event
 * its trace has the facts and losses of all sources. */
struct event_source *merge_source(struct merge *merge);

/* Whether the source had an event. */
bool merge_has_events(const struct merge *merge, uint32_t number);

/* The source that caused the last error; UINT32_MAX: none. */
uint32_t merge_failed(const struct merge *merge);

/* The part of the merged trace's loss that the sources reported. */
uint64_t merge_lost(const struct merge *merge, enum trace_loss loss);

#endif
