/* SPDX-License-Identifier: MIT */
#include "log_read/log_recording.h"

#include <string.h>

#include "base/memory.h"
#include "base/stable_hash.h"
#include "log/unpack.h"

#define PAGE_NUMBERS 4096u

/* Ids below this leave room for the number of their recording; for that of one
 * of 8,192 recordings, they stay exact in readers that use doubles. */
#define ID_BITS 40
#define NUMBER_BITS 22

/* Chrome traces use the highest bit, and the next one marks a hash. */
#define ID_KIND_BIT (UINT64_C(1) << 63)
#define ID_HASH_BIT (UINT64_C(1) << 62)

void log_table_clear(struct log_table *table)
{
	for (uint32_t i = 0; i < table->page_room; i++)
		memory_free(table->pages[i]);
	memory_free(table->pages);
	*table = (struct log_table){0};
}

uint32_t log_table_find(const struct log_table *table, uint32_t number)
{
	uint32_t page = number / PAGE_NUMBERS;

	if (page >= table->page_room || table->pages[page] == NULL)
		return 0;
	return table->pages[page][number % PAGE_NUMBERS];
}

bool log_table_set(struct log_table *table, uint32_t number, uint32_t value)
{
	uint32_t page = number / PAGE_NUMBERS;

	if (!array_ensure_index(
		    &table->pages, page, &table->page_room, sizeof(uint32_t *)))
		return false;
	if (table->pages[page] == NULL)
		table->pages[page] =
			memory_new_zeroed(PAGE_NUMBERS, sizeof(uint32_t));
	if (table->pages[page] == NULL)
		return false;
	table->pages[page][number % PAGE_NUMBERS] = value;
	return true;
}

/* Resets everything that the next recording does not share. */
static void device_next(struct log_device *device)
{
	log_time_device_clear(&device->time);
	log_table_clear(&device->numbers);
	device->description_count = 0;
	device->arg_count = 0;
	device->at = 0;
	device->count = 0;
	memset(device->losses, 0, sizeof(device->losses));
}

static void device_clear(struct log_device *device)
{
	for (int i = 0; i < LOG_DEVICE_COLUMNS; i++)
		memory_free(device->columns[i]);
	device_next(device);
	memory_free(device->descriptions);
	memory_free(device->args);
	log_args_clear(&device->joined);
	*device = (struct log_device){0};
}

static void reset(struct log_recording *recording)
{
	log_time_clear(&recording->time);
	device_next(&recording->device);
	for (uint32_t i = 0; i < recording->track_count; i++) {
		memory_free(recording->tracks[i]->open);
		memory_free(recording->tracks[i]);
	}
	recording->track_count = 0;
	log_table_clear(&recording->track_numbers);
	log_table_clear(&recording->sites);
	log_table_clear(&recording->modules);
	recording->version++;
	recording->started = false;
	recording->pid = 0;
	recording->process_name = 0;
	recording->shift_ns = 0;
	recording->end_ns = 0;
	recording->timeline_end_ns = INT64_MIN;
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
	device_clear(&recording->device);
	*recording = (struct log_recording){0};
}

bool log_key_is(const char *key, size_t size, const char *name)
{
	return strlen(name) == size && memcmp(key, name, size) == 0;
}

struct log_track *log_recording_track(
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

enum log_verdict log_recording_parse_losses(struct log_recording *recording,
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
				!log_key_is(key, size, trace_loss_name(i)))
				continue;
			trace_lose(recording->trace, i, lost - known[i]);
			known[i] = lost;
		}
	}
	return LOG_SOUND;
}

/* Counts events that the end block has but we have not seen. */
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
	/* Damaged blocks and gaps in a track's numbering are counted
	 * already. */
	if (known < totals->gaps)
		known = totals->gaps;
	if (missing > known)
		trace_lose(
			recording->trace, LOSS_MISSING_BLOCKS, missing - known);
}

static void set_ends(struct log_recording *recording)
{
	struct trace *trace = recording->trace;

	for (uint32_t i = 0; i < recording->track_count; i++) {
		const struct log_track *log_track = recording->tracks[i];
		struct trace_track *track =
			&trace->tracks[log_track->trace_track];

		if (track->has_end || log_track->kind == LOG_TIMELINE)
			continue;
		track->has_end = true;
		track->end_ns = recording->end_ns;
	}
}

/* A single recording's tracks have the trace's end, which is known later. */
static void set_timeline_ends(struct log_recording *recording)
{
	for (uint32_t i = 0; i < recording->track_count; i++) {
		const struct log_track *log_track = recording->tracks[i];
		struct trace_track *track =
			&recording->trace->tracks[log_track->trace_track];

		if (track->has_end || log_track->kind != LOG_TIMELINE ||
			recording->timeline_end_ns == INT64_MIN)
			continue;
		track->has_end = true;
		track->end_ns = recording->timeline_end_ns;
	}
}

void log_recording_finish(struct log_recording *recording)
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
	set_ends(recording);
	if (recording->number > 0)
		set_timeline_ends(recording);
}

void log_recording_next(struct log_recording *recording)
{
	log_recording_finish(recording);
	set_timeline_ends(recording);
	reset(recording);
	recording->number++;
}

void log_recording_extend(struct log_recording *recording, int64_t end_ns)
{
	struct trace *trace = recording->trace;

	if (end_ns > recording->end_ns)
		recording->end_ns = end_ns;
	if (end_ns > trace->end_ns)
		trace->end_ns = end_ns;
}

uint64_t log_recording_id(const struct log_recording *recording, uint64_t id)
{
	const uint64_t number = recording->number;
	uint64_t key[2] = {id & ~ID_KIND_BIT, number};

	if (number == 0 || id == 0) /* 0: none */
		return id;
	if (key[0] >> ID_BITS == 0 && number >> NUMBER_BITS == 0)
		return (number << ID_BITS) | id;
	return (stable_hash(key, sizeof(key)) & (ID_HASH_BIT - 1)) |
	       ID_HASH_BIT | (id & ID_KIND_BIT);
}
