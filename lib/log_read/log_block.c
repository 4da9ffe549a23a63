/* SPDX-License-Identifier: MIT */
#include "log_read/log_block.h"

#include <string.h>

#include "log_read/log_block_private.h"
#include "log_read/log_site.h"
#include "base/memory.h"
#include "log/unpack.h"

static void reset(struct log_recording *recording)
{
	log_time_clear(&recording->time);
	log_device_next(&recording->device);
	for (uint32_t i = 0; i < recording->track_count; i++) {
		memory_free(recording->tracks[i]->open);
		memory_free(recording->tracks[i]);
	}
	recording->track_count = 0;
	log_table_clear(&recording->track_numbers);
	log_table_clear(&recording->sites);
	log_table_clear(&recording->modules);
	recording->started = false;
	recording->pid = 0;
	recording->process_name = 0;
	recording->shift_ns = 0;
	recording->has_end = false;
	recording->finished = false;
	recording->refused = false;
	memset(recording->losses, 0, sizeof(recording->losses));
	recording->totals = (struct log_totals){
		.damaged = recording->trace->losses[LOSS_DAMAGED_BLOCKS]};
}

void log_recording_clear(struct log_recording *recording)
{
	reset(recording);
	memory_free(recording->tracks);
	buffer_clear(&recording->name);
	demangler_clear(&recording->demangler);
	log_device_clear(&recording->device);
	memory_free(recording->events.ids);
	memory_free(recording->events.times);
	memory_free(recording->events.sites);
	memory_free(recording->events.open);
	*recording = (struct log_recording){0};
}

bool log_block_is(const char *key, size_t size, const char *name)
{
	return strlen(name) == size && memcmp(key, name, size) == 0;
}

struct log_track *log_block_track(
	struct log_recording *recording, uint32_t number)
{
	uint32_t place = log_table_find(&recording->track_numbers, number);
	struct log_track *track;

	if (place != 0)
		return recording->tracks[place - 1];
	if (!array_ensure_index(&recording->tracks, recording->track_count,
		    &recording->track_room, sizeof(struct log_track *)))
		return NULL;
	track = memory_new_zeroed(1, sizeof(*track));
	if (track == NULL)
		return NULL;
	track->trace_track = trace_add_track(recording->trace,
		(struct trace_track){.kind = TRACE_THREAD,
			.pid = recording->pid,
			.process_name = recording->process_name});
	if (track->trace_track == TRACE_NONE ||
		!log_table_set(&recording->track_numbers, number,
			recording->track_count + 1)) {
		memory_free(track);
		return NULL;
	}
	recording->tracks[recording->track_count++] = track;
	return track;
}

/* These are called twice: first to see whether the whole block is sound, then
 * to `apply` it. */

/* The content of a track's block; text is borrowed from it. */
struct track_row {
	uint32_t number;
	uint32_t kind;
	struct trace_track track; /* without its names */
	struct log_site_text name;
	bool has_process; /* other than the recording's */
	struct log_site_text process;
};

/* Where something stands, or ended: a number, nil, or nothing. */
static bool read_number(struct cursor *block, bool *is_there, int64_t *number)
{
	*is_there = block->left > 0 && unpack_peek(block) == UNPACK_INT;
	if (*is_there)
		return unpack_int(block, number);
	return block->left == 0 || unpack_skip(block);
}

static bool read_track(struct cursor *block, struct track_row *row)
{
	struct trace_track *track = &row->track;

	if (!unpack_u32(block, LOG_TRACKS_MAX - 1, &row->number) ||
		!unpack_u32(block, UINT32_MAX, &row->kind) ||
		!unpack_int(block, &track->tid) ||
		!unpack_text(block, &row->name.bytes, &row->name.size))
		return false;
	if (block->left == 0)
		return !log_block_is_device(row->kind);
	if (!unpack_u32(block, UINT32_MAX, &track->device) ||
		!unpack_u32(block, UINT32_MAX, &track->context))
		return false;
	row->has_process = block->left > 0;
	if (!row->has_process)
		return true;
	return unpack_int(block, &track->pid) &&
	       unpack_text(block, &row->process.bytes, &row->process.size) &&
	       read_number(block, &track->has_sort, &track->sort) &&
	       read_number(
		       block, &track->has_process_sort, &track->process_sort) &&
	       read_number(block, &track->has_end, &track->end_ns);
}

static bool set_track(struct log_recording *recording,
	struct trace_track *target, const struct track_row *row)
{
	static const struct log_time uncorrected;
	struct trace *trace = recording->trace;
	bool timeline = target->kind == TRACE_TIMELINE;

