/* SPDX-License-Identifier: MIT */
#include "log_read/log_events.h"

#include <string.h>

#include "base/memory.h"
#include "log/unpack.h"
#include "log_read/log_site.h"

/* Most events of a block read ahead, so that those need little memory. */
#define AHEAD_MAX 65536

void log_events_clear(struct log_events *events)
{
	memory_free(events->ids);
	memory_free(events->times);
	memory_free(events->sites);
	memory_free(events->open);
	memory_free(events->left);
	*events = (struct log_events){0};
}

/* How a block is read. */
struct reading {
	const struct log_recording *recording;
	/* The same; NULL: only plain blocks, whose sites are known, and nothing
	 * changes. */
	struct log_recording *changed;
	struct log_events *events;
	int64_t base;
};

static bool make_room(struct log_events *events, uint32_t count)
{
	uint32_t room = events->room == 0 ? 8192 : events->room;
	uint32_t *ids;
	uint32_t *left;
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
	left = memory_resize(events->left, room * sizeof(*left));
	if (left != NULL)
		events->left = left;
	if (events->open == NULL)
		events->open =
			memory_new_zeroed(LOG_OPEN_MAX, sizeof(*events->open));
	if (ids == NULL || times == NULL || left == NULL ||
		events->open == NULL)
		return false;
	events->room = room;
	return true;
}

/* The trace's site; TRACE_NONE if out of memory or, when reading ahead, if it
 * is unknown. */
static uint32_t find_site(const struct reading *reading, uint32_t number)
{
	if (reading->changed != NULL)
		return log_site_find(reading->changed, number);
	return log_table_find(&reading->recording->sites, number) - 1;
}

static enum log_verdict read_open(
	const struct reading *reading, struct cursor *block)
{
	struct log_events *events = reading->events;

	events->open_count = 0;
	events->has_open = unpack_peek(block) != UNPACK_NIL;
	if (!events->has_open)
		return unpack_skip(block) ? LOG_SOUND : LOG_DAMAGED;
	if (!unpack_u32s(
		    block, events->open, LOG_OPEN_MAX, &events->open_count))
		return LOG_DAMAGED;
	for (uint32_t i = 0; i < events->open_count; i++) {
		events->open[i] = find_site(reading, events->open[i]);
		if (events->open[i] == TRACE_NONE)
			return LOG_DAMAGED;
	}
	return LOG_SOUND;
}

/* Converts the block's own list of sites to the trace's, by id. */
static enum log_verdict read_sites(
	const struct reading *reading, struct cursor *block)
{
	struct log_events *events = reading->events;
	uint32_t count;

	if (!unpack_array(block, &count) || count > LOG_EVENTS_MAX)
		return LOG_DAMAGED;
	if (!array_ensure_index(&events->sites, LOG_ID_SITES + count,
		    &events->site_room, sizeof(uint32_t)))
		return LOG_NO_MEMORY;
	events->site_count = count;
	events->sites[LOG_ID_END] = TRACE_NONE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *site = &events->sites[LOG_ID_SITES + i];
		uint32_t number;

		if (!unpack_u32(block, LOG_SITES_MAX - 1, &number))
			return LOG_DAMAGED;
		*site = find_site(reading, number);
		if (*site == TRACE_NONE)
			return LOG_NO_MEMORY;
	}
	return LOG_SOUND;
}

static enum log_verdict read_times(
	const struct reading *reading, struct cursor *block)
{
	struct log_events *events = reading->events;
	struct cursor ahead = *block;
	uint32_t count;

	if (!unpack_array(&ahead, &count) ||
		count > (reading->changed == NULL ? AHEAD_MAX : LOG_EVENTS_MAX))
		return LOG_DAMAGED;
	if (!make_room(events, count))
		return LOG_NO_MEMORY;
	return unpack_ints(block, events->times, count, &events->count)
		       ? LOG_SOUND
		       : LOG_DAMAGED;
}

