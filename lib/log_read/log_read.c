/* SPDX-License-Identifier: MIT */
#include "log_read/log_read.h"

#include <string.h>

#include "log_read/log_args.h"
#include "log_read/log_device.h"
#include "log_read/log_site.h"
#include "log_read/log_member.h"
#include "base/memory.h"
#include "log/log_row.h"
#include "log/unpack.h"
#include "log_read/log_facts.h"
#include "log_read/log_recording.h"

/* ---- blocks ---- */

/*
 * Applies a block. An event block is then in recording->events. An invalid
 * block is counted and changes nothing.
 *
 * Errors: CTP_ERR_NOMEM, CTP_ERR_UNSUPPORTED.
 */
enum ctp_status log_block_parse(struct log_recording *recording,
	struct cursor block, struct ctp_error *err);

/* Functions with `apply` are called twice: first to see whether the whole block
 * is sound, then to apply it. */

/* Reads an optional position or end: a number, nil, or nothing. */
static bool read_number(struct cursor *block, bool *is_there, int64_t *number)
{
	*is_there = block->left > 0 && unpack_peek(block) == UNPACK_INT;
	if (*is_there)
		return unpack_int(block, number);
	return block->left == 0 || unpack_skip(block);
}

static bool read_track(struct cursor *block, struct log_track_row *row)
{
	if (!unpack_u32(block, LOG_TRACKS_MAX - 1, &row->number) ||
		!unpack_u32(block, UINT32_MAX, &row->kind) ||
		!unpack_int(block, &row->tid) ||
		!unpack_text(block, &row->name.bytes, &row->name.size))
		return false;
	if (block->left == 0)
		return !log_track_is_device(row->kind);
	if (!unpack_u32(block, UINT32_MAX, &row->device) ||
		!unpack_u32(block, UINT32_MAX, &row->context))
		return false;
	row->has_process = block->left > 0;
	if (!row->has_process)
		return true;
	return unpack_int(block, &row->pid) &&
	       unpack_text(block, &row->process.bytes, &row->process.size) &&
	       read_number(block, &row->has_sort, &row->sort) &&
	       read_number(block, &row->has_process_sort, &row->process_sort) &&
	       read_number(block, &row->has_end, &row->end_ns);
}

static bool set_track(struct log_recording *recording,
	struct trace_track *target, const struct log_track_row *row)
{
	static const struct log_time uncorrected;
	struct trace *trace = recording->trace;
	bool timeline = target->kind == TRACE_TIMELINE;

	target->has_end = row->has_end;
	target->end_ns = row->end_ns;
	log_time_correct_all(timeline ? &uncorrected : &recording->time, 0,
		timeline ? 0 : recording->shift_ns, &target->end_ns, 1);
	target->tid = row->tid;
	target->device = row->device;
	target->context = row->context;
	target->name = strtab_add(trace->text, row->name.bytes, row->name.size);
	if (row->has_process) {
		target->pid = row->pid;
		target->process_name = strtab_add(
			trace->text, row->process.bytes, row->process.size);
		target->has_sort = row->has_sort;
		target->sort = row->sort;
		target->has_process_sort = row->has_process_sort;
		target->process_sort = row->process_sort;
	}
	return target->name != STRTAB_NONE &&
	       target->process_name != STRTAB_NONE;
}

static enum log_verdict parse_track(
	struct log_recording *recording, struct cursor block, bool apply)
{
	static const enum trace_track_kind kinds[] = {
		[LOG_THREAD] = TRACE_THREAD,
		[LOG_TIMELINE] = TRACE_TIMELINE,
		[LOG_STREAM] = TRACE_STREAM,
		[LOG_CALLS] = TRACE_CALLS,
	};
	struct log_track_row row = {0};
	struct log_track *track;
	struct trace_track *target;

