/* SPDX-License-Identifier: MIT */
#include "timeline/event_rows.h"

#include <string.h>

#include "trace/event.h"
#include "base/memory.h"

struct frame {
	uint64_t number; /* for a moved call: the enclosing range's */
	uint64_t id;
	uint64_t inner_ns; /* of ended ranges inside */
	int64_t start_ns;
	bool is_clipped; /* its EVENT_UNCLIPPED_CALL is a row */
	uint32_t depth;  /* of its contents */
	uint32_t site;
	struct json_args args;
};

struct event_rows_track {
	struct frame *frames;
	uint32_t depth;
	uint32_t room;
	int64_t last_ns;
};

bool event_rows_init(struct event_rows *rows, struct trace *trace)
{
	bool done;

	*rows = (struct event_rows){.trace = trace, .args = JSON_ARGS_INIT};
	/* Initialize all, so that all can be cleared. */
	done = json_init(&rows->json, NULL);
	done = json_names_init(&rows->names, trace) && done;
	rows->correlation = correlation_new(CORRELATION_LIMIT);
	return done && rows->correlation != NULL;
}

void event_rows_clear(struct event_rows *rows)
{
	for (uint32_t i = 0; i < rows->track_count; i++) {
		struct event_rows_track *track = &rows->tracks[i];

		/* Unused frames keep their memory too. */
		for (uint32_t at = 0; at < track->room; at++)
			json_args_clear(&track->frames[at].args);
		memory_free(track->frames);
	}
	memory_free(rows->tracks);
	correlation_free(rows->correlation);
	json_args_clear(&rows->args);
	json_names_clear(&rows->names);
	json_clear(&rows->json);
}

/* The track's stack; NULL if out of memory. */
static struct event_rows_track *ensure_track(
	struct event_rows *rows, uint32_t track)
{
	uint32_t count = rows->trace->track_count;
	struct event_rows_track *tracks;

	if (track < rows->track_count)
		return &rows->tracks[track];
	tracks = memory_resize_array(rows->tracks, count, sizeof(*tracks));
	if (tracks == NULL)
		return NULL;
	rows->tracks = tracks;
	for (; rows->track_count < count; rows->track_count++)
		tracks[rows->track_count] =
			(struct event_rows_track){.last_ns = INT64_MIN};
	return &tracks[track];
}

/* The frame of a range that begins, without arguments; NULL if out of memory.
 */
static struct frame *push(struct event_rows_track *track)
{
	struct frame *frame;

	if (track->depth == track->room) {
		uint32_t room = track->room == 0 ? 16 : track->room * 2;
		struct frame *frames;

		if (track->room > UINT32_MAX / 4)
			return NULL;
		frames = memory_resize_array(
			track->frames, room, sizeof(*frames));
		if (frames == NULL)
			return NULL;
		track->frames = frames;
		for (; track->room < room; track->room++)
			frames[track->room].args =
				(struct json_args)JSON_ARGS_INIT;
	}
	frame = &track->frames[track->depth++];
	json_args_reset(&frame->args);
	return frame;
}

static struct frame *top(const struct event_rows_track *track)
{
	return track->depth == 0 ? NULL : &track->frames[track->depth - 1];
}

static uint64_t number_of(const struct frame *around)
{
	return around == NULL ? 0 : around->number;
}

static uint32_t depth_in(const struct frame *around)
{
	return around == NULL ? 0 : around->depth;
}

/* Times that go backwards stay at the track's last time. */
static int64_t in_order(struct event_rows *rows, struct event_rows_track *track,
	int64_t time_ns)
{
	if (time_ns < track->last_ns) {
		trace_lose(rows->trace, LOSS_BACKWARD_TIMES, 1);
		time_ns = track->last_ns;
	}
	track->last_ns = time_ns;
	return time_ns;
}

