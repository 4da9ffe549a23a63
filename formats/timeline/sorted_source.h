/* SPDX-License-Identifier: MIT */
/*
 * All events of another source in order of time, all tracks together: most
 * sources are in order by track only.
 *
 * Times that went back on a track stand still instead, which is counted. Those
 * of timelines, which have a clock of their own, become times of the trace's
 * clock where that is known. No track ends before its last event.
 *
 * Memory: as lib/extsort/extsort.h has it; the events are on disk. The first event
 * comes when the last of the inner source has.
 */
#ifndef SORTED_SOURCE_H
#define SORTED_SOURCE_H

#include "trace/event.h"

struct sorted_source;

/* Told each event before they are sorted, its time as it will be. */
struct sorted_source_watch {
	bool (*see)(void *user, const struct event *event);
	void *user;
};

/*
 * Opens a source around `inner`, which is closed with it; its trace is shared.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status sorted_source_open(struct event_source *inner,
	struct sorted_source **out, struct ctp_error *err);

/* The source of the events; the same object. */
struct event_source *sorted_source_events(struct sorted_source *sorted);

/* Reads all of the inner source, `watch` (may be NULL) being told. If that
 * returns false there was no memory. Errors: those of the inner source, of
 * extsort_add() and of extsort_sort(). */
enum ctp_status sorted_source_read(struct sorted_source *sorted,
	const struct sorted_source_watch *watch, struct ctp_error *err);

/* The time of the first event, after that; false if there is none. */
bool sorted_source_start(const struct sorted_source *sorted, int64_t *start_ns);

#endif
