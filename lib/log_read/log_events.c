/* SPDX-License-Identifier: MIT */
/* Event blocks: read and checked as a whole before any event is given out. */

#include "log_read/log_block_private.h"
#include "base/memory.h"
#include "log/unpack.h"

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

/* The ranges that are open before a block, against those we know to be: what
 * is to be closed and opened first. Only a gap makes a difference. */
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
		events->open[i] = log_block_site(recording, events->open[i]);
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

/* The block's own list of sites, as the trace's. */
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
		events->sites[i] = log_block_site(recording, number);
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
	uint32_t count;
	uint32_t rows;
	uint32_t extras = 0;

	if (!unpack_u32s(block, events->ids, events->count, &count) ||
		count != events->count || !unpack_array(block, &rows))
		return LOG_DAMAGED;
	for (uint32_t i = 0; i < count; i++) {
		if (events->ids[i] >= LOG_ID_SITES + events->site_count)
			return LOG_DAMAGED;
		extras += events->ids[i] == LOG_ID_EXTRA;
	}
	if (extras != rows)
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
	int64_t *end = timeline ? &trace->timeline_end_ns : &trace->end_ns;

	events->base_ns = base;
	log_time_correct_all(time, 0, shift, &events->base_ns, 1);
	log_time_correct_all(time, base, shift, events->times, events->count);
	for (uint32_t i = 0; i < events->count; i++)
		if (events->times[i] > *end)
			*end = events->times[i];
}

enum log_verdict log_events_take(
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
	events->track = log_block_track(recording, number);
	if (events->track == NULL || !make_events_room(events, 1))
		return LOG_NO_MEMORY;
	if (log_block_is_device(events->track->kind))
		return LOG_DAMAGED;
	verdict = read_times(recording, &block);
	if (verdict == LOG_SOUND)
		verdict = compare_open(recording, &block);
	if (verdict == LOG_SOUND)
		verdict = read_sites(recording, &block);
	if (verdict == LOG_SOUND)
		verdict = read_ids(recording, &block);
	for (; verdict == LOG_SOUND && elements > 9; elements--)
		if (!unpack_skip(&block)) /* of a newer version */
			verdict = LOG_DAMAGED;
	if (verdict == LOG_SOUND && (elements != 9 || block.left != 0))
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
