/* SPDX-License-Identifier: MIT */
#include "log_read/log_read.h"

#include <string.h>

#include "base/memory.h"
#include "log/log_row.h"
#include "log/unpack.h"
#include "log_read/log_ahead.h"
#include "log_read/log_args.h"
#include "log_read/log_device.h"
#include "log_read/log_parse.h"
#include "log_read/log_site.h"

/* Bits of a member's beginning that cannot match by chance. */
#define PROBE_BITS (8 * LOG_MAGIC_BYTES - 8)

struct log_reader {
	struct event_source source; /* must be first */
	struct log_input *input;
	struct log_recording recording;
	struct log_events *events; /* of the current block */
	struct log_events own_events;
	uint64_t input_losses[LOSS_KINDS]; /* not yet in the trace */
	struct log_args args;              /* of the current event */
	struct log_ahead *ahead; /* NULL: blocks are read when needed */
	FILE *file;
	bool asked; /* for an event */
	bool seen_block;
	bool follow;
};

unsigned log_read_probe(const void *bytes, size_t size)
{
	static const uint8_t magic[LOG_MAGIC_BYTES] = LOG_MAGIC;
	const uint8_t *at = bytes;
	unsigned bits = 0;

	if (size < sizeof(magic))
		return 0;
	/* The beginning may be damaged, or the first member lost and another
	 * begins within these bytes. */
	if (memmem(bytes, size, magic, sizeof(magic)) != NULL)
		return 8 * LOG_MAGIC_BYTES;
	for (size_t i = 0; i < sizeof(magic); i++)
		bits += (unsigned)__builtin_popcount(
			(uint8_t) ~(at[i] ^ magic[i]));
	return bits >= PROBE_BITS ? bits : 0;
}

static struct log_reader *reader_of(struct event_source *source)
{
	return (struct log_reader *)(void *)source;
}

/* After lost blocks: ends ranges that are no longer open, and begins those that
 * are open now. */
static enum ctp_status resync_ranges(
	struct log_reader *reader, struct event *event, struct ctp_error *err)
{
	struct log_events *events = reader->events;
	struct log_track *track = events->track;
	uint64_t *losses = reader->recording.trace->losses;

	event->time_ns = events->base_ns;
	if (events->closing > 0) {
		events->closing--;
		track->depth--;
		losses[LOSS_CLOSED_RANGES]++;
		event->kind = EVENT_END;
		event->site = TRACE_NONE;
		return CTP_OK;
	}
	losses[LOSS_REOPENED_RANGES]++;
	event->kind = EVENT_BEGIN;
	event->site = *events->opening++;
	events->opening_count--;
	if (!log_events_push_open(track, event->site))
		return ctp_no_memory(err);
	return CTP_OK;
}

/* Converts a row's site to the trace's; false if invalid. */
static bool row_site(
	struct log_reader *reader, struct cursor *row, struct event *event)
{
	uint32_t number;

	if (!unpack_u32(row, LOG_SITES_MAX - 1, &number))
		return false;
	event->site = log_site_find(&reader->recording, number);
	return event->site != TRACE_NONE;
}

static bool set_key(struct log_reader *reader, struct event_arg *arg,
	const char *key, size_t size)
{
	arg->key = strtab_add(reader->recording.trace->text, key, size);
	return arg->key != STRTAB_NONE;
}

/* Reads the event's first argument, with this key. */
static bool row_value(struct log_reader *reader, struct cursor *row,
	const char *key, size_t size)
{
	struct event_arg *arg = log_args_push(&reader->args);

	return arg != NULL && set_key(reader, arg, key, size) &&
	       log_args_value(row, arg);
}

/* The same of a key and a value. */
static bool row_arg(struct log_reader *reader, struct cursor *row)
{
	const char *key;
	size_t size;

	return unpack_text(row, &key, &size) &&
	       row_value(reader, row, key, size);
}

/* The same of a value and perhaps a key. */
static bool row_keyed(struct log_reader *reader, struct cursor *row)
{
	struct event_arg *arg = log_args_push(&reader->args);
	const char *key = "";
	size_t size = 0;

	if (arg == NULL || !log_args_value(row, arg) ||
		(row->left > 0 && !unpack_text(row, &key, &size)))
		return false;
	return set_key(reader, arg, key, size);
}

static bool row_device(struct cursor *row, struct event *event)
{
	int64_t device;

	if (!unpack_int(row, &device) || device < INT32_MIN ||
		device > INT32_MAX)
		return false;
	event->device = (int32_t)device;
	return true;
}

/* Processes use the same ids for different things. An address or a step links
 * nothing. */
static bool row_id(
	struct log_reader *reader, struct cursor *row, struct event *event)
{
	if (!unpack_uint(row, &event->id))
		return false;
	if (event->kind == EVENT_ASYNC_BEGIN ||
		event->kind == EVENT_ASYNC_END ||
		event->kind == EVENT_CORRELATION || event->kind == EVENT_FLOW)
		event->id = log_recording_id(&reader->recording, event->id);
	return true;
}

