/* SPDX-License-Identifier: MIT */
/*
 * The way through a damaged JSON text. What is open of the document and of its
 * members is known as levels; what lies in those - events, above all - is a
 * unit each: it is right and stays where it is, or it is made anew, or it is
 * left out. For repair_*.c only.
 */
#ifndef REPAIR_RECORD_H
#define REPAIR_RECORD_H

#include "json_repair/repair_fix.h"
#include "json_repair/repair_io.h"
#include "json_repair/repair_value.h"

#define REPAIR_TIME_BYTES 40

struct repair_level {
	bool array;
	bool is_events;
	bool hidden; /* its brackets, and commas before it, are not written */
	bool muted;  /* nor what is in it */
	bool has_item;
};

/* The result of a step. */
enum repair_step {
	REPAIR_AGAIN,
	REPAIR_NEED, /* more of the input */
};

struct repair {
	struct repair_window window;
	struct repair_out out;
	size_t at;     /* in the window: what is before is done */
	size_t copied; /* and what is before this is written */
	struct repair_level levels[REPAIR_DEPTH_MAX + 2];
	uint32_t depth;
	bool has_document;
	bool has_events;
	bool has_header;    /* a member of the document that traces have */
	bool is_closed;     /* the (first) document is */
	bool has_member;    /* of the document, when it was closed */
	bool had_events;    /* likewise of the events */
	bool is_searching;  /* for an event that is whole */
	bool was_searching; /* a comma may be missing for good reason */
	bool is_full;       /* the window has no more room */
	bool is_half;       /* what begins at `half` is not all there */
	size_t half;
	bool was_half;  /* and what is in that is looked at now */
	uint64_t spent; /* bytes that were looked at for nothing */
	char last_time[REPAIR_TIME_BYTES];
	struct buffer made;
	struct repair_result *result;
};

static inline struct repair_level *repair_level(struct repair *repair)
{
	return &repair->levels[repair->depth - 1];
}

static inline uint8_t repair_byte(const struct repair *repair, size_t at)
{
	return repair->window.bytes[at];
}

/* Writes what is right up to there. */
void repair_flush(struct repair *repair, size_t to);

/* Leaves out all from repair->at up to there. */
void repair_leave_out(struct repair *repair, size_t to);
void repair_count(struct repair *repair, enum repair_fix fix, size_t at);

/* Opens a level, whose bracket is the caller's to write. */
void repair_push(struct repair *repair, struct repair_level level);

/* Closes levels that no bracket closes, down to this depth. */
void repair_close_levels(struct repair *repair, uint32_t depth);

/* An event begins at repair->at where none should: from there on, what comes is
 * an item of the array of events, wherever that is. */
void repair_enter_events(struct repair *repair);

/* The whole of the text from repair->at on that can be looked ahead at. */
struct repair_view repair_view_from(const struct repair *repair, size_t at);

/* Does that need more of the input to be sure? */
bool repair_is_unsure(
	const struct repair *repair, const struct repair_view *view);

/* The next unit of what is open innermost, or its end. */
enum repair_step repair_record(struct repair *repair);

/* A view of what may be mended from there on: less and less, when that has
 * failed too often; and the mending itself. */
struct repair_view repair_mend_view(const struct repair *repair, size_t at);
enum repair_outcome repair_mend(struct repair *repair, struct repair_view *view,
	struct repair_value *value, bool rest);

#endif