	if (!read_track(&block, &row))
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	track = log_recording_track(recording, row.number);
	if (track == NULL)
		return LOG_NO_MEMORY;
	/* Events already on the track are of the other kind. */
	if ((track->known || track->next_seq != 0) &&
		log_track_is_device(row.kind) !=
			log_track_is_device(track->kind))
		return LOG_DAMAGED;
	track->known = true;
	track->kind = row.kind > LOG_CALLS ? LOG_THREAD
					   : (enum log_track_kind)row.kind;
	target = &recording->trace->tracks[track->trace_track];
	target->kind = kinds[track->kind];
	return set_track(recording, target, &row) ? LOG_SOUND : LOG_NO_MEMORY;
}

static enum log_verdict parse_sync(
	struct log_recording *recording, struct cursor block, bool apply)
{
	uint32_t count;

	if (!unpack_array(&block, &count))
		return LOG_DAMAGED;
	while (count-- > 0) {
		int64_t log;
		int64_t raw;

		if (!log_time_read(&block, 3, &log, &raw))
			return LOG_DAMAGED;
		if (apply && !log_time_add(&recording->time, log, raw))
			return LOG_NO_MEMORY;
	}
	return LOG_SOUND;
}

static enum log_verdict parse_losses(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct log_losses losses = {NULL, 0, LOSS_STRAY_EXITS};
	struct log_track *track;
	uint32_t number;

	if (!unpack_u32(&block, LOG_TRACKS_MAX - 1, &number))
		return LOG_DAMAGED;
	if (apply) {
		track = log_recording_track(recording, number);
		if (track == NULL)
			return LOG_NO_MEMORY;
		losses.known = track->losses;
	}
	return log_recording_parse_losses(recording, block, &losses);
}

/* Losses of the input that the log was made from. */
static enum log_verdict parse_trace_losses(
	struct log_recording *recording, struct cursor block, bool apply)
{
	const struct log_losses losses = {
		apply ? recording->losses : NULL, 0, LOSS_KINDS - 1};

	return log_recording_parse_losses(recording, block, &losses);
}

static bool make_events_room(struct log_events *events, uint32_t count)
{
	uint32_t room = events->room == 0 ? 8192 : events->room;
	uint32_t *ids;
	int64_t *times;

	while (room < count)
		room *= 2;
	if (room == events->room)
		return true;
	ids = memory_resize(events->ids, room * sizeof(*ids));
	if (ids != NULL)
		events->ids = ids;
	times = memory_resize(events->times, room * sizeof(*times));
	if (times != NULL)
		events->times = times;
	if (events->open == NULL)
		events->open =
			memory_new_zeroed(LOG_OPEN_MAX, sizeof(*events->open));
	if (ids == NULL || times == NULL || events->open == NULL)
		return false;
	events->room = room;
	return true;
}

/* Compares the ranges open before a block with the known ones and determines
 * those to close and open first. They differ only after a gap. */
static enum log_verdict compare_open(
	struct log_recording *recording, struct cursor *block)
{
	struct log_events *events = &recording->events;
	struct log_track *track = events->track;
	uint32_t same = 0;
	uint32_t count;

	events->closing = 0;
	events->opening_count = 0;
	if (unpack_peek(block) == UNPACK_NIL)
		return unpack_skip(block) ? LOG_SOUND : LOG_DAMAGED;
	if (!unpack_u32s(block, events->open, LOG_OPEN_MAX, &count))
		return LOG_DAMAGED;
	for (uint32_t i = 0; i < count; i++) {
		events->open[i] = log_site_find(recording, events->open[i]);
		if (events->open[i] == TRACE_NONE)
			return LOG_DAMAGED;
	}
	while (same < count && same < track->depth &&
		track->open[same] == events->open[same])
		same++;
	events->closing = track->depth - same;
	events->opening = events->open + same;
	events->opening_count = count - same;
	return LOG_SOUND;
}

/* Converts the block's own list of sites to the trace's. */
static enum log_verdict read_sites(
	struct log_recording *recording, struct cursor *block)
{
	struct log_events *events = &recording->events;
	uint32_t count;

	if (!unpack_array(block, &count) || count > LOG_EVENTS_MAX)
		return LOG_DAMAGED;
	if (count > 0 && !array_ensure_index(&events->sites, count - 1,
				 &events->site_room, sizeof(uint32_t)))
		return LOG_NO_MEMORY;
	events->site_count = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number;