static bool row_flow(struct cursor *row, struct event *event)
{
	uint32_t flow;

	if (!unpack_u32(row, FLOW_END, &flow))
		return false;
	event->flow = (enum event_flow)flow;
	return true;
}

static bool row_shift(struct cursor *row, struct event *event)
{
	uint64_t shift_ns;

	if (!unpack_uint(row, &shift_ns))
		return false;
	event->shift_ns = shift_ns;
	return true;
}

static bool row_field(struct log_reader *reader, struct cursor *row,
	enum log_field field, struct event *event)
{
	switch (field) {
	case LOG_FIELD_SITE:
		return row_site(reader, row, event);
	case LOG_FIELD_ID:
		return row_id(reader, row, event);
	case LOG_FIELD_BYTES:
		return unpack_uint(row, &event->bytes);
	case LOG_FIELD_DEVICE:
		return row_device(row, event);
	case LOG_FIELD_DURATION:
		return unpack_uint(row, &event->dur_ns);
	case LOG_FIELD_SHIFT:
		return row_shift(row, event);
	case LOG_FIELD_FLOW:
		return row_flow(row, event);
	case LOG_FIELD_ADVANCE:
		return row_value(reader, row, "advance", 7);
	case LOG_FIELD_VALUE:
		return row_keyed(reader, row);
	case LOG_FIELD_ARG:
		return row_arg(reader, row);
	case LOG_FIELD_END:
		break;
	}
	return false;
}

/* Reads the start of a row of `extras`, up to its kind. */
static bool open_row(struct cursor *extras, struct cursor *row,
	uint32_t *elements, uint32_t *kind)
{
	*row = *extras;
	(void)unpack_skip(extras);
	row->left -= extras->left;
	return unpack_array(row, elements) && unpack_u32(row, UINT32_MAX, kind);
}

#define KIND(name, number, chunk, event, ...) [number] = event,
/* By row; EVENT_BEGIN, which is not a row: unknown, or part of the previous
 * event. */
static const enum event_kind kinds[LOG_ROWS_MAX] = {LOG_ROWS(KIND)};
#undef KIND

/* Reads one row of `extras`; false for an unknown kind. */
static bool read_row(struct log_reader *reader, struct event *event)
{
	const uint8_t *field;
	struct cursor row;
	uint32_t elements;
	uint32_t kind;

	if (!open_row(&reader->events->extras, &row, &elements, &kind) ||
		kind >= LOG_ROWS_MAX || kinds[kind] == EVENT_BEGIN)
		return false;
	event->kind = kinds[kind];
	for (field = log_row_fields[kind]; *field != LOG_FIELD_END; field++)
		if (!row_field(reader, &row, *field, event))
			return false;
	return true;
}

/* Reads the rows that belong to the event: its shift and arguments. */
static void read_more(struct log_reader *reader, struct event *event)
{
	struct log_events *events = reader->events;
	bool is_range = event->kind == EVENT_BEGIN || event->kind == EVENT_END;
	struct trace *trace = reader->recording.trace;

	while (events->at < events->count &&
		events->ids[events->at] == LOG_ID_EXTRA) {
		struct cursor extras = events->extras;
		struct cursor row;
		uint32_t elements;
		uint32_t kind;
		bool good;

		if (!open_row(&extras, &row, &elements, &kind))
			break;
		if (kind == LOG_ROW_SHIFT && is_range)
			good = row_shift(&row, event);
		else if (kind == LOG_ROW_MORE_ARGS)
			good = log_args_map(&reader->args, trace, &row);
		else
			break;
		events->at++;
		events->extras = extras;
		if (!good)
			trace_lose(trace, LOSS_UNKNOWN_EVENTS, 1);
	}
	event->args = reader->args.items;
	event->arg_count = reader->args.count;
}

/* The next event of a block that has nothing but begins and ends. */
static void read_plain(struct log_events *events, struct event *event)
{
	event->site = events->ids[events->at];
	event->time_ns = events->times[events->at++];
	event->kind = event->site == TRACE_NONE ? EVENT_END : EVENT_BEGIN;
	if (events->at == events->count)
		log_events_end(events);
}

/* Returns the next event of another block; CTP_END if there was none (an unknown
 * row). */
static enum ctp_status read_event(
	struct log_reader *reader, struct event *event, struct ctp_error *err)
{
	struct log_events *events = reader->events;
	struct log_track *track = events->track;
	uint32_t id = events->ids[events->at];

	event->time_ns = events->times[events->at++];
	reader->args.count = 0;
	if (id >= LOG_ID_SITES) {
		event->kind = EVENT_BEGIN;
		event->site = events->sites[id];
		if (!log_events_push_open(track, event->site))
			return ctp_no_memory(err);
	} else if (id == LOG_ID_EXTRA) {
		event->site = TRACE_NONE;
		if (!read_row(reader, event)) {
			reader->recording.trace->losses[LOSS_UNKNOWN_EVENTS]++;
			return CTP_END;
		}
	} else {
		event->site = TRACE_NONE;
		event->kind = EVENT_END;
		track->depth -= track->depth > 0;
	}
	read_more(reader, event);
	return CTP_OK;
}