	target->has_end = row->track.has_end;
	target->end_ns = row->track.end_ns;
	log_time_correct_all(timeline ? &uncorrected : &recording->time, 0,
		timeline ? 0 : recording->shift_ns, &target->end_ns, 1);
	target->tid = row->track.tid;
	target->device = row->track.device;
	target->context = row->track.context;
	target->name = strtab_add(trace->text, row->name.bytes, row->name.size);
	if (row->has_process) {
		target->pid = row->track.pid;
		target->process_name = strtab_add(
			trace->text, row->process.bytes, row->process.size);
		target->has_sort = row->track.has_sort;
		target->sort = row->track.sort;
		target->has_process_sort = row->track.has_process_sort;
		target->process_sort = row->track.process_sort;
	}
	return target->name != STRTAB_NONE &&
	       target->process_name != STRTAB_NONE;
}

static enum log_verdict take_track(
	struct log_recording *recording, struct cursor block, bool apply)
{
	static const enum trace_track_kind kinds[] = {
		[LOG_THREAD] = TRACE_THREAD,
		[LOG_TIMELINE] = TRACE_TIMELINE,
		[LOG_STREAM] = TRACE_STREAM,
		[LOG_CALLS] = TRACE_CALLS,
	};
	struct track_row row = {0};
	struct log_track *track;
	struct trace_track *target;

	if (!read_track(&block, &row))
		return LOG_DAMAGED;
	if (!apply)
		return LOG_SOUND;
	track = log_block_track(recording, row.number);
	if (track == NULL)
		return LOG_NO_MEMORY;
	/* The events that are on it already are of the one kind or the
	 * other. */
	if ((track->known || track->next_seq != 0) &&
		log_block_is_device(row.kind) !=
			log_block_is_device(track->kind))
		return LOG_DAMAGED;
	track->known = true;
	track->kind = row.kind > LOG_CALLS ? LOG_THREAD
					   : (enum log_track_kind)row.kind;
	target = &recording->trace->tracks[track->trace_track];
	target->kind = kinds[track->kind];
	return set_track(recording, target, &row) ? LOG_SOUND : LOG_NO_MEMORY;
}

static enum log_verdict take_sync(
	struct log_recording *recording, struct cursor block, bool apply)
{
	uint32_t count;

	if (!unpack_array(&block, &count))
		return LOG_DAMAGED;
	while (count-- > 0) {
		uint32_t elements;
		int64_t log;
		int64_t raw;

		if (!unpack_array(&block, &elements) || elements < 3 ||
			!unpack_int(&block, &log) || !unpack_int(&block, &raw))
			return LOG_DAMAGED;
		while (elements-- > 2)
			if (!unpack_skip(&block))
				return LOG_DAMAGED;
		if (apply && !log_time_add(&recording->time, log, raw))
			return LOG_NO_MEMORY;
	}
	return LOG_SOUND;
}

enum log_verdict log_block_take_losses(struct log_recording *recording,
	struct cursor block, const struct log_losses *losses)
{
	uint64_t *known = losses->known;
	uint32_t count;

	if (!unpack_map(&block, &count))
		return LOG_DAMAGED;
	while (count-- > 0) {
		const char *key;
		size_t size;
		uint64_t lost;

		if (!unpack_text(&block, &key, &size) ||
			!unpack_uint(&block, &lost))
			return LOG_DAMAGED;
		for (enum trace_loss i = losses->first;
			known != NULL && i <= losses->last; i++) {
			if (lost <= known[i] ||
				!log_block_is(key, size, trace_loss_name(i)))
				continue;
			trace_lose(recording->trace, i, lost - known[i]);
			known[i] = lost;
		}
	}
	return LOG_SOUND;
}

static enum log_verdict take_losses(
	struct log_recording *recording, struct cursor block, bool apply)
{
	struct log_losses losses = {NULL, 0, LOSS_STRAY_EXITS};
	struct log_track *track;
	uint32_t number;

	if (!unpack_u32(&block, LOG_TRACKS_MAX - 1, &number))
		return LOG_DAMAGED;
	if (apply) {
		track = log_block_track(recording, number);
		if (track == NULL)
			return LOG_NO_MEMORY;
		losses.known = track->losses;
	}
	return log_block_take_losses(recording, block, &losses);
}

/* Losses of the input that the log was made from. */
static enum log_verdict take_trace_losses(
	struct log_recording *recording, struct cursor block, bool apply)
{
	const struct log_losses losses = {
		apply ? recording->losses : NULL, 0, LOSS_KINDS - 1};

