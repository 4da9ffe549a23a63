/* SPDX-License-Identifier: MIT */
#include "log_block.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

/* Longer text in the header is not worth keeping. */
#define FACT_MAX 4096

/* What taking a block came to. */
enum verdict { SOUND, DAMAGED, NO_MEMORY };

static void reset_recording(struct log_recording *recording)
{
	log_time_clear(&recording->time);
	for (uint32_t i = 0; i < recording->track_room; i++) {
		if (recording->tracks[i] != NULL)
			free(recording->tracks[i]->open);
		free(recording->tracks[i]);
	}
	if (recording->track_room > 0)
		memset(recording->tracks, 0,
			recording->track_room * sizeof(*recording->tracks));
	if (recording->site_room > 0)
		memset(recording->sites, 0,
			recording->site_room * sizeof(*recording->sites));
	recording->site_count = 0;
	recording->has_header = false;
	recording->has_end = false;
	recording->was_cut = false;
}

void log_recording_clear(struct log_recording *recording)
{
	reset_recording(recording);
	free(recording->tracks);
	free(recording->sites);
	free(recording->events.ids);
	free(recording->events.times);
	free(recording->events.sites);
	free(recording->events.open);
	*recording = (struct log_recording){0};
}

static bool grow(void *array, uint32_t *room, uint32_t index, size_t size)
{
	uint32_t more = *room == 0 ? 64 : *room;
	void *bigger;
	void *old;

	if (index < *room)
		return true;
	while (more <= index)
		more *= 2;
	memcpy(&old, array, sizeof(old));
	bigger = realloc(old, more * size);
	if (bigger == NULL)
		return false;
	memset((char *)bigger + *room * size, 0, (more - *room) * size);
	memcpy(array, &bigger, sizeof(bigger));
	*room = more;
	return true;
}

uint32_t log_block_site(struct log_recording *recording, uint32_t number)
{
	char name[40];
	uint32_t site;

	if (number >= LOG_SITES_MAX ||
		!grow(&recording->sites, &recording->site_room, number,
			sizeof(uint32_t)))
		return TRACE_NONE;
	if (recording->sites[number] != 0)
		return recording->sites[number] - 1;
	(void)snprintf(name, sizeof(name), "(site %" PRIu32 ")", number);
	site = trace_add_site(recording->trace, name, strlen(name), "", 0, 0);
	if (site != TRACE_NONE) {
		recording->sites[number] = site + 1;
		recording->trace->losses[LOSS_UNKNOWN_SITES]++;
	}
	return site;
}

static struct log_track *find_track(
	struct log_recording *recording, uint32_t number)
{
	struct log_track *track;

	if (!grow(&recording->tracks, &recording->track_room, number,
		    sizeof(struct log_track *)))
		return NULL;
	if (recording->tracks[number] != NULL)
		return recording->tracks[number];
	track = calloc(1, sizeof(*track));
	if (track == NULL)
		return NULL;
	track->trace_track = trace_add_track(
		recording->trace, (struct trace_track){.kind = TRACE_THREAD,
					  .pid = recording->pid});
	if (track->trace_track == TRACE_NONE) {
		free(track);
		return NULL;
	}
	recording->tracks[number] = track;
	return track;
}

/* "a b c" of an array of texts. */
static bool command_fact(struct cursor *block, char *out, size_t room)
{
	uint32_t count;
	size_t used = 0;

	if (!unpack_array(block, &count))
		return false;
	out[0] = '\0';
	while (count-- > 0) {
		const char *text;
		size_t size;

		if (!unpack_text(block, &text, &size))
			return false;
		if (used + 1 < room)
			used += (size_t)snprintf(out + used, room - used,
				"%s%.*s", used == 0 ? "" : " ",
				size > FACT_MAX ? FACT_MAX : (int)size, text);
		if (used >= room)
			used = room - 1;
	}
	return true;
}

/* A header or end value as text, and as a number if it is one. */
static bool fact_value(
	struct cursor *block, char *text, size_t room, int64_t *number)
{
	const char *bytes;
	size_t size;

	*number = 0;
	text[0] = '\0';
	switch (unpack_peek(block)) {
	case UNPACK_INT:
		if (!unpack_int(block, number))
			return false;
		(void)snprintf(text, room, "%" PRId64, *number);
		return true;
	case UNPACK_TEXT:
		if (!unpack_text(block, &bytes, &size))
			return false;
		(void)snprintf(text, room, "%.*s",
			size > FACT_MAX ? FACT_MAX : (int)size, bytes);
		return true;
	case UNPACK_ARRAY:
		return command_fact(block, text, room);
	default:
		return unpack_skip(block);
	}
}

static bool is_key(const char *key, size_t size, const char *name)
{
	return strlen(name) == size && memcmp(key, name, size) == 0;
}