		if (!unpack_u32(block, LOG_SITES_MAX - 1, &number))
			return LOG_DAMAGED;
		events->sites[i] = log_site_find(recording, number);
		if (events->sites[i] == TRACE_NONE)
			return LOG_NO_MEMORY;
	}
	return LOG_SOUND;
}

static enum log_verdict read_times(
	struct log_recording *recording, struct cursor *block)
{
	struct log_events *events = &recording->events;
	struct cursor ahead = *block;
	uint32_t count;

	if (!unpack_array(&ahead, &count) || count > LOG_EVENTS_MAX)
		return LOG_DAMAGED;
	if (!make_events_room(events, count))
		return LOG_NO_MEMORY;
	return unpack_ints(block, events->times, count, &events->count)
		       ? LOG_SOUND
		       : LOG_DAMAGED;
}

/* Reads ids and extras, and checks the columns against each other. */
static enum log_verdict read_ids(
	struct log_recording *recording, struct cursor *block)
{
	struct log_events *events = &recording->events;
	const uint32_t *ids = events->ids;
	const uint32_t most = LOG_ID_SITES + events->site_count;
	uint32_t count;
	uint32_t rows;
	uint32_t extras = 0;
	bool valid = true;

	if (!unpack_u32s(block, events->ids, events->count, &count) ||
		count != events->count || !unpack_array(block, &rows))
		return LOG_DAMAGED;
	for (uint32_t i = 0; i < count; i++) {
		valid &= ids[i] < most;
		extras += ids[i] == LOG_ID_EXTRA;
	}
	if (!valid || extras != rows)
		return LOG_DAMAGED;
	events->extras = *block;
	while (rows-- > 0)
		if (unpack_peek(block) != UNPACK_ARRAY || !unpack_skip(block))
			return LOG_DAMAGED;
	return LOG_SOUND;
}

/* Times as the trace has them, and its end. */
static void make_times(struct log_recording *recording, int64_t base)
{
	static const struct log_time uncorrected;
	struct log_events *events = &recording->events;
	struct trace *trace = recording->trace;
	bool timeline = events->track->kind == LOG_TIMELINE;
	const struct log_time *time =
		timeline ? &uncorrected : &recording->time;
	int64_t shift = timeline ? 0 : recording->shift_ns;
	const int64_t *times = events->times;
	const uint32_t count = events->count;
	int64_t latest = INT64_MIN;

	events->base_ns = base;
	log_time_correct_all(time, 0, shift, &events->base_ns, 1);
	log_time_correct_all(time, base, shift, events->times, count);
	for (uint32_t i = 0; i < count; i++)
		latest = times[i] > latest ? times[i] : latest;
	if (!timeline)
		log_recording_extend(recording, latest);
	else if (latest > trace->timeline_end_ns)
		trace->timeline_end_ns = latest;
	if (timeline && latest > recording->timeline_end_ns)
		recording->timeline_end_ns = latest;
}

/* A block of events with `elements` elements, from its second one on: read and
 * checked completely before any event is returned. */
static enum log_verdict parse_events(
	struct log_recording *recording, struct cursor block, uint32_t elements)
{
	struct log_events *events = &recording->events;
	enum log_verdict verdict;
	uint32_t number;
	uint64_t seq;
	int64_t base;

