/* SPDX-License-Identifier: MIT */
/*
 * Sorts another source's events by time across all tracks: most sources are
 * ordered only within a track.
 *
 * A time that goes backwards on a track is replaced by the last one, and
 * counted. Times of timelines, which have their own clock, are converted to the
 * trace's clock if that is known. No track ends before its last event.
 *
 * Memory: see lib/extsort/extsort.h; the events are on disk. The first event is
 * returned after the inner source's last one.
 */
#ifndef SORTED_SOURCE_H
#define SORTED_SOURCE_H

#include "trace/event.h"

struct sorted_source;

/* Called for each event before sorting, with its final time. */
struct sorted_source_watch {
	bool (*see)(void *user, const struct event *event);
	void *user;
};

/*
 * Opens a source around `inner`, which is closed with it; its trace is shared.
 *
 * Errors: CTP_ERR_NOMEM; `inner` then still belongs to the caller.
 */
enum ctp_status sorted_source_open(struct event_source *inner,
	struct sorted_source **out, struct ctp_error *err);

/* The source of the events; the same object. */
struct event_source *sorted_source_events(struct sorted_source *sorted);

/* Reads all of the inner source and calls `watch` (may be NULL), which returns
 * false if out of memory. Errors: those of the inner source, of extsort_add()
 * and of extsort_sort(). */
enum ctp_status sorted_source_read(struct sorted_source *sorted,
	const struct sorted_source_watch *watch, struct ctp_error *err);

/* The time of the first event, after reading; false if there is none. */
bool sorted_source_start(const struct sorted_source *sorted, int64_t *start_ns);

#endif