/* The header values that the reader itself needs. */
struct header {
	int64_t reader;
	int64_t pid;
	int64_t realtime;
	bool named;
};

static bool read_header(struct log_recording *recording, struct cursor block,
	struct header *header, bool keep)
{
	char text[2 * FACT_MAX];
	char name[32];
	uint32_t count;

	if (!unpack_map(&block, &count))
		return false;
	while (count-- > 0) {
		const char *key;
		size_t size;
		int64_t number;

		if (!unpack_text(&block, &key, &size) || size > FACT_MAX ||
			!fact_value(&block, text, sizeof(text), &number))
			return false;
		if (is_key(key, size, "reader"))
			header->reader = number;
		else if (is_key(key, size, "pid"))
			header->pid = number;
		else if (is_key(key, size, "realtime"))
			header->realtime = number;
		else if (is_key(key, size, "format"))
			header->named = strcmp(text, LOG_FORMAT_NAME) == 0;
		(void)snprintf(name, sizeof(name), "%.*s", (int)size, key);
		if (keep && !trace_add_fact(recording->trace, name, text))
			return false;
	}
	return header->named;
}

static enum ctp_status take_header(struct log_recording *recording,
	struct cursor block, enum verdict *verdict, struct ctp_error *err)
{
	struct header header = {0, 0, 0, false};
	struct trace *trace = recording->trace;

	*verdict = DAMAGED;
	if (!read_header(recording, block, &header, false))
		return CTP_OK;
	if (header.reader > LOG_READER)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"this log needs a newer ctprof (reader version "
			"%" PRId64 ", this is %d)",
			header.reader, LOG_READER);
	if (recording->recordings > 0) {
		log_block_finish(recording);
		reset_recording(recording);
	} else {
		trace->base_realtime_ns = header.realtime;
	}
	*verdict = SOUND;
	if (recording->recordings == 0 &&
		!read_header(recording, block, &header, true))
		*verdict = NO_MEMORY;
	recording->recordings++;
	recording->has_header = true;
	recording->pid = header.pid;
	recording->shift_ns = (int64_t)((uint64_t)header.realtime -
					(uint64_t)trace->base_realtime_ns);
	return CTP_OK;
}

static enum verdict take_site(
	struct log_recording *recording, struct cursor *block, uint32_t number)
{
	const char *name;
	const char *file;
	size_t name_size;
	size_t file_size;
	uint32_t elements;
	uint32_t line;
	uint32_t site;

	if (!unpack_array(block, &elements) || elements < 3 ||
		!unpack_text(block, &name, &name_size) ||
		!unpack_text(block, &file, &file_size) ||
		!unpack_u32(block, UINT32_MAX, &line))
		return DAMAGED;
	while (elements-- > 3)
		if (!unpack_skip(block))
			return DAMAGED;
	site = trace_add_site(
		recording->trace, name, name_size, file, file_size, line);
	if (site == TRACE_NONE ||
		!grow(&recording->sites, &recording->site_room, number,
			sizeof(uint32_t)))
		return NO_MEMORY;
	recording->sites[number] = site + 1;
	return SOUND;
}

static enum verdict take_sites(
	struct log_recording *recording, struct cursor block)
{
	enum verdict verdict = SOUND;
	uint32_t first;
	uint32_t count;

	if (!unpack_u32(&block, LOG_SITES_MAX - 1, &first) || first == 0 ||
		!unpack_array(&block, &count) || count > LOG_SITES_MAX - first)
		return DAMAGED;
	for (uint32_t i = 0; verdict == SOUND && i < count; i++)
		verdict = take_site(recording, &block, first + i);
	return verdict;
}

static enum verdict take_track(
	struct log_recording *recording, struct cursor block)
{
	struct log_track *track;
	struct trace_track *target;
	uint32_t number;
	uint32_t kind;
	int64_t tid;
	const char *name;
	size_t size;

	if (!unpack_u32(&block, LOG_TRACKS_MAX - 1, &number) ||
		!unpack_u32(&block, UINT32_MAX, &kind) ||
		!unpack_int(&block, &tid) || !unpack_text(&block, &name, &size))
		return DAMAGED;
	track = find_track(recording, number);
	if (track == NULL)
		return NO_MEMORY;
	track->kind = kind == LOG_TIMELINE ? LOG_TIMELINE : LOG_THREAD;
	target = &recording->trace->tracks[track->trace_track];
	target->kind = kind == LOG_TIMELINE ? TRACE_TIMELINE : TRACE_THREAD;
	target->tid = tid;
	target->name = strtab_add(recording->trace->text, name, size);
	return target->name == STRTAB_NONE ? NO_MEMORY : SOUND;
}

