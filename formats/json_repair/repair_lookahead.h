/* SPDX-License-Identifier: MIT */
/*
 * Looks ahead in damaged JSON: what a quote or a bracket is most likely, by
 * what stands around it. For repair_*.c only.
 */
#ifndef REPAIR_LOOKAHEAD_H
#define REPAIR_LOOKAHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "json_repair/repair_fix.h"

/* Bytes, and how far they have been understood. */
struct repair_view {
	const uint8_t *bytes; /* with zeros behind */
	size_t at;
	size_t end;
	bool hit_end; /* what is behind the end would have mattered */
};

/* The place of a text: a key, a member's value, an array's item. */
enum repair_place { REPAIR_KEY, REPAIR_MEMBER, REPAIR_ITEM };

/* The byte at this place, or 0 behind the end, which is noted. */
uint8_t repair_lookahead_at(struct repair_view *view, size_t at);

/* Is it part of a word or number? */
static inline bool repair_lookahead_is_word(uint8_t byte)
{
	return byte > ' ' && byte != 0x7f && byte != '{' && byte != '}' &&
	       byte != '[' && byte != ']' && byte != ',' && byte != ':' &&
	       byte != '"' && byte != '\'';
}

/* The first place from `at` on that is not blank. */
size_t repair_lookahead_skip(struct repair_view *view, size_t at);

/* Likewise, passing over control characters, too. */
size_t repair_lookahead_past(struct repair_view *view, size_t at);

/* Does a text end here, `at` being behind a quote? */
bool repair_lookahead_closes(
	struct repair_view *view, size_t at, enum repair_place place);

/* Is this quote the first one of a key, whose colon and value follow? */
bool repair_lookahead_is_key(struct repair_view *view, size_t at);

/* And of one that events have, or documents? */
bool repair_lookahead_is_event_key(struct repair_view *view, size_t at);
bool repair_lookahead_is_document_key(struct repair_view *view, size_t at);

/* Does an event go on behind this bracket, which seems to end it, with another
 * member than those it had? To one that is whole, only arguments are added. */
bool repair_lookahead_goes_on(
	struct repair_view *view, size_t at, uint32_t had, bool is_whole);

/* Does the array of all events seem to end with this bracket? */
bool repair_lookahead_ends_events(struct repair_view *view, size_t at);

/* Does an event seem to begin with this bracket? */
bool repair_lookahead_is_event(struct repair_view *view, size_t at);

/* Does an event begin here, and no document? */
bool repair_begins_event(struct repair_view *view);

/* Text in damaged JSON, made a string. */
struct repair_text {
	size_t from;
	size_t to;
	size_t next; /* behind the quote, if there is one */
	uint8_t quote;
	enum repair_place place;
	bool is_open;    /* there is no quote at its end */
	bool is_literal; /* backslashes are just that, as in "C:\new" */
};

/*
 * Finds where the text ends that begins at text->from, behind text->quote; a
 * quote in it ends it only where what follows agrees. False if it is broken off
 * by a hole in the file, or by the end of what is there.
 */
bool repair_text_find(struct repair_view *view, struct repair_text *text);

/* Appends it with its quotes, and counts what had to be changed; `base` is the
 * offset of the view. */
void repair_text_add(struct buffer *out, const struct repair_view *view,
	const struct repair_text *text, struct repair_fixes *fixes,
	uint64_t base);

#endif
