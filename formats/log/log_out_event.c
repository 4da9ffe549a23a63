/* SPDX-License-Identifier: MIT */
/* Events as entries of a track's next block. */
#include "log/log_out_private.h"
#include "log/log_row.h"
#include "base/memory.h"

/* A block is written when there are so many bytes of rows; one row more is
 * still far from what a block may be. */
#define ROWS_BYTES_MAX ((size_t)1024 * 1024)

/* Of one event, its arguments, and how far it was moved. */
#define ENTRIES_MAX 3

static size_t held(const struct log_out_track *track)
{
	return track->room * sizeof(track->events[0]) + track->extras.room;
}

static bool make_room(struct log_out_track *track)
{
	uint32_t room = track->room == 0 ? 4 : track->room * 2;
	struct log_out_event *events;

	if (track->count + ENTRIES_MAX <= track->room)
		return true;
	events = memory_resize(track->events, room * sizeof(*events));
	if (events == NULL)
		return false;
	track->events = events;
	track->room = room;
	return true;
}

static void push(struct log_out_track *track, uint32_t id, int64_t time_ns)
{
	track->events[track->count++] = (struct log_out_event){time_ns, id};
}

/* An entry that has a row; its bytes are to be added to this. */
static struct buffer *push_row(struct log_out_track *track, int64_t time_ns)
{
	push(track, LOG_COLUMN_EXTRA, time_ns);
	track->extra_count++;
	return &track->extras;
}

static uint64_t site_of(const struct event *event)
{
	return (uint64_t)event->site + 1;
}

/* A row of numbers. */
static void add_numbers(struct log_out_track *track, const struct event *event,
	enum log_row row, uint64_t second)
{
	const uint64_t numbers[] = {site_of(event), second};

	log_row_add_numbers(push_row(track, event->time_ns), row, numbers,
		row == LOG_ROW_INSTANT ? 1 : 2);
}

static void add_flow(struct log_out_track *track, const struct event *event)
{
	const uint64_t numbers[] = {
		site_of(event), event->id, (uint64_t)event->flow};

	log_row_add_numbers(
		push_row(track, event->time_ns), LOG_ROW_FLOW, numbers, 3);
}

static void add_memory(struct log_out_track *track, const struct event *event,
	enum log_row row)
{
	const uint64_t block[2] = {event->id, event->bytes};

	log_row_add_memory(
		push_row(track, event->time_ns), row, block, event->device);
}

static void add_correlation(struct log_out *out, struct log_out_track *track,
	const struct event *event)
{
	log_row_add_numbers(push_row(track, event->time_ns),
		LOG_ROW_CORRELATION, &event->id, 1);
	if (track->is_caller)
		return;
	track->is_caller = true;
	track->next_caller = out->callers;
	out->callers = track;
}

/* [1, key, value]; returns how many of the arguments are in it. */
static uint32_t add_arg(struct log_out *out, struct log_out_track *track,
	const struct event *event)
{
	struct buffer *value = &out->bytes;
	msgpack_packer packer;

	value->used = 0;
	if (event->arg_count == 0 || !log_out_value(out, value, event->args))
		return event->arg_count;
	packer = log_row_begin(push_row(track, event->time_ns), LOG_ROW_ARG, 3);
	log_out_string(out, &packer, event->args[0].key);
	buffer_add(&track->extras, value->bytes, value->used);
	return 1;
}

/* [3, site, value, key]; without a key if that is empty. Likewise. */
static uint32_t add_counter(struct log_out *out, struct log_out_track *track,
	const struct event *event)
{
	struct buffer *value = &out->bytes;
	bool has_key = event->arg_count > 0 && event->args[0].key != 0;
	msgpack_packer packer;

	value->used = 0;
	if (event->arg_count == 0) {
		trace_lose(out->trace, LOSS_NOT_SHOWN, 1);
		return 0;
	}
	if (!log_out_value(out, value, event->args))
		return event->arg_count;
	packer = log_row_begin(push_row(track, event->time_ns), LOG_ROW_COUNTER,
		has_key ? 4 : 3);
	(void)msgpack_pack_uint64(&packer, site_of(event));
	buffer_add(&track->extras, value->bytes, value->used);
	if (has_key)
		log_out_string(out, &packer, event->args[0].key);
	return 1;
}

