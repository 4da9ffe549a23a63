/* SPDX-License-Identifier: MIT */
/*
 * The newest full chunks of a recording that keeps only its last events. A
 * chunk is dropped once later chunks have enough events, or the memory is full.
 *
 * Ranges that cross the edge stay whole: a dropped chunk becomes its track's
 * prefix. It has the ends of ranges that are in the log already, and begins the
 * ranges that are open at the edge. The spool still has all that another
 * process needs to complete the log.
 */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "pack/spool.h"

struct window_chunk;
struct window_track;

/* Used by one thread at a time. */
struct window {
	struct spool *spool; /* borrowed */
	uint64_t events_min; /* keep this many; 0: there is no window */
	uint64_t events;     /* in the chunks of the list */
	uint64_t dropped;    /* in dropped chunks */
	uint64_t prefixed;   /* among these, those in prefixes */
	uint32_t count;      /* chunks, with prefixes */
	struct chunk *oldest;
	struct chunk *newest;
	struct window_chunk *chunks; /* by index */
	struct window_track **tracks;
	uint32_t track_room;
};

/* Errors: CTP_ERR_NOMEM. */
enum ctp_status window_init(struct window *window, struct spool *spool,
	uint64_t events_min, struct ctp_error *err);
void window_clear(struct window *window);

/* Takes the full chunks from the spool, then drops old ones. Sets the number of
 * earlier events in the spool's header. Errors: CTP_ERR_NOMEM. */
enum ctp_status window_add(struct window *window, struct ctp_error *err);

/* Whether the window has an edge of the track. Tracks are below
 * `track_room`. */
bool window_has_track(const struct window *window, uint32_t track);

/* Forgets such a track if it has no chunks. Its thread had ended before the
 * last window_add(). */
void window_end_track(struct window *window, uint32_t track);

/* Takes all chunks out of the window, prefixes first, and the full chunks of
 * the spool, as the list that spool_pop_full() returns. */
struct chunk *window_take(struct window *window);

/* The track's chunk in the window with the least seq that is at least `*seq`,
 * which is set to its own; or NULL. */
const struct chunk *window_find(
	const struct window *window, uint32_t track, uint64_t *seq);

/* Events that are neither in the log nor in the window. */
uint64_t window_earlier(const struct window *window);

#endif