static enum ctp_status next_block(
	struct log_reader *reader, struct ctp_error *err)
{
	struct cursor block;
	enum ctp_status status;

	if (reader->ahead != NULL)
		return log_ahead_next(reader->ahead, &reader->events, err);
	status = log_input_next(reader->input, &block, err);
	log_input_move_losses(reader->input_losses, reader->source.trace);
	if (status == CTP_OK) {
		reader->seen_block = true;
		return log_parse_block(
			&reader->recording, block, reader->events, err);
	}
	if (status != CTP_END || reader->follow)
		return status;
	if (!reader->seen_block)
		return ctp_fail_at(err, CTP_ERR_FORMAT, 0, LOG_PARSE_NO_BLOCK);
	log_recording_finish(&reader->recording);
	return CTP_END;
}

/* At the first event: starts a thread where it pays. */
static void start(struct log_reader *reader)
{
	reader->asked = true;
	if (!reader->follow && log_ahead_is_useful(reader->file,
				       reader->source.trace->request.jobs))
		reader->ahead = log_ahead_new(reader->input, &reader->recording,
			reader->input_losses);
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct log_reader *reader = reader_of(source);
	const struct log_device *device = &reader->recording.device;
	enum ctp_status status;

	if (!reader->asked)
		start(reader);
	for (;;) {
		struct log_events *events = reader->events;

		*event = (struct event){.device = -1};
		if (events->at < events->count) {
			event->track = events->track->trace_track;
			if (events->closing + events->opening_count > 0)
				return resync_ranges(reader, event, err);
			if (events->is_plain) {
				read_plain(events, event);
				return CTP_OK;
			}
			status = read_event(reader, event, err);
			if (status != CTP_END)
				return status;
			continue;
		}
		if (device->at < device->count)
			return log_device_event(&reader->recording, event)
				       ? CTP_OK
				       : ctp_no_memory(err);
		status = next_block(reader, err);
		if (status != CTP_OK)
			return status;
	}
}

/* All events that are left of a plain block are a run. */
static void peek_run(struct event_source *source, struct event_run *run)
{
	const struct log_events *events = reader_of(source)->events;

	run->count = 0;
	if (!events->is_plain || events->at == events->count ||
		events->closing + events->opening_count > 0)
		return;
	run->track = events->track->trace_track;
	run->count = events->count - events->at;
	run->sites = events->ids + events->at;
	run->times_ns = events->times + events->at;
}

static void take_run(struct event_source *source)
{
	struct log_events *events = reader_of(source)->events;

	events->at = events->count;
	log_events_end(events);
}

static const struct log_reader *const_reader_of(
	const struct event_source *source)
{
	return (const struct log_reader *)(const void *)source;
}

static uint64_t position(const struct event_source *source)
{
	const struct log_reader *reader = const_reader_of(source);

	return reader->ahead != NULL ? log_ahead_position(reader->ahead)
				     : log_input_position(reader->input);
}

static void follow(struct event_source *source, bool on)
{
	struct log_reader *reader = reader_of(source);

	reader->follow = on;
	log_input_follow(reader->input, on);
}

static bool is_whole(const struct event_source *source)
{
	return const_reader_of(source)->recording.has_end;
}

static void close_reader(struct event_source *source)
{
	struct log_reader *reader = reader_of(source);

	log_ahead_free(reader->ahead);
	log_recording_clear(&reader->recording);
	log_events_clear(&reader->own_events);
	log_args_clear(&reader->args);
	log_input_free(reader->input);
	trace_free(source->trace);
	memory_free(reader);
}

enum ctp_status log_read_open(FILE *file, const void *head, size_t head_size,
	const struct read_request *request, struct event_source **out,
	struct ctp_error *err)
{
	struct log_reader *reader = memory_new_zeroed(1, sizeof(*reader));

	if (reader != NULL)
		reader->source.trace = trace_new(request);
	if (reader != NULL && reader->source.trace != NULL)
		reader->input = log_input_new(
			file, head, head_size, reader->input_losses);
	if (reader == NULL || reader->input == NULL) {
		if (reader != NULL)
			trace_free(reader->source.trace);
		memory_free(reader);
		return ctp_no_memory(err);
	}
	reader->recording.trace = reader->source.trace;
	reader->recording.timeline_end_ns = INT64_MIN;
	reader->events = &reader->own_events;
	reader->file = file;
	reader->source.next = next;
	reader->source.peek_run = peek_run;
	reader->source.take_run = take_run;
	reader->source.follow = follow;
	reader->source.is_whole = is_whole;
	reader->source.position = position;
	reader->source.close = close_reader;
	*out = &reader->source;
	return CTP_OK;
}
