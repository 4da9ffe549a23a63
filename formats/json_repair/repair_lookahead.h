/* SPDX-License-Identifier: MIT */
/*
 * Looks ahead in damaged JSON to guess the role of a quote or a bracket from
 * its context. For repair_*.c only.
 */
#ifndef REPAIR_LOOKAHEAD_H
#define REPAIR_LOOKAHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "json_repair/repair_fix.h"

/* Bytes and the position up to which they are parsed. */
struct repair_view {
	const uint8_t *bytes; /* followed by zeros */
	size_t at;
	size_t end;
	bool hit_end; /* bytes after the end would have mattered */
};

/* The role of a text: key, member's value or array item. */
enum repair_place { REPAIR_KEY, REPAIR_MEMBER, REPAIR_ITEM };

/* The byte at `at`, or 0 after the end, which sets `hit_end`. */
uint8_t repair_lookahead_at(struct repair_view *view, size_t at);

/* Is it part of a word or number? */
static inline bool repair_lookahead_is_word(uint8_t byte)
{
	return byte > ' ' && byte != 0x7f && byte != '{' && byte != '}' &&
	       byte != '[' && byte != ']' && byte != ',' && byte != ':' &&
	       byte != '"' && byte != '\'';
}

/* The first position from `at` on that is not blank. */
size_t repair_lookahead_skip(struct repair_view *view, size_t at);

/* Likewise, also skipping control characters. */
size_t repair_lookahead_past(struct repair_view *view, size_t at);

/* Does a text end before `at`, the position after a quote? */
bool repair_lookahead_closes(
	struct repair_view *view, size_t at, enum repair_place place);

/* Does this quote begin a key with a colon and a value? */
bool repair_lookahead_is_key(struct repair_view *view, size_t at);

/* Likewise for a key of events or of documents. */
bool repair_lookahead_is_event_key(struct repair_view *view, size_t at);
bool repair_lookahead_is_document_key(struct repair_view *view, size_t at);

/* Does the event continue after this bracket, which seems to end it, with a
 * member that it lacks? A complete event continues only with arguments. */
bool repair_lookahead_continues(
	struct repair_view *view, size_t at, uint32_t had, bool is_whole);

/* Does the array of all events seem to end with this bracket? */
bool repair_lookahead_ends_events(struct repair_view *view, size_t at);

/* Does an event seem to begin with this bracket? */
bool repair_lookahead_is_event(struct repair_view *view, size_t at);

/* Does an event begin here, rather than a document? */
bool repair_begins_event(struct repair_view *view);

/* Text in damaged JSON that becomes a string. */
struct repair_text {
	size_t from;
	size_t to;
	size_t next; /* after the quote, if any */
	uint8_t quote;
	enum repair_place place;
	bool is_open;    /* without closing quote */
	bool is_literal; /* backslashes are literal, as in "C:\new" */
};

/*
 * Finds the end of the text that begins at text->from, after text->quote; a
 * quote ends it only if a plausible continuation follows. False if a hole in
 * the file or the end of the view truncates it.
 */
bool repair_text_find(struct repair_view *view, struct repair_text *text);

/* Appends it with its quotes, and counts the repairs; `base` is the view's
 * offset. */
void repair_text_add(struct buffer *out, const struct repair_view *view,
	const struct repair_text *text, struct repair_fixes *fixes,
	uint64_t base);

#endif