static enum verdict take_sync(
	struct log_recording *recording, struct cursor block)
{
	uint32_t count;

	if (!unpack_array(&block, &count))
		return DAMAGED;
	while (count-- > 0) {
		uint32_t elements;
		int64_t log;
		int64_t raw;

		if (!unpack_array(&block, &elements) || elements < 3 ||
			!unpack_int(&block, &log) || !unpack_int(&block, &raw))
			return DAMAGED;
		while (elements-- > 2)
			if (!unpack_skip(&block))
				return DAMAGED;
		if (!log_time_add(&recording->time, log, raw))
			return NO_MEMORY;
	}
	return SOUND;
}

static enum verdict take_losses(
	struct log_recording *recording, struct cursor block)
{
	struct log_track *track;
	uint32_t number;
	uint32_t count;

	if (!unpack_u32(&block, LOG_TRACKS_MAX - 1, &number) ||
		!unpack_map(&block, &count))
		return DAMAGED;
	track = find_track(recording, number);
	if (track == NULL)
		return NO_MEMORY;
	while (count-- > 0) {
		const char *key;
		size_t size;
		uint64_t lost;

		if (!unpack_text(&block, &key, &size) ||
			!unpack_uint(&block, &lost))
			return DAMAGED;
		for (enum trace_loss i = 0; i <= LOSS_CUT_TEXT; i++) {
			if (!is_key(key, size, trace_loss_name(i)))
				continue;
			recording->trace->losses[i] += lost - track->losses[i];
			track->losses[i] = lost;
		}
	}
	return SOUND;
}

static enum verdict take_end(
	struct log_recording *recording, struct cursor block)
{
	struct trace *trace = recording->trace;
	uint32_t count;
	char text[2 * FACT_MAX];

	if (!unpack_map(&block, &count))
		return DAMAGED;
	while (count-- > 0) {
		const char *key;
		size_t size;
		int64_t number;

		if (!unpack_text(&block, &key, &size) ||
			!fact_value(&block, text, sizeof(text), &number))
			return DAMAGED;
		if (is_key(key, size, "log")) {
			number = log_time_correct(&recording->time, number) +
				 recording->shift_ns;
			if (number > trace->end_ns)
				trace->end_ns = number;
		} else if (is_key(key, size, "stalls")) {
			if (!trace_add_fact(trace, "stalls", text))
				return NO_MEMORY;
		} else if (is_key(key, size, "stall_ns")) {
			if (!trace_add_fact(trace, "stall_ns", text))
				return NO_MEMORY;
		}
	}
	recording->has_end = true;
	return SOUND;
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
	ids = realloc(events->ids, room * sizeof(*ids));
	if (ids != NULL)
		events->ids = ids;
	times = realloc(events->times, room * sizeof(*times));
	if (times != NULL)
		events->times = times;
	if (events->open == NULL)
		events->open = calloc(LOG_OPEN_MAX, sizeof(*events->open));
	if (ids == NULL || times == NULL || events->open == NULL)
		return false;
	events->room = room;
	return true;
}

/* The ranges that are open before a block, against those we know to be: what
 * is to be closed and opened first. Only a gap makes a difference. */
static enum verdict compare_open(
	struct log_recording *recording, struct cursor *block)
{
	struct log_events *events = &recording->events;
	struct log_track *track = events->track;
	uint32_t same = 0;
	uint32_t count;

	events->closing = 0;
	events->opening_count = 0;
	if (unpack_peek(block) == UNPACK_NIL)
		return unpack_skip(block) ? SOUND : DAMAGED;
	if (!unpack_u32s(block, events->open, LOG_OPEN_MAX, &count))
		return DAMAGED;
	for (uint32_t i = 0; i < count; i++) {
		events->open[i] = log_block_site(recording, events->open[i]);
		if (events->open[i] == TRACE_NONE)
			return DAMAGED;
	}
	while (same < count && same < track->depth &&
		track->open[same] == events->open[same])
		same++;
	events->closing = track->depth - same;
	events->opening = events->open + same;
	events->opening_count = count - same;
	return SOUND;
}

/* The block's own list of sites, as the trace's. */
static enum verdict read_sites(
	struct log_recording *recording, struct cursor *block)
{
	struct log_events *events = &recording->events;
	uint32_t count;

	if (!unpack_array(block, &count) || count > LOG_EVENTS_MAX)
		return DAMAGED;
	if (count > 0 && !grow(&events->sites, &events->site_room, count - 1,
				 sizeof(uint32_t)))
		return NO_MEMORY;
	events->site_count = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t number;

		if (!unpack_u32(block, LOG_SITES_MAX - 1, &number))
			return DAMAGED;
		events->sites[i] = log_block_site(recording, number);
		if (events->sites[i] == TRACE_NONE)
			return NO_MEMORY;
	}
	return SOUND;
}