/* [8, site, step, advance]; likewise. */
static uint32_t add_step(struct log_out *out, struct log_out_track *track,
	const struct event *event)
{
	static const struct event_arg one = {
		.kind = ARG_INT, .value.integer = 1};
	struct buffer *value = &out->bytes;
	msgpack_packer packer;

	value->used = 0;
	if (event->arg_count == 0 || !log_out_value(out, value, event->args))
		(void)log_out_value(out, value, &one);
	packer =
		log_row_begin(push_row(track, event->time_ns), LOG_ROW_STEP, 4);
	(void)msgpack_pack_uint64(&packer, site_of(event));
	(void)msgpack_pack_uint64(&packer, event->id);
	buffer_add(&track->extras, value->bytes, value->used);
	return event->arg_count > 0;
}

/* [13, duration] */
static void add_moved(struct log_out_track *track, const struct event *event)
{
	if (event->dur_ns > 0)
		log_row_add_numbers(push_row(track, event->time_ns),
			LOG_ROW_MOVED, &event->dur_ns, 1);
}

/* Adds the event; returns how many of its arguments are in it. */
static uint32_t add_entry(struct log_out *out, struct log_out_track *track,
	const struct event *event)
{
	switch (event->kind) {
	case EVENT_BEGIN:
		push(track, event->site + 1 + LOG_COLUMN_SITES, event->time_ns);
		add_moved(track, event);
		break;
	case EVENT_END:
		push(track, LOG_COLUMN_END, event->time_ns);
		add_moved(track, event);
		break;
	case EVENT_ARGS:
		return add_arg(out, track, event);
	case EVENT_COMPLETE:
		add_numbers(track, event, LOG_ROW_COMPLETE, event->dur_ns);
		break;
	case EVENT_WHOLE:
		add_numbers(track, event, LOG_ROW_WHOLE, event->dur_ns);
		break;
	case EVENT_ASYNC_BEGIN:
		add_numbers(track, event, LOG_ROW_ASYNC_BEGIN, event->id);
		break;
	case EVENT_ASYNC_END:
		add_numbers(track, event, LOG_ROW_ASYNC_END, event->id);
		break;
	case EVENT_INSTANT:
		add_numbers(track, event, LOG_ROW_INSTANT, 0);
		break;
	case EVENT_COUNTER:
		return add_counter(out, track, event);
	case EVENT_ALLOC:
		add_memory(track, event, LOG_ROW_ALLOC);
		break;
	case EVENT_FREE:
		add_memory(track, event, LOG_ROW_FREE);
		break;
	case EVENT_STEP:
		return add_step(out, track, event);
	case EVENT_CORRELATION:
		add_correlation(out, track, event);
		break;
	case EVENT_FLOW:
		add_flow(track, event);
		break;
	case EVENT_ACTIVITY:
	case EVENT_KINDS:
		break;
	}
	return 0;
}

enum ctp_status log_out_event(
	struct log_out *out, const struct event *event, struct ctp_error *err)
{
	struct log_out_track *track = log_out_track(out, event->track);
	enum ctp_status status = CTP_OK;
	uint32_t done;
	size_t before;

	if (track == NULL)
		return log_out_no_memory(err);
	if (track->number == 0)
		status = log_out_number(out, event->track, false, err);
	if (status != CTP_OK)
		return status;
	before = held(track);
	if (!make_room(track))
		return log_out_no_memory(err);
	done = add_entry(out, track, event);
	if (done < event->arg_count) {
		(void)log_row_begin(
			push_row(track, event->time_ns), LOG_ROW_MORE_ARGS, 2);
		log_out_args(out, &track->extras, event->args + done,
			event->arg_count - done);
	}
	if (track->extras.failed || out->bytes.failed)
		return log_out_no_memory(err);
	out->held_bytes += held(track) - before;
	if (track->count + ENTRIES_MAX <= LOG_COLUMN_MAX &&
		track->extras.used <= ROWS_BYTES_MAX)
		return CTP_OK;
	return log_out_write_track(out, track, err);
}
