/* SPDX-License-Identifier: MIT */
#include "log_read/log_parse.h"

#include "log/unpack.h"
#include "log_read/log_device.h"
#include "log_read/log_facts.h"
#include "log_read/log_site.h"

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
	enum log_track_kind kind;
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
	kind = row.kind > LOG_CALLS ? LOG_THREAD
				    : (enum log_track_kind)row.kind;
	recording->version += track->kind != kind;
	track->known = true;
	track->kind = kind;
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
		recording->version += apply;
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

enum ctp_status log_parse_block(struct log_recording *recording,
	struct cursor block, struct log_events *events, struct ctp_error *err)
{
	enum log_verdict verdict;
	enum ctp_status status = CTP_OK;
	struct cursor whole = block;
	uint32_t elements;
	uint64_t kind;

	events->at = 0;
	events->count = 0;
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
		verdict = log_events_parse(recording, block, elements, events);
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