/* Reads ids and extras, and checks the columns against each other. */
static enum log_verdict read_ids(
	const struct reading *reading, struct cursor *block)
{
	struct log_events *events = reading->events;
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
	if (!valid || extras != rows || (reading->changed == NULL && rows > 0))
		return LOG_DAMAGED;
	events->is_plain = rows == 0;
	events->extras = *block;
	while (rows-- > 0)
		if (unpack_peek(block) != UNPACK_ARRAY || !unpack_skip(block))
			return LOG_DAMAGED;
	return LOG_SOUND;
}

/* Reads and checks the elements after the base; those of a newer version are
 * skipped. */
static enum log_verdict read_columns(
	const struct reading *reading, struct cursor *block, uint32_t elements)
{
	enum log_verdict verdict = read_times(reading, block);

	if (verdict == LOG_SOUND)
		verdict = read_open(reading, block);
	if (verdict == LOG_SOUND)
		verdict = read_sites(reading, block);
	if (verdict == LOG_SOUND)
		verdict = read_ids(reading, block);
	if (verdict == LOG_SOUND &&
		(elements < 9 || !unpack_skip_values(block, elements - 9) ||
			block->left != 0))
		verdict = LOG_DAMAGED;
	return verdict;
}

/* Times as the trace has them. */
static void make_times(const struct reading *reading)
{
	static const struct log_time uncorrected;
	const struct log_recording *recording = reading->recording;
	struct log_events *events = reading->events;
	bool timeline = events->track->kind == LOG_TIMELINE;
	const struct log_time *time =
		timeline ? &uncorrected : &recording->time;
	int64_t shift = timeline ? 0 : recording->shift_ns;
	const int64_t *times = events->times;
	const uint32_t count = events->count;
	int64_t latest = INT64_MIN;

	events->base_ns = reading->base;
	log_time_correct_all(time, 0, shift, &events->base_ns, 1);
	log_time_correct_all(time, reading->base, shift, events->times, count);
	for (uint32_t i = 0; i < count; i++)
		latest = times[i] > latest ? times[i] : latest;
	events->latest_ns = latest;
}

/* Lists the ranges that a block leaves open: from the end, the last begins to
 * reach each depth. */
static void list_left(struct log_events *events)
{
	const uint32_t *sites = events->ids;
	uint32_t wanted = events->left_count;
	uint32_t depth = wanted;

	for (uint32_t i = events->count; wanted > 0;) {
		const uint32_t site = sites[--i];
		const bool is_begin = site != TRACE_NONE;

		events->left[wanted - 1] = site;
		wanted -= is_begin & (depth == wanted);
		depth += is_begin ? UINT32_MAX : 1;
	}
}

/* Replaces the ids by sites, and determines the ranges that the block closes
 * and leaves open. Without branches, which could not be predicted. */
static void make_plain(struct log_events *events)
{
	const uint32_t *sites = events->sites;
	int32_t depth = 0;
	int32_t lowest = 0;

	for (uint32_t i = 0; i < events->count; i++) {
		const uint32_t id = events->ids[i];

		events->ids[i] = sites[id];
		depth += id >= LOG_ID_SITES ? 1 : -1;
		lowest = depth < lowest ? depth : lowest;
	}
	events->closed = (uint32_t)-lowest;
	events->left_count = (uint32_t)(depth - lowest);
	list_left(events);
}

/* After the checks. */
static void make_events(const struct reading *reading)
{
	struct log_events *events = reading->events;

	events->at = 0;
	make_times(reading);
	if (events->is_plain)
		make_plain(events);
}

/* The block counts for the recording and its end. */
static void apply(
	struct log_recording *recording, const struct log_events *events)
{
	bool timeline = events->track->kind == LOG_TIMELINE;
	int64_t *end_ns =
		timeline ? &recording->timeline_end_ns : &recording->end_ns;

	recording->totals.events += events->count;
	events->track->next_seq = events->seq + 1;
	if (events->latest_ns > *end_ns)
		*end_ns = events->latest_ns;
}

static bool read_head(
	struct reading *reading, struct cursor *block, uint32_t *number)
{
	return unpack_u32(block, LOG_TRACKS_MAX - 1, number) &&
	       unpack_uint(block, &reading->events->seq) &&
	       unpack_int(block, &reading->base);
}

