/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_track.h"

#include <assert.h>
#include <string.h>

#include "base/memory.h"

bool chrome_tracks_init(struct chrome_tracks *tracks, struct json *json,
	struct json_names *names)
{
	*tracks = (struct chrome_tracks){.json = json, .names = names};
	return chrome_rows_init(&tracks->rows, names->trace, json);
}

static void track_free(struct chrome_track *track)
{
	if (track == NULL)
		return;
	if (track->ranges_row != NULL)
		chrome_stack_clear(&track->stack);
	if (track->ranges_row != &track->row)
		memory_free(track->ranges_row);
	for (uint32_t i = 0; i < LANES_MAX; i++)
		if (track->lane_rows[i] != &track->row)
			memory_free(track->lane_rows[i]);
	lanes_free(track->lanes);
	track_free(track->host);
	track_free(track->calls);
	memory_free(track);
}

void chrome_tracks_clear(struct chrome_tracks *tracks)
{
	for (uint32_t i = 0; i < tracks->count; i++)
		track_free(tracks->tracks[i]);
	memory_free(tracks->tracks);
	chrome_rows_clear(&tracks->rows);
}

static struct chrome_track *new_track(
	struct chrome_tracks *tracks, uint32_t number, int32_t lane)
{
	struct chrome_track *track = memory_new_zeroed(1, sizeof(*track));

	if (track == NULL)
		return NULL;
	if (!chrome_rows_open(&tracks->rows, number, lane, &track->row)) {
		memory_free(track);
		return NULL;
	}
	return track;
}

struct chrome_track *chrome_tracks_open(
	struct chrome_tracks *tracks, uint32_t number)
{
	assert(number < tracks->names->trace->track_count);
	if (!array_ensure_index(&tracks->tracks, number, &tracks->count,
		    sizeof(*tracks->tracks)))
		return NULL;
	if (tracks->tracks[number] != NULL)
		return tracks->tracks[number];
	tracks->tracks[number] = new_track(tracks, number, LANES_MAIN);
	return tracks->tracks[number];
}

struct chrome_track *chrome_track_host(
	struct chrome_tracks *tracks, struct chrome_track *track)
{
	if (track->host == NULL)
		track->host = new_track(tracks, track->row.track, LANES_HOST);
	return track->host;
}

struct chrome_track *chrome_track_calls(
	struct chrome_tracks *tracks, struct chrome_track *track)
{
	struct chrome_track *calls = track->calls;

	if (calls != NULL)
		return calls;
	calls = memory_new_zeroed(1, sizeof(*calls));
	if (calls == NULL)
		return NULL;
	calls->ranges_of = track->ranges_row;
	track->calls = calls;
	return chrome_rows_open_part(&tracks->rows, calls->ranges_of,
		       LANES_CALLS, &calls->row)
		       ? calls
		       : NULL;
}

/* The row that further rows of the track are parts of; NULL: none, as for
 * device activities, which may overlap. */
static const struct chrome_row *whole_of(
	const struct chrome_tracks *tracks, const struct chrome_track *track)
{
	enum trace_track_kind kind =
		tracks->names->trace->tracks[track->row.track].kind;

	if (track->ranges_of != NULL)
		return track->ranges_of;
	return kind == TRACE_THREAD || kind == TRACE_TIMELINE ? &track->row
							      : NULL;
}

/* May a slice use the track's first row? Not if that is for ranges, where it
 * would nest in them, except a span, which readers do not nest. */
static bool has_place(const struct chrome_tracks *tracks,
	const struct chrome_track *track, const struct event *slice)
{
	return whole_of(tracks, track) != &track->row ||
	       trace_site_is_span(tracks->names->trace, slice->site);
}

/* The track's first row if allowed and unused, or else a new one. */
static struct chrome_row *add_row(struct chrome_tracks *tracks,
	struct chrome_track *track, int32_t lane, bool may_be_first)
{
	const struct chrome_row *whole = whole_of(tracks, track);
	struct chrome_row *row;
	bool done;

	if (may_be_first && !track->row_used) {
		track->row_used = true;
		return &track->row;
	}
	row = memory_new(sizeof(*row));
	if (row == NULL)
		return NULL;
	if (whole != NULL)
		done = chrome_rows_open_part(&tracks->rows, whole, lane, row);
	else
		done = chrome_rows_open(
			&tracks->rows, track->row.track, lane, row);
	if (!done) {
		memory_free(row);
		return NULL;
	}
	return row;
}

bool chrome_track_open_ranges(
	struct chrome_tracks *tracks, struct chrome_track *track)
{
	track->ranges_row = add_row(tracks, track, LANES_RANGES, true);
	if (track->ranges_row == NULL)
		return false;
	chrome_stack_init(
		&track->stack, tracks->json, tracks->names, track->ranges_row);
	return true;
}

const struct chrome_row *chrome_track_lane(struct chrome_tracks *tracks,
	struct chrome_track *track, const struct event *event, uint32_t *lane)
{
	int32_t first = track->row.lane == LANES_MAIN ? 0 : track->row.lane;
	struct chrome_row **row;
	bool may_be_first;

	if (track->lanes == NULL)
		track->lanes = lanes_new();
	if (track->lanes == NULL)
		return NULL;
	*lane = lanes_place(track->lanes, event->time_ns, event->dur_ns);
	if (*lane == LANES_NONE)
		return NULL;
	row = &track->lane_rows[*lane];
	may_be_first = has_place(tracks, track, event);
	/* The lane's earlier slices may have been allowed there. */
	if (*row == NULL || (*row == &track->row && !may_be_first))
		*row = add_row(
			tracks, track, first + (int32_t)*lane, may_be_first);
	return *row;
}

static bool rename_row(struct chrome_tracks *tracks, struct chrome_row *row)
{
	return row == NULL || chrome_rows_rename(&tracks->rows, row);
}

static bool rename_track(
	struct chrome_tracks *tracks, struct chrome_track *track)
{
	if (track == NULL)
		return true;
	if (!rename_row(tracks, &track->row) ||
		!rename_row(tracks, track->ranges_row))
		return false;
	for (uint32_t i = 0; i < LANES_MAX; i++)
		if (!rename_row(tracks, track->lane_rows[i]))
			return false;
	return rename_track(tracks, track->host) &&
	       rename_track(tracks, track->calls);
}

bool chrome_tracks_rename(struct chrome_tracks *tracks)
{
	for (uint32_t i = 0; i < tracks->count; i++)
		if (!rename_track(tracks, tracks->tracks[i]))
			return false;
	return true;
}