/* Passes a row with these arguments to write_row(). */
static enum ctp_status write_row(struct event_rows *rows, struct event_row *row,
	const struct json_args *args, struct ctp_error *err)
{
	if (args->count > 0) {
		rows->json.used = 0;
		rows->json.comma = false;
		json_args_write_object(&rows->json, args);
		if (rows->json.failed)
			return ctp_no_memory(err);
		row->args = rows->json.bytes;
		row->args_size = rows->json.used;
	}
	return rows->write_row(rows->user, row, err);
}

static enum ctp_status begin(struct event_rows *rows,
	struct event_rows_track *track, const struct event *event,
	struct ctp_error *err)
{
	int64_t start_ns = in_order(rows, track, event->time_ns);
	struct frame *frame = push(track);
	bool is_clipped = event->shift_ns > 0;
	const struct frame *around;

	if (frame == NULL || !json_args_add(&frame->args, &rows->names, event))
		return ctp_no_memory(err);
	around = track->depth > 1 ? frame - 1 : NULL;
	frame->number = is_clipped ? number_of(around) : ++rows->last;
	frame->depth = depth_in(around) + !is_clipped;
	frame->id = 0;
	frame->inner_ns = 0;
	frame->start_ns = start_ns;
	frame->is_clipped = is_clipped;
	frame->site = event->site;
	return CTP_OK;
}

/* Ends the innermost range of the track, which must exist. If its end was
 * moved, its duration exceeds its self time plus the inner ranges' time. */
static enum ctp_status end(struct event_rows *rows, const struct event *event,
	struct ctp_error *err)
{
	struct event_rows_track *track = &rows->tracks[event->track];
	const struct frame *frame = &track->frames[--track->depth];
	struct frame *around = top(track);
	uint64_t length = (uint64_t)event->time_ns - (uint64_t)frame->start_ns;
	struct event_row row = {.kind = EVENT_BEGIN,
		.number = frame->number,
		.parent = number_of(around),
		.depth = depth_in(around),
		.track = event->track,
		.site = frame->site,
		.start_ns = frame->start_ns,
		.has_duration = true,
		.duration_ns =
			(uint64_t)event_end(event) - (uint64_t)frame->start_ns,
		.self_ns = length - frame->inner_ns,
		.id = frame->id,
		.device = -1};

	if (around != NULL)
		around->inner_ns += length;
	return frame->is_clipped ? CTP_OK
				 : write_row(rows, &row, &frame->args, err);
}

static enum ctp_status end_range(struct event_rows *rows,
	struct event_rows_track *track, const struct event *event,
	struct ctp_error *err)
{
	struct event mended = *event;

	if (track->depth == 0) {
		trace_lose(rows->trace, LOSS_STRAY_ENDS, 1);
		return CTP_OK;
	}
	mended.time_ns = in_order(rows, track, event->time_ns);
	return end(rows, &mended, err);
}

/* An "External id" that links activities is among the arguments, and is not a
 * correlation id. */
static uint64_t shown_id(uint64_t id)
{
	return (id & TRACE_EXTERNAL_ID_BIT) != 0 ? 0 : id;
}

static uint64_t row_id(const struct event *event)
{
	return event->kind == EVENT_ACTIVITY ? shown_id(event->id) : event->id;
}

/* Adds arguments or an id to the innermost range. */
static enum ctp_status describe(struct event_rows *rows,
	const struct event_rows_track *track, const struct event *event,
	struct ctp_error *err)
{
	struct frame *frame = top(track);