	if (!unpack_u32(&block, LOG_TRACKS_MAX - 1, &number) ||
		!unpack_uint(&block, &seq) || !unpack_int(&block, &base))
		return LOG_DAMAGED;
	events->track = log_recording_track(recording, number);
	if (events->track == NULL || !make_events_room(events, 1))
		return LOG_NO_MEMORY;
	if (log_track_is_device(events->track->kind))
		return LOG_DAMAGED;
	verdict = read_times(recording, &block);
	if (verdict == LOG_SOUND)
		verdict = compare_open(recording, &block);
	if (verdict == LOG_SOUND)
		verdict = read_sites(recording, &block);
	if (verdict == LOG_SOUND)
		verdict = read_ids(recording, &block);
	if (verdict == LOG_SOUND &&
		(elements < 9 || /* more: of a newer version */
			!unpack_skip_values(&block, elements - 9) ||
			block.left != 0))
		verdict = LOG_DAMAGED;
	if (verdict != LOG_SOUND) {
		events->count = 0;
		return verdict;
	}
	if (seq < events->track->next_seq) { /* a copy, or out of order */
		events->count = 0;
		return LOG_DAMAGED;
	}
	trace_lose(recording->trace, LOSS_MISSING_BLOCKS,
		seq - events->track->next_seq);
	recording->totals.gaps += seq - events->track->next_seq;
	recording->totals.events += events->count;
	events->track->next_seq = seq + 1;
	events->at = 0;
	make_times(recording, base);
	return LOG_SOUND;
}

static enum log_verdict parse_kind(struct log_recording *recording,
	struct cursor block, uint64_t kind, bool apply)
{
	switch (kind) {
	case LOG_SITES:
		return log_site_parse(recording, block, apply);
	case LOG_MODULE:
		return log_site_parse_module(recording, block, apply);
	case LOG_MODULE_CLOSED:
		return log_site_parse_closed(recording, block, apply);
	case LOG_TRACK:
		return parse_track(recording, block, apply);
	case LOG_SYNC:
		return parse_sync(recording, block, apply);
	case LOG_LOSSES:
		return parse_losses(recording, block, apply);
	case LOG_END:
		return log_facts_parse_end(recording, block, apply);
	case LOG_DESCRIPTIONS:
		return log_device_parse_descriptions(recording, block, apply);
	case LOG_DEVICE:
		return log_device_parse_properties(recording, block, apply);
	case LOG_DEVICE_SYNC:
		return log_device_parse_sync(recording, block, apply);
	case LOG_DEVICE_LOSSES:
		return log_device_parse_losses(recording, block, apply);
	case LOG_DEVICE_FACTS:
		return log_facts_parse_device(recording, block, apply);
	case LOG_FACTS:
		return log_facts_parse(recording, block, apply);
	case LOG_TRACE_LOSSES:
		return parse_trace_losses(recording, block, apply);
	default:
		recording->trace->losses[LOSS_UNKNOWN_BLOCKS] += apply;
		return LOG_SOUND;
	}
}

/* Takes a block after checking that it is well formed up to its end, so that it
 * is never applied partially. */
static enum log_verdict parse_whole(
	struct log_recording *recording, struct cursor block, uint64_t kind)
{
	enum log_verdict verdict = parse_kind(recording, block, kind, false);

	return verdict == LOG_SOUND ? parse_kind(recording, block, kind, true)
				    : verdict;
}

static enum ctp_status count_verdict(struct log_recording *recording,
	uint64_t kind, enum log_verdict verdict, struct ctp_error *err)
{
	if (verdict == LOG_NO_MEMORY)
		return ctp_no_memory(err);
	if (verdict == LOG_DAMAGED) {
		recording->trace->losses[LOSS_DAMAGED_BLOCKS]++;
		return CTP_OK;
	}
	recording->started = true;
	recording->totals.blocks += kind != LOG_END;
	return CTP_OK;
}

enum ctp_status log_block_parse(struct log_recording *recording,
	struct cursor block, struct ctp_error *err)
{
	enum log_verdict verdict;
	enum ctp_status status = CTP_OK;
	struct cursor whole = block;
	uint32_t elements;
	uint64_t kind;

