/* SPDX-License-Identifier: MIT */
/* The events of one track in a block: checked, converted to the trace's sites
 * and times, and not yet returned. Source: lib/log/FORMAT.md, block 3. */
#ifndef LOG_EVENTS_H
#define LOG_EVENTS_H

#include "base/cursor.h"
#include "log_read/log_recording.h"

struct log_events {
	struct log_track *track;
	uint64_t seq; /* the block's number on the track */
	uint32_t at;  /* next event */
	uint32_t count;
	uint32_t room;
	/* There are only begins and ends: `ids` are trace sites, and TRACE_NONE
	 * for an end. */
	bool is_plain;
	uint32_t *ids;  /* enum log_id */
	int64_t *times; /* in trace time */
	int64_t base_ns;
	int64_t latest_ns;
	uint32_t *sites; /* trace sites by id */
	uint32_t site_room;
	uint32_t site_count;
	struct cursor extras; /* rows still to read */
	/* The ranges open before the block, if it lists them. */
	bool has_open;
	uint32_t open_count;
	uint32_t *open; /* trace sites; room for LOG_OPEN_MAX */
	/* To adapt the track's open ranges to them. */
	uint32_t closing; /* ranges to end first */
	const uint32_t *opening;
	uint32_t opening_count;
	/* Change of the track's open ranges by a plain block. */
	uint32_t closed;
	uint32_t left_count;
	uint32_t *left; /* trace sites */
};

void log_events_clear(struct log_events *events);

/*
 * Reads a block of events with `elements` elements, from its second one on, and
 * checks it completely. Unless LOG_SOUND is returned, there are no events.
 */
enum log_verdict log_events_parse(struct log_recording *recording,
	struct cursor block, uint32_t elements, struct log_events *events);

/*
 * The same for a plain block, before the blocks that precede it are applied.
 * False for blocks with more than begins and ends of known sites, for unsound
 * ones, and if out of memory.
 *
 * Threads: any; others may use the trace and the tracks' open ranges.
 */
bool log_events_parse_plain(const struct log_recording *recording,
	struct cursor block, struct log_events *events);

/*
 * Applies such a block when all before it were applied; false, with nothing
 * changed, if it is not the next one of its track, or does not belong to the
 * recording. Only if recording->version is the same as it was then.
 */
bool log_events_apply_plain(
	struct log_recording *recording, const struct log_events *events);

/* Call it before the first event is returned: compares the ranges open before
 * the block with those of the track. False if out of memory. */
bool log_events_begin(struct log_events *events, struct trace *trace);

/* Opens a range of the track; false if out of memory. */
bool log_events_push_open(struct log_track *track, uint32_t site);

/* Call it after the last event of a plain block. */
void log_events_end(struct log_events *events);

#endif
