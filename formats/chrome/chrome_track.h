/* SPDX-License-Identifier: MIT */
/*
 * What a Chrome trace's writer keeps for each track: its rows, the ranges that
 * are open on it, and the lanes of its slices. Rows are made when they are
 * needed: a thread's own serves its nested ranges, a device's lane 0.
 */
#ifndef CHROME_TRACK_H
#define CHROME_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include "chrome/chrome_rows.h"
#include "chrome/chrome_stack.h"
#include "timeline/json_args.h"
#include "timeline/lanes.h"

struct chrome_track {
	struct chrome_row row; /* also for what has no duration */
	bool row_used;
	struct chrome_row *ranges_row; /* NULL: no range yet; may be &row */
	struct chrome_stack stack;     /* valid with ranges_row */
	int64_t epoch_ns;              /* what is 0 in the file; >= 0 */
	struct lanes *lanes;           /* NULL: no slice yet */
	struct chrome_row *lane_rows[LANES_MAX]; /* likewise */
	/* Of a stream: the host's time, as waits for it, which would not nest
	 * with what it did. NULL: none yet. */
	struct chrome_track *host;
	/* Calls that overlap the ranges; NULL: none yet. Of that itself:
	 * whose ranges these are. */
	struct chrome_track *calls;
	const struct chrome_row *ranges_of;
};

struct chrome_tracks {
	struct json *json;
	struct json_names *names;
	struct chrome_rows rows;
	struct chrome_track **tracks; /* by number; NULL: not met yet */
	uint32_t count;
};

/* False if out of memory; call chrome_tracks_clear() in either case. Both are
 * borrowed. */
bool chrome_tracks_init(struct chrome_tracks *tracks, struct json *json,
	struct json_names *names);
void chrome_tracks_clear(struct chrome_tracks *tracks);

/* The entry of a track, made with its row if it is new; NULL if out of
 * memory. */
struct chrome_track *chrome_tracks_open(
	struct chrome_tracks *tracks, uint32_t number);

static inline struct chrome_track *chrome_tracks_find(
	struct chrome_tracks *tracks, uint32_t number)
{
	if (__builtin_expect(
		    number < tracks->count && tracks->tracks[number] != NULL,
		    1))
		return tracks->tracks[number];
	return chrome_tracks_open(tracks, number);
}

/* Makes ranges_row and stack. False if out of memory. */
bool chrome_track_open_ranges(
	struct chrome_tracks *tracks, struct chrome_track *track);

/* The row of the lane for a slice, and the lane's number; NULL if out of
 * memory. */
const struct chrome_row *chrome_track_lane(struct chrome_tracks *tracks,
	struct chrome_track *track, const struct event *event, uint32_t *lane);

/* The host's time on a stream; NULL if out of memory. */
struct chrome_track *chrome_track_host(
	struct chrome_tracks *tracks, struct chrome_track *track);

/* Calls that overlap the track's ranges, of which there are some; likewise. */
struct chrome_track *chrome_track_calls(
	struct chrome_tracks *tracks, struct chrome_track *track);

/* Writes names again that became known after their rows were begun. False if
 * out of memory. */
bool chrome_tracks_rename(struct chrome_tracks *tracks);

#endif