	recording->events.at = 0;
	recording->events.count = 0;
	recording->device.at = 0;
	recording->device.count = 0;
	if (!unpack_array(&block, &elements) || elements < 2 ||
		!unpack_uint(&block, &kind))
		return count_verdict(recording, 0, LOG_DAMAGED, err);
	if (kind != LOG_HEADER && recording->refused) {
		recording->trace->losses[LOSS_UNKNOWN_BLOCKS]++;
		return CTP_OK;
	}
	/* The header is lost: these blocks use unknown numbers, not those of
	 * the recording that has ended. */
	if (kind != LOG_HEADER && kind != LOG_END && recording->has_end)
		log_recording_next(recording);
	if (kind == LOG_EVENTS) /* checked separately, being large */
		verdict = parse_events(recording, block, elements);
	else if (kind == LOG_ACTIVITIES) /* likewise */
		verdict = log_device_parse(recording, block, elements);
	else if (!unpack_skip(&whole) || whole.left != 0)
		verdict = LOG_DAMAGED;
	else if (kind == LOG_HEADER)
		status =
			log_facts_parse_header(recording, block, &verdict, err);
	else
		verdict = parse_whole(recording, block, kind);
	return status == CTP_OK ? count_verdict(recording, kind, verdict, err)
				: status;
}

/* Bits of a member's beginning that cannot match by chance. */
#define PROBE_BITS (8 * LOG_MAGIC_BYTES - 8)

struct log_reader {
	struct event_source source; /* must be first */
	struct log_input *input;
	struct log_recording recording;
	struct log_args args; /* of the current event */
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

static inline bool push_open(struct log_track *track, uint32_t site)
{
	if (!array_reserve32(&track->open, track->depth, &track->room,
		    sizeof(*track->open)))
		return false;
	track->open[track->depth++] = site;
	return true;
}

/* After lost blocks: ends ranges that are no longer open, and begins those that
 * are open now. */
static enum ctp_status resync_ranges(
	struct log_reader *reader, struct event *event, struct ctp_error *err)
{
	struct log_events *events = &reader->recording.events;
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
	if (!push_open(track, event->site))
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

	if (!open_row(
		    &reader->recording.events.extras, &row, &elements, &kind) ||
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
	struct log_events *events = &reader->recording.events;
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

/* Returns the next event of the current block; CTP_END if there was none (an
 * unknown row). */
static enum ctp_status read_event(
	struct log_reader *reader, struct event *event, struct ctp_error *err)
{
	struct log_events *events = &reader->recording.events;
	struct log_track *track = events->track;
	uint32_t id = events->ids[events->at];

	event->time_ns = events->times[events->at++];
	reader->args.count = 0;
	if (id >= LOG_ID_SITES) {
		event->kind = EVENT_BEGIN;
		event->site = events->sites[id - LOG_ID_SITES];
		if (!push_open(track, event->site))
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
	enum ctp_status status = log_input_next(reader->input, &block, err);

	if (status == CTP_OK) {
		reader->seen_block = true;
		return log_block_parse(&reader->recording, block, err);
	}
	if (status != CTP_END || reader->follow)
		return status;
	if (!reader->seen_block)
		return ctp_fail_at(err, CTP_ERR_FORMAT, 0,
			"contains no complete block of a log");
	log_recording_finish(&reader->recording);
	return CTP_END;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct log_reader *reader = reader_of(source);
	struct log_events *events = &reader->recording.events;
	const struct log_device *device = &reader->recording.device;
	enum ctp_status status;

	for (;;) {
		*event = (struct event){.device = -1};
		if (events->at < events->count) {
			event->track = events->track->trace_track;
			if (events->closing + events->opening_count > 0)
				return resync_ranges(reader, event, err);
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

static const struct log_reader *const_reader_of(
	const struct event_source *source)
{
	return (const struct log_reader *)(const void *)source;
}

static uint64_t position(const struct event_source *source)
{
	return log_input_position(const_reader_of(source)->input);
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

	log_recording_clear(&reader->recording);
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
			file, head, head_size, reader->source.trace);
	if (reader == NULL || reader->input == NULL) {
		if (reader != NULL)
			trace_free(reader->source.trace);
		memory_free(reader);
		return ctp_no_memory(err);
	}
	reader->recording.trace = reader->source.trace;
	reader->recording.timeline_end_ns = INT64_MIN;
	reader->source.next = next;
	reader->source.follow = follow;
	reader->source.is_whole = is_whole;
	reader->source.position = position;
	reader->source.close = close_reader;
	*out = &reader->source;
	return CTP_OK;
}