static enum log_verdict parse(
	struct reading *reading, struct cursor block, uint32_t elements)
{
	struct log_recording *recording = reading->changed;
	struct log_events *events = reading->events;
	enum log_verdict verdict;
	uint32_t number;
	uint64_t gap;

	if (!read_head(reading, &block, &number))
		return LOG_DAMAGED;
	events->track = log_recording_track(recording, number);
	if (events->track == NULL || !make_room(events, 1))
		return LOG_NO_MEMORY;
	if (log_track_is_device(events->track->kind))
		return LOG_DAMAGED;
	verdict = read_columns(reading, &block, elements);
	if (verdict != LOG_SOUND)
		return verdict;
	if (events->seq < events->track->next_seq)
		return LOG_DAMAGED; /* a copy, or out of order */
	gap = events->seq - events->track->next_seq;
	trace_lose(recording->trace, LOSS_MISSING_BLOCKS, gap);
	recording->totals.gaps += gap;
	make_events(reading);
	apply(recording, events);
	return LOG_SOUND;
}

enum log_verdict log_events_parse(struct log_recording *recording,
	struct cursor block, uint32_t elements, struct log_events *events)
{
	struct reading reading = {recording, recording, events, 0};
	enum log_verdict verdict = parse(&reading, block, elements);

	if (verdict == LOG_SOUND && !log_events_begin(events, recording->trace))
		verdict = LOG_NO_MEMORY;
	if (verdict != LOG_SOUND)
		events->count = 0;
	return verdict;
}

bool log_events_parse_plain(const struct log_recording *recording,
	struct cursor block, struct log_events *events)
{
	struct reading reading = {recording, NULL, events, 0};
	uint32_t elements;
	uint32_t number;
	uint32_t place;
	uint64_t kind;

	if (!unpack_array(&block, &elements) || elements < 2 ||
		!unpack_uint(&block, &kind) || kind != LOG_EVENTS ||
		!read_head(&reading, &block, &number))
		return false;
	place = log_table_find(&recording->track_numbers, number);
	if (place == 0)
		return false;
	events->track = recording->tracks[place - 1];
	if (log_track_is_device(events->track->kind) || !make_room(events, 1) ||
		read_columns(&reading, &block, elements) != LOG_SOUND)
		return false;
	make_events(&reading);
	return true;
}

bool log_events_apply_plain(
	struct log_recording *recording, const struct log_events *events)
{
	if (recording->refused || recording->has_end ||
		events->seq != events->track->next_seq)
		return false;
	apply(recording, events);
	recording->started = true;
	recording->totals.blocks++;
	return true;
}

bool log_events_push_open(struct log_track *track, uint32_t site)
{
	if (!array_reserve32(&track->open, track->depth, &track->room,
		    sizeof(*track->open)))
		return false;
	track->open[track->depth++] = site;
	return true;
}

/* They differ only after a gap. */
static void compare_open(struct log_events *events)
{
	const struct log_track *track = events->track;
	const uint32_t count = events->open_count;
	uint32_t same = 0;

	events->closing = 0;
	events->opening_count = 0;
	if (!events->has_open)
		return;
	while (same < count && same < track->depth &&
		track->open[same] == events->open[same])
		same++;
	events->closing = track->depth - same;
	events->opening = events->open + same;
	events->opening_count = count - same;
}

bool log_events_begin(struct log_events *events, struct trace *trace)
{
	struct log_track *track = events->track;
	int64_t *end_ns = track->kind == LOG_TIMELINE ? &trace->timeline_end_ns
						      : &trace->end_ns;

	if (events->latest_ns > *end_ns)
		*end_ns = events->latest_ns;
	compare_open(events);
	/* log_events_end() cannot fail. */
	return !events->is_plain ||
	       array_ensure_index(&track->open,
		       track->depth + events->opening_count +
			       events->left_count,
		       &track->room, sizeof(*track->open));
}

void log_events_end(struct log_events *events)
{
	struct log_track *track = events->track;

	track->depth -=
		events->closed < track->depth ? events->closed : track->depth;
	memcpy(track->open + track->depth, events->left,
		events->left_count * sizeof(*events->left));
	track->depth += events->left_count;
}