	return log_block_take_losses(recording, block, &losses);
}

static enum log_verdict take_kind(struct log_recording *recording,
	struct cursor block, uint64_t kind, bool apply)
{
	switch (kind) {
	case LOG_SITES:
		return log_site_take(recording, block, apply);
	case LOG_MODULE:
		return log_site_take_module(recording, block, apply);
	case LOG_MODULE_CLOSED:
		return log_site_take_closed(recording, block, apply);
	case LOG_TRACK:
		return take_track(recording, block, apply);
	case LOG_SYNC:
		return take_sync(recording, block, apply);
	case LOG_LOSSES:
		return take_losses(recording, block, apply);
	case LOG_END:
		return log_facts_take_end(recording, block, apply);
	case LOG_DESCRIPTIONS:
		return log_device_take_descriptions(recording, block, apply);
	case LOG_DEVICE:
		return log_device_take_properties(recording, block, apply);
	case LOG_DEVICE_SYNC:
		return log_device_take_sync(recording, block, apply);
	case LOG_DEVICE_LOSSES:
		return log_device_take_losses(recording, block, apply);
	case LOG_DEVICE_FACTS:
		return log_facts_take_device(recording, block, apply);
	case LOG_FACTS:
		return log_facts_take(recording, block, apply);
	case LOG_TRACE_LOSSES:
		return take_trace_losses(recording, block, apply);
	default:
		recording->trace->losses[LOSS_UNKNOWN_BLOCKS] += apply;
		return LOG_SOUND;
	}
}

/* A block that is well formed as a whole, so that nothing is half taken in
 * because of its end; and with nothing behind it. */
static enum log_verdict take_whole(
	struct log_recording *recording, struct cursor block, uint64_t kind)
{
	enum log_verdict verdict = take_kind(recording, block, kind, false);

	return verdict == LOG_SOUND ? take_kind(recording, block, kind, true)
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

enum ctp_status log_block_take(struct log_recording *recording,
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
	/* The header that must be here is lost: whose numbers these blocks use
	 * is not known, but not those of the recording that has ended. */
	if (kind != LOG_HEADER && kind != LOG_END && recording->has_end)
		log_block_next(recording);
	if (kind == LOG_EVENTS) /* checks itself, being large */
		verdict = log_events_take(recording, block, elements);
	else if (kind == LOG_ACTIVITIES) /* likewise */
		verdict = log_device_take(recording, block, elements);
	else if (!unpack_skip(&whole) || whole.left != 0)
		verdict = LOG_DAMAGED;
	else if (kind == LOG_HEADER)
		status = log_facts_take_header(recording, block, &verdict, err);
	else
		verdict = take_whole(recording, block, kind);
	return status == CTP_OK ? count_verdict(recording, kind, verdict, err)
				: status;
}

/* Events that the end block counts and we have not seen. */
static void count_missing(struct log_recording *recording)
{
	const struct log_totals *totals = &recording->totals;
	uint64_t known =
		recording->trace->losses[LOSS_DAMAGED_BLOCKS] - totals->damaged;
	uint64_t missing = totals->end_blocks > totals->blocks
				   ? totals->end_blocks - totals->blocks
				   : 0;

	if (totals->end_events > totals->events)
		trace_lose(recording->trace, LOSS_MISSING_EVENTS,
			totals->end_events - totals->events);
	/* A damaged block is counted as such; and a block that is missing from
	 * a track's numbering too. */
	if (known < totals->gaps)
		known = totals->gaps;
	if (missing > known)
		trace_lose(
			recording->trace, LOSS_MISSING_BLOCKS, missing - known);
}

void log_block_finish(struct log_recording *recording)
{
	struct trace *trace = recording->trace;

	if (recording->finished)
		return;
	recording->finished = true;
	if (recording->refused)
		return;
	if (recording->has_end)
		count_missing(recording);
	else
		trace->losses[LOSS_TRUNCATED]++;
	for (uint32_t i = 0; i < recording->track_count; i++) {
		const struct log_track *log_track = recording->tracks[i];
		struct trace_track *track =
			&trace->tracks[log_track->trace_track];

		if (track->has_end || log_track->kind == LOG_TIMELINE)
			continue;
		track->has_end = true;
		track->end_ns = trace->end_ns;
	}
}

void log_block_next(struct log_recording *recording)
{
	log_block_finish(recording);
	reset(recording);
}
