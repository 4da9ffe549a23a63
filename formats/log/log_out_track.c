/* SPDX-License-Identifier: MIT */
/*
 * What waits of each track. What is open where a block begins is worked out
 * when the block before it is written: nothing need be looked up when an event
 * comes.
 */
#include <string.h>

#include "log/log_out_private.h"
#include "base/memory.h"

struct log_out_track *log_out_track(struct log_out *out, uint32_t number)
{
	if (number >= out->track_room) {
		uint32_t room = out->trace->track_count;
		struct log_out_track **tracks = memory_resize(
			out->tracks, room * sizeof(struct log_out_track *));

		if (tracks == NULL)
			return NULL;
		memset(tracks + out->track_room, 0,
			(room - out->track_room) * sizeof(*tracks));
		out->tracks = tracks;
		out->track_room = room;
	}
	if (out->tracks[number] == NULL)
		out->tracks[number] =
			memory_new_zeroed(1, sizeof(struct log_out_track));
	return out->tracks[number];
}

static bool push_open(struct log_out_track *track, uint32_t site)
{
	if (!memory_grow32(&track->open, track->depth, &track->open_room,
		    sizeof(*track->open)))
		return false;
	track->open[track->depth++] = site;
	return true;
}

/* Puts what waits into the column. False if out of memory. */
static bool fill(struct log_out *out, struct log_out_track *track)
{
	struct log_column *column = &out->column;

	column->track = track->number;
	column->seq = track->blocks++;
	column->count = 0;
	column->extras = track->extras;
	column->extra_count = track->extra_count;
	column->open_known = track->depth <= LOG_OPEN_MAX;
	column->open_count = column->open_known ? track->depth : 0;
	if (column->open_count > 0)
		memcpy(column->open, track->open,
			column->open_count * sizeof(column->open[0]));
	for (uint32_t i = 0; i < track->count; i++) {
		const struct log_out_event *event = &track->events[i];

		log_column_add(column, event->id, event->time_ns);
		if (event->id > LOG_COLUMN_EXTRA) {
			if (!push_open(track, event->id - LOG_COLUMN_SITES))
				return false;
		} else if (event->id == LOG_COLUMN_END && track->depth > 0) {
			track->depth--;
		}
	}
	return true;
}

enum ctp_status log_out_write_track(
	struct log_out *out, struct log_out_track *track, struct ctp_error *err)
{
	enum ctp_status status;

	if (track->count == 0)
		return CTP_OK;
	if (!fill(out, track))
		return log_out_no_memory(err);
	status = log_out_write_tables(out, err);
	if (status == CTP_OK)
		status = log_column_write(&out->column, &out->sites,
			&out->bytes, out->writer, err);
	out->event_count += track->count;
	track->count = 0;
	track->extras.used = 0;
	track->extra_count = 0;
	return status;
}

enum ctp_status log_out_write_tracks(struct log_out *out, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < out->track_room && status == CTP_OK; i++) {
		struct log_out_track *track = out->tracks[i];

		if (track == NULL || track->room == 0)
			continue;
		status = log_out_write_track(out, track, err);
		memory_free(track->events);
		track->events = NULL;
		track->room = 0;
		buffer_clear(&track->extras);
	}
	out->held_bytes = 0;
	return status;
}
