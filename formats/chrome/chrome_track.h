/* SPDX-License-Identifier: MIT */
/*
 * The Chrome trace writer's state of each track: its rows, open ranges, and
 * lanes of slices. Rows are created when needed: a thread's first row is for
 * its nested ranges, a device's for lane 0.
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
	struct chrome_row row; /* also for events without duration */
	bool row_used;
	struct chrome_row *ranges_row; /* NULL: no range yet; may be &row */
	struct chrome_stack stack;     /* valid with ranges_row */
	int64_t epoch_ns;              /* zero of the file's times; >= 0 */
	struct lanes *lanes;           /* NULL: no slice yet */
	struct chrome_row *lane_rows[LANES_MAX]; /* likewise */
	/* Host time on a stream, such as waits for it, which would not nest
	 * with its activities. NULL: none yet. */
	struct chrome_track *host;
	/* Calls that overlap the ranges; NULL: none yet. In that track,
	 * ranges_of is the row of these ranges. */
	struct chrome_track *calls;
	const struct chrome_row *ranges_of;
};

struct chrome_tracks {
	struct json *json;
	struct json_names *names;
	struct chrome_rows rows;
	struct chrome_track **tracks; /* by number; NULL: no event yet */
	uint32_t count;
};

/* False if out of memory; call chrome_tracks_clear() in either case. Both are
 * borrowed. */
bool chrome_tracks_init(struct chrome_tracks *tracks, struct json *json,
	struct json_names *names);
void chrome_tracks_clear(struct chrome_tracks *tracks);

/* The entry of a track, created with its row if new; NULL if out of memory. */
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

/* Creates ranges_row and stack. False if out of memory. */
bool chrome_track_open_ranges(
	struct chrome_tracks *tracks, struct chrome_track *track);

/* The row of the lane for a slice, and the lane's number; NULL if out of
 * memory. */
const struct chrome_row *chrome_track_lane(struct chrome_tracks *tracks,
	struct chrome_track *track, const struct event *event, uint32_t *lane);

/* Host time on a stream; NULL if out of memory. */
struct chrome_track *chrome_track_host(
	struct chrome_tracks *tracks, struct chrome_track *track);

/* Calls that overlap the track's ranges, which must exist; likewise. */
struct chrome_track *chrome_track_calls(
	struct chrome_tracks *tracks, struct chrome_track *track);

/* Writes again the names that became known after their rows were opened. False
 * if out of memory. */
bool chrome_tracks_rename(struct chrome_tracks *tracks);

#endif