	if (frame == NULL) {
		trace_lose(rows->trace, LOSS_NOT_SHOWN, 1);
		return CTP_OK;
	}
	if (event->kind == EVENT_ARGS)
		return json_args_add(&frame->args, &rows->names, event)
			       ? CTP_OK
			       : ctp_no_memory(err);
	frame->id = shown_id(event->id);
	return correlation_add(rows->correlation,
		       rows->trace->tracks[event->track].pid, event->id,
		       frame->number)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

/* An event that is a row by itself. */
static enum ctp_status add_row(struct event_rows *rows,
	const struct event_rows_track *track, const struct event *event,
	struct ctp_error *err)
{
	const struct frame *around = top(track);
	struct event named = *event;
	struct event_row row = {.kind = event->kind,
		.number = ++rows->last,
		.parent = number_of(around),
		.depth = depth_in(around),
		.track = event->track,
		.site = event->site,
		.start_ns = event->time_ns,
		.has_duration = event->kind == EVENT_COMPLETE ||
				event->kind == EVENT_UNCLIPPED_CALL ||
				event->kind == EVENT_ACTIVITY,
		.duration_ns = event->dur_ns,
		.id = row_id(event),
		.bytes = event->bytes,
		.device = event->device,
		.flow = event->flow};

	/* These are outside any open range. */
	if (row.has_duration) {
		row.parent = 0;
		row.depth = 0;
		row.self_ns = row.duration_ns;
	}
	if (event->kind == EVENT_ACTIVITY && event->id != 0)
		(void)correlation_find(rows->correlation,
			rows->trace->tracks[event->track].pid, event->id,
			&row.cause);
	if (event->kind == EVENT_COUNTER && event->arg_count > 0) {
		row.value = event->args;
		named.args++;
		named.arg_count--;
	}
	json_args_reset(&rows->args);
	if (!json_args_add(&rows->args, &rows->names, &named))
		return ctp_no_memory(err);
	return write_row(rows, &row, &rows->args, err);
}

enum ctp_status event_rows_add(struct event_rows *rows,
	const struct event *event, struct ctp_error *err)
{
	struct event_rows_track *track = ensure_track(rows, event->track);

	if (track == NULL)
		return ctp_no_memory(err);
	switch (event->kind) {
	case EVENT_BEGIN:
		return begin(rows, track, event, err);
	case EVENT_END:
		return end_range(rows, track, event, err);
	case EVENT_ARGS:
	case EVENT_CORRELATION:
		return describe(rows, track, event, err);
	default:
		return add_row(rows, track, event, err);
	}
}

enum ctp_status event_rows_finish(
	struct event_rows *rows, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	for (uint32_t i = 0; i < rows->track_count; i++) {
		struct event_rows_track *track = &rows->tracks[i];
		struct event last = {.kind = EVENT_END,
			.track = i,
			.time_ns = trace_track_end(rows->trace, i)};

		if (last.time_ns < track->last_ns)
			last.time_ns = track->last_ns;
		while (status == CTP_OK && track->depth > 0) {
			trace_lose(rows->trace, LOSS_OPEN_RANGES, 1);
			status = end(rows, &last, err);
		}
	}
	return status;
}

const char *event_rows_kind_name(const struct event_row *row)
{
	static const char *const names[EVENT_KINDS] = {
		[EVENT_BEGIN] = "range",
		[EVENT_COMPLETE] = "slice",
		[EVENT_UNCLIPPED_CALL] = "slice",
		[EVENT_ASYNC_BEGIN] = "async begin",
		[EVENT_ASYNC_END] = "async end",
		[EVENT_INSTANT] = "instant",
		[EVENT_COUNTER] = "counter",
		[EVENT_ALLOC] = "alloc",
		[EVENT_FREE] = "free",
		[EVENT_STEP] = "step",
		[EVENT_ACTIVITY] = "activity",
	};
	static const char *const flows[] = {
		[FLOW_START] = "flow start",
		[FLOW_STEP] = "flow step",
		[FLOW_END] = "flow end",
	};

	if (row->kind == EVENT_FLOW)
		return flows[row->flow];
	return names[row->kind] == NULL ? "event" : names[row->kind];
}

const char *event_rows_track_name(const struct trace_track *track)
{
	static const char *const names[] = {
		[TRACE_THREAD] = "thread",
		[TRACE_TIMELINE] = "timeline",
		[TRACE_STREAM] = "stream",
		[TRACE_CALLS] = "calls",
	};

	return names[track->kind];
}
