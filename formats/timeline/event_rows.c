/* SPDX-License-Identifier: MIT */
#include "timeline/event_rows.h"

static struct event_rows *rows_of(struct timeline *timeline)
{
	return (struct event_rows *)timeline;
}

bool event_rows_init(struct event_rows *rows)
{
	/* Initialize both, so that both can be cleared. */
	bool done = json_init(&rows->json, NULL);

	return json_names_init(&rows->names, rows->timeline.trace) && done;
}

void event_rows_clear(struct event_rows *rows)
{
	json_args_clear(&rows->args);
	json_names_clear(&rows->names);
	json_clear(&rows->json);
}

void event_rows_clear_frame(void *frame)
{
	json_args_clear(&((struct event_rows_frame *)frame)->args);
}

/* The innermost range; NULL: none. */
static struct event_rows_frame *top(const struct timeline_track *track)
{
	struct event_rows_frame *frames = track->frames;

	return track->depth == 0 ? NULL : &frames[track->depth - 1];
}

static uint64_t number_of(const struct event_rows_frame *around)
{
	return around == NULL ? 0 : around->number;
}

static uint32_t depth_in(const struct event_rows_frame *around)
{
	return around == NULL ? 0 : around->depth;
}

/* Passes a row with these arguments to write_row(). */
static bool write_row(struct event_rows *rows, struct event_row *row,
	const struct json_args *args)
{
	if (args->count > 0) {
		rows->json.used = 0;
		rows->json.comma = false;
		json_args_write_object(&rows->json, args);
		if (rows->json.failed)
			return false;
		row->args = rows->json.bytes;
		row->args_size = rows->json.used;
	}
	return rows->write_row(rows, row);
}

static bool add_begin(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct event_rows *rows = rows_of(timeline);
	const struct event_rows_frame *around = top(track);
	struct event_rows_frame *frame =
		&((struct event_rows_frame *)track->frames)[track->depth++];
	struct json_args args = frame->args;
	bool is_clipped = event->shift_ns > 0;

	json_args_reset(&args);
	*frame = (struct event_rows_frame){
		.number = is_clipped ? number_of(around) : ++rows->last,
		.depth = depth_in(around) + !is_clipped,
		.start_ns = event->time_ns,
		.is_clipped = is_clipped,
		.site = event->site,
		.args = args};
	return json_args_add(&frame->args, &rows->names, event);
}

/* If the end was moved, the duration exceeds the range's self time plus the
 * inner ranges' time. */
static bool add_end(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	const struct event_rows_frame *frame = top(track);
	uint64_t length = (uint64_t)event->time_ns - (uint64_t)frame->start_ns;
	struct event_rows_frame *around;
	struct event_row row;

	track->depth--;
	around = top(track);
	row = (struct event_row){.kind = EVENT_BEGIN,
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
	return frame->is_clipped ||
	       write_row(rows_of(timeline), &row, &frame->args);
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

static bool add_args(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	return json_args_add(
		&top(track)->args, &rows_of(timeline)->names, event);
}

static bool add_correlation(struct timeline *timeline,
	struct timeline_track *track, const struct event *event)
{
	top(track)->id = shown_id(event->id);
	return timeline_add_cause(timeline, event, top(track)->number);
}

/* An event that is a row by itself. */
static bool add_row(struct timeline *timeline, struct timeline_track *track,
	const struct event *event)
{
	struct event_rows *rows = rows_of(timeline);
	const struct event_rows_frame *around = top(track);
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
		(void)correlation_find(timeline->causes,
			timeline->trace->tracks[event->track].pid, event->id,
			&row.cause);
	if (event->kind == EVENT_COUNTER && event->arg_count > 0) {
		row.value = event->args;
		named.args++;
		named.arg_count--;
	}
	json_args_reset(&rows->args);
	return json_args_add(&rows->args, &rows->names, &named) &&
	       write_row(rows, &row, &rows->args);
}

timeline_add_fn *const event_rows_adders[EVENT_KINDS] = {
	[EVENT_BEGIN] = add_begin,
	[EVENT_END] = add_end,
	[EVENT_ARGS] = add_args,
	[EVENT_COMPLETE] = add_row,
	[EVENT_UNCLIPPED_CALL] = add_row,
	[EVENT_ASYNC_BEGIN] = add_row,
	[EVENT_ASYNC_END] = add_row,
	[EVENT_INSTANT] = add_row,
	[EVENT_COUNTER] = add_row,
	[EVENT_ALLOC] = add_row,
	[EVENT_FREE] = add_row,
	[EVENT_STEP] = add_row,
	[EVENT_CORRELATION] = add_correlation,
	[EVENT_ACTIVITY] = add_row,
	[EVENT_FLOW] = add_row,
};

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
