/* SPDX-License-Identifier: MIT */
/*
 * Walks through a damaged JSON text. The open brackets of the document and its
 * members are levels. Their contents, above all events, are units: a unit is
 * valid and stays, or is rewritten, or is left out. For repair_*.c only.
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
	bool hidden; /* its brackets and preceding commas are not written */
	bool muted;  /* nor its contents */
	bool has_item;
};

/* The result of a step. */
enum repair_step {
	REPAIR_AGAIN,
	REPAIR_NEED, /* needs more input */
};

struct repair {
	struct repair_window window;
	struct repair_out out;
	size_t at;     /* window offset: handled before this */
	size_t copied; /* written before this */
	struct repair_level levels[REPAIR_DEPTH_MAX + 2];
	uint32_t depth;
	bool has_document;
	bool has_events;
	bool has_header;    /* the document has a trace's member */
	bool is_closed;     /* the first document is closed */
	bool has_member;    /* the closed document has a member */
	bool had_events;    /* likewise for the events */
	bool is_searching;  /* for a complete event */
	bool was_searching; /* a missing comma is not an error */
	bool is_full;       /* the window has no more room */
	bool is_half;       /* the text at `half` is incomplete */
	size_t half;
	bool was_half;  /* its contents are being searched */
	uint64_t spent; /* bytes examined in vain */
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

/* Writes the valid text up to `to`. */
void repair_flush(struct repair *repair, size_t to);

/* Leaves out the text from repair->at up to `to`. */
void repair_leave_out(struct repair *repair, size_t to);
void repair_count(struct repair *repair, enum repair_fix fix, size_t at);

/* Opens a level; the caller writes its bracket. */
void repair_push(struct repair *repair, struct repair_level level);

/* Closes unclosed levels down to this depth. */
void repair_close_levels(struct repair *repair, uint32_t depth);

/* An event begins at repair->at outside the array of events: from there on, the
 * text is items of that array. */
void repair_enter_events(struct repair *repair);

/* A view of all text available for look-ahead, from `at` on. */
struct repair_view repair_view_from(const struct repair *repair, size_t at);

/* Does the view need more input for a decision? */
bool repair_is_unsure(
	const struct repair *repair, const struct repair_view *view);

/* Handles the next unit of the innermost level, or its end. */
enum repair_step repair_record(struct repair *repair);

/* A view of the text that a repair at `at` may use, smaller after many
 * failures; and the repair itself. */
struct repair_view repair_rewrite_view(const struct repair *repair, size_t at);
enum repair_outcome repair_rewrite(struct repair *repair,
	struct repair_view *view, struct repair_value *value, bool rest);

#endif