/* Reads the columns and checks them against each other. */
static enum verdict read_columns(
	struct log_recording *recording, struct cursor *block)
{
	struct log_events *events = &recording->events;
	struct cursor ahead = *block;
	uint32_t count;
	uint32_t rows;
	uint32_t extras = 0;

	if (!unpack_array(&ahead, &count) || count > LOG_EVENTS_MAX)
		return DAMAGED;
	if (!make_events_room(events, count))
		return NO_MEMORY;
	if (!unpack_u32s(block, events->ids, count, &events->count) ||
		!unpack_ints(block, events->times, count, &count) ||
		count != events->count || !unpack_array(block, &rows))
		return DAMAGED;
	for (uint32_t i = 0; i < count; i++) {
		if (events->ids[i] >= LOG_ID_SITES + events->site_count)
			return DAMAGED;
		extras += events->ids[i] == LOG_ID_EXTRA;
	}
	if (extras != rows)
		return DAMAGED;
	events->extras = *block;
	while (rows-- > 0)
		if (unpack_peek(block) != UNPACK_ARRAY || !unpack_skip(block))
			return DAMAGED;
	return SOUND;
}

static enum verdict take_events(
	struct log_recording *recording, struct cursor block)
{
	struct log_events *events = &recording->events;
	enum verdict verdict;
	uint32_t number;
	uint64_t seq;
	int64_t base;

	if (!unpack_u32(&block, LOG_TRACKS_MAX - 1, &number) ||
		!unpack_uint(&block, &seq) || !unpack_int(&block, &base))
		return DAMAGED;
	events->track = find_track(recording, number);
	if (events->track == NULL || !make_events_room(events, 1))
		return NO_MEMORY;
	verdict = compare_open(recording, &block);
	if (verdict == SOUND)
		verdict = read_sites(recording, &block);
	if (verdict == SOUND)
		verdict = read_columns(recording, &block);
	if (verdict != SOUND) {
		events->count = 0;
		return verdict;
	}
	if (seq < events->track->next_seq) { /* a copy, or out of order */
		events->count = 0;
		return DAMAGED;
	}
	if (seq > events->track->next_seq)
		recording->trace->losses[LOSS_MISSING_BLOCKS] +=
			seq - events->track->next_seq;
	events->track->next_seq = seq + 1;
	events->log_ns = base;
	events->at = 0;
	return SOUND;
}

static enum verdict take_kind(
	struct log_recording *recording, struct cursor block, uint64_t kind)
{
	switch (kind) {
	case LOG_SITES:
		return take_sites(recording, block);
	case LOG_TRACK:
		return take_track(recording, block);
	case LOG_EVENTS:
		return take_events(recording, block);
	case LOG_SYNC:
		return take_sync(recording, block);
	case LOG_LOSSES:
		return take_losses(recording, block);
	case LOG_END:
		return take_end(recording, block);
	default:
		recording->trace->losses[LOSS_UNKNOWN_BLOCKS]++;
		return SOUND;
	}
}

enum ctp_status log_block_take(struct log_recording *recording,
	struct cursor block, struct ctp_error *err)
{
	enum verdict verdict = DAMAGED;
	enum ctp_status status = CTP_OK;
	struct cursor whole = block;
	uint32_t elements;
	uint64_t kind;

	recording->events.at = 0;
	recording->events.count = 0;
	/* Well formed as a whole, so that nothing is half taken in because of
	 * its end; and nothing behind it. */
	if (unpack_skip(&whole) && whole.left == 0 &&
		unpack_array(&block, &elements) && elements >= 2 &&
		unpack_uint(&block, &kind)) {
		if (kind == LOG_HEADER)
			status = take_header(recording, block, &verdict, err);
		else
			verdict = take_kind(recording, block, kind);
	}
	if (status != CTP_OK)
		return status;
	if (verdict == NO_MEMORY)
		return ctp_fail(
			err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
	if (verdict == DAMAGED)
		recording->trace->losses[LOSS_DAMAGED_BLOCKS]++;
	return CTP_OK;
}

void log_block_finish(struct log_recording *recording)
{
	struct trace *trace = recording->trace;

	if (!recording->has_end && !recording->was_cut) {
		recording->was_cut = true;
		trace->losses[LOSS_TRUNCATED]++;
	}
	for (uint32_t i = 0; i < recording->track_room; i++) {
		const struct log_track *track = recording->tracks[i];

		if (track == NULL || track->kind == LOG_TIMELINE)
			continue;
		trace->tracks[track->trace_track].has_end = true;
		trace->tracks[track->trace_track].end_ns = trace->end_ns;
	}
}
