/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_lookahead.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "chrome/chrome_facts.h"
#include "json_repair/repair_validate.h"

/* In damaged text, longer keys do not count as keys. */
#define KEY_BYTES_MAX 64

uint8_t repair_lookahead_at(struct repair_view *view, size_t at)
{
	if (at < view->end)
		return view->bytes[at];
	view->hit_end = true;
	return 0;
}

size_t repair_lookahead_past(struct repair_view *view, size_t at)
{
	while (at < view->end && view->bytes[at] <= ' ')
		at++;
	if (at >= view->end)
		view->hit_end = true;
	return at;
}

size_t repair_lookahead_skip(struct repair_view *view, size_t at)
{
	while (at < view->end && repair_validate_is_blank(view->bytes[at]))
		at++;
	if (at >= view->end)
		view->hit_end = true;
	return at;
}

/* The position after the key that this quote begins; 0 if it begins none. */
static size_t key_end(struct repair_view *view, size_t at)
{
	size_t from = at + 1;

	do {
		at++;
		if (at - from > KEY_BYTES_MAX)
			return 0;
	} while (repair_lookahead_at(view, at) >= 0x20 &&
		 view->bytes[at] < 0x80 &&
		 strchr("\"\\{}[],:", view->bytes[at]) == NULL);
	return at > from && repair_lookahead_at(view, at) == '"' ? at + 1 : 0;
}

/* The position of the colon after a key that ends at `at`; 0 if there is
 * none. */
static size_t colon_after(struct repair_view *view, size_t at)
{
	at = repair_lookahead_past(view, at);
	return repair_lookahead_at(view, at) == ':' ? at : 0;
}

/* The position after the key and colon that begin at `at`; 0 if there are
 * none. */
static size_t whole_key(struct repair_view *view, size_t at)
{
	size_t end =
		repair_lookahead_at(view, at) == '"' ? key_end(view, at) : 0;

	return end != 0 && colon_after(view, end) != 0 ? end : 0;
}

static bool begins_value(struct repair_view *view, size_t at)
{
	uint8_t byte = repair_lookahead_at(view, at);

	return byte != 0 && strchr("\"{[-0123456789tfnNIT'", byte) != NULL;
}

bool repair_lookahead_is_key(struct repair_view *view, size_t at)
{
	size_t end = whole_key(view, at);
	size_t colon = end == 0 ? 0 : colon_after(view, end);

	if (colon == 0)
		return false;
	return begins_value(view, repair_lookahead_past(view, colon + 1)) ||
	       chrome_facts_event_key(view->bytes + at + 1, end - at - 2) != 0;
}

/* Is it an event's key, with or without a colon, before a value? */
static bool is_loose_key(struct repair_view *view, size_t at)
{
	size_t end = key_end(view, at);

	return end != 0 &&
	       chrome_facts_event_key(view->bytes + at + 1, end - at - 2) !=
		       0 &&
	       begins_value(view, repair_lookahead_past(view, end));
}

bool repair_lookahead_is_event_key(struct repair_view *view, size_t at)
{
	size_t end = whole_key(view, at);

	return end != 0 &&
	       chrome_facts_event_key(view->bytes + at + 1, end - at - 2) != 0;
}

bool repair_lookahead_is_document_key(struct repair_view *view, size_t at)
{
	size_t end = whole_key(view, at);

	return end != 0 &&
	       chrome_facts_is_document_key(view->bytes + at + 1, end - at - 2);
}

bool repair_lookahead_is_event(struct repair_view *view, size_t at)
{
	return repair_lookahead_at(view, at) == '{' &&
	       repair_lookahead_is_event_key(
		       view, repair_lookahead_past(view, at + 1));
}

bool repair_lookahead_continues(
	struct repair_view *view, size_t at, uint32_t had, bool is_whole)
{
	static const char args[] = "\"args\"";

	at = repair_lookahead_past(view, at + 1);
	if (repair_lookahead_at(view, at) != ',')
		return false;
	at = repair_lookahead_past(view, at + 1);
	if (!repair_lookahead_is_event_key(view, at) ||
		(is_whole && memcmp(view->bytes + at, args, 6) != 0))
		return false;
	return (chrome_facts_event_key(
			view->bytes + at + 1, key_end(view, at) - at - 2) &
		       had) == 0;
}

bool repair_lookahead_ends_events(struct repair_view *view, size_t at)
{
	uint8_t byte;

	at = repair_lookahead_past(view, at + 1);
	byte = repair_lookahead_at(view, at);
	if (byte == ',')
		return repair_lookahead_is_document_key(
			view, repair_lookahead_past(view, at + 1));
	return byte == '}' || byte == 0;
}

/* Can this follow a closing bracket? */
static bool follows_bracket(struct repair_view *view, size_t at)
{
	uint8_t byte;

	at = repair_lookahead_past(view, at);
	byte = repair_lookahead_at(view, at);
	return byte == 0 || byte == ',' || byte == '}' || byte == ']' ||
	       byte == '{';
}

/* Is it a valid JSON key of any size and letters, before a value? */
static bool is_strict_key(struct repair_view *view, size_t at)
{
	size_t end = at + 1;
	size_t colon;
	enum repair_outcome outcome =
		repair_validate_text(view->bytes, &end, view->end);

	view->hit_end |= outcome == REPAIR_MORE;
	if (outcome != REPAIR_DONE)
		return false;
	colon = colon_after(view, end);
	return colon != 0 &&
	       begins_value(view, repair_lookahead_past(view, colon + 1));
}

/* Can this follow a comma after a text? */
static bool follows_comma(
	struct repair_view *view, size_t at, enum repair_place place)
{
	uint8_t byte;

	do
		at = repair_lookahead_past(view, at);
	while (repair_lookahead_at(view, at) == ',' && at++ < view->end);
	byte = repair_lookahead_at(view, at);
	if (byte == 0)
		return true;
	if (byte == '}' || byte == ']')
		return follows_bracket(view, at + 1);
	if (place == REPAIR_ITEM)
		return begins_value(view, at);
	if (byte == '{')
		return repair_lookahead_is_event(view, at);
	if (byte == '\'')
		return true;
	return byte == '"' &&
	       (repair_lookahead_is_key(view, at) || is_loose_key(view, at) ||
		       is_strict_key(view, at));
}

bool repair_lookahead_closes(
	struct repair_view *view, size_t at, enum repair_place place)
{
	uint8_t byte;

	at = repair_lookahead_past(view, at);
	byte = repair_lookahead_at(view, at);
	if (byte == 0)
		return true;
	if (place == REPAIR_KEY)
		return byte == ':' || byte == ',' || byte == '}' ||
		       begins_value(view, at);
	if (byte == ',')
		return follows_comma(view, at + 1, place);
	if (byte == '}' || byte == ']')
		return follows_bracket(view, at + 1);
	return byte == '"' && place == REPAIR_MEMBER &&
	       repair_lookahead_is_key(view, at);
}

/* An event can be recognized by its first bytes. */
#define EVENT_BYTES ((size_t)64 << 10)

bool repair_begins_event(struct repair_view *view)
{
	struct repair_event event = {0};
	size_t at = view->at;
	size_t end = view->end;

	if (!repair_lookahead_is_event(view, at))
		return false;
	if (end - at > EVENT_BYTES)
		end = at + EVENT_BYTES;
	if (repair_validate_value(view->bytes, &at, end, &event) ==
			REPAIR_MORE &&
		end == view->end)
		view->hit_end = true;
	at = repair_lookahead_skip(view, view->at + 1);
	return event.phase != 0 || memcmp(view->bytes + at, "\"ph\"", 4) == 0;
}

/* A run of this many zeros is not text but a hole: a block that was never
 * written. */
#define HOLE_BYTES 16

static bool is_hole(const struct repair_view *view, size_t at)
{
	static const uint8_t zeros[HOLE_BYTES];

	return view->end - at >= HOLE_BYTES &&
	       memcmp(view->bytes + at, zeros, HOLE_BYTES) == 0;
}

/* "C:\new": a Windows path. */
static bool is_path(const struct repair_view *view, size_t from)
{
	return view->end - from > 2 &&
	       (uint8_t)((view->bytes[from] | 0x20) - 'a') < 26 &&
	       view->bytes[from + 1] == ':' && view->bytes[from + 2] == '\\';
}

/*
 * A quote that does not end the text may begin the next member's key if the
 * text's own closing quote is lost. Then a comma, a bracket or a line end
 * precedes it. Sets the end of the text.
 */
static bool ends_before(
	struct repair_view *view, struct repair_text *text, size_t at)
{
	bool line = false;
	bool known;

	if (!repair_lookahead_is_key(view, at))
		return false;
	known = repair_lookahead_is_event_key(view, at) ||
		repair_lookahead_is_document_key(view, at);
	while (at > text->from &&
		repair_validate_is_blank(view->bytes[at - 1])) {
		line = line || view->bytes[at - 1] == '\n';
		at--;
	}
	if (at == text->from || (!known && !line))
		return false;
	if (view->bytes[at - 1] == ',' || view->bytes[at - 1] == '{')
		at--;
	else if (!line)
		return false;
	text->to = at;
	text->next = at;
	text->is_open = true;
	return true;
}

/* The size of the escape at `at`; 0 if the backslash does not begin one. */
static size_t escape_size(const struct repair_view *view,
	const struct repair_text *text, size_t at)
{
	size_t left = view->end - at;
	size_t size =
		repair_validate_escape(view->bytes + at, left > 12 ? 12 : left);

	if (size == 0 && text->quote == '\'' && view->bytes[at + 1] == '\'')
		return 2;
	/* Half a surrogate pair is an escape, though of no character. */
	if (size == 0 && left >= 6 && view->bytes[at + 1] == 'u' &&
		(view->bytes[at + 2] | 0x20) == 'd' &&
		strspn((const char *)view->bytes + at + 2,
			"0123456789abcdefABCDEF") >= 4)
		return 6;
	return size;
}

/* Handles a backslash; false if it ends the text. */
static bool skip_backslash(
	struct repair_view *view, struct repair_text *text, size_t *at)
{
	size_t size = escape_size(view, text, *at);
	uint8_t next = repair_lookahead_at(view, *at + 1);

	if (next == text->quote && text->place != REPAIR_KEY &&
		repair_lookahead_closes(view, *at + 2, text->place) &&
		*at + 2 < view->end) {
		text->is_literal = is_path(view, text->from);
		text->to = *at + 1;
		text->next = *at + 2;
		return false;
	}
	if (size == 0 && is_path(view, text->from))
		text->is_literal = true;
	*at += size == 0 ? 1 : size;
	return true;
}

/* The next byte that is not plain text. */
static size_t find_special(const struct repair_view *view,
	const struct repair_text *text, size_t at)
{
	size_t plain = repair_validate_plain(view->bytes, at, view->end);
	const uint8_t *quote;

	if (text->quote == '"' || plain == at)
		return plain;
	quote = memchr(view->bytes + at, text->quote, plain - at);
	return quote == NULL ? plain : (size_t)(quote - view->bytes);
}

bool repair_text_find(struct repair_view *view, struct repair_text *text)
{
	size_t at = text->from;

	text->is_open = false;
	text->is_literal = false;
	for (;;) {
		at = find_special(view, text, at);
		if (at >= view->end) {
			view->hit_end = true;
			return false;
		}
		if (view->bytes[at] == '\\') {
			if (!skip_backslash(view, text, &at))
				return true;
		} else if (view->bytes[at] == text->quote) {
			if (repair_lookahead_closes(
				    view, at + 1, text->place)) {
				text->to = at;
				text->next = at + 1;
				return true;
			}
			if (ends_before(view, text, at))
				return true;
			at++;
		} else if (is_hole(view, at)) {
			return false;
		} else {
			at++;
		}
	}
}

static void add_control(struct buffer *out, uint8_t byte)
{
	static const char short_forms[] = "btn fr"; /* from \b on */
	char escape[8];

	if (byte >= '\b' && byte <= '\r' && byte != '\v')
		(void)snprintf(escape, sizeof(escape), "\\%c",
			short_forms[byte - '\b']);
	else
		(void)snprintf(escape, sizeof(escape), "\\u%04x", byte);
	buffer_add_text(out, escape);
}

/* Appends the text at a backslash; returns the size used. */
static size_t add_escape(struct buffer *out, const struct repair_view *view,
	const struct repair_text *text, size_t at, enum repair_fix *fix)
{
	const uint8_t *bytes = view->bytes + at;
	size_t size = at + 1 < text->to ? escape_size(view, text, at) : 0;

	if (at + size > text->to)
		size = 0;
	if (text->is_literal && bytes[1] != '\\')
		size = bytes[1] == '"' && at + 1 < text->to ? size : 0;
	if (size == 0) {
		buffer_add_text(out, "\\\\");
		*fix = REPAIR_BACKSLASHES;
		return 1;
	}
	if (size == 2 && bytes[1] == '\'') {
		buffer_add_byte(out, '\'');
		return size;
	}
	if (size == 6 && repair_validate_escape(bytes, 12) == 0) {
		buffer_add_text(out, "\\ufffd");
		*fix = REPAIR_SURROGATES;
		return size;
	}
	buffer_add(out, bytes, size);
	return size;
}

/* Appends bytes over 0x7f; their first sequence may be invalid. */
static size_t add_foreign(struct buffer *out, const uint8_t *bytes, size_t left,
	enum repair_fix *fix)
{
	const char *text = (const char *)bytes;
	size_t size = repair_validate_sequence(bytes, left);

	if (size > 0) {
		buffer_add(out, text, size);
		return size;
	}
	*fix = REPAIR_UTF8;
	buffer_add_text(out, UTF8_REPLACEMENT);
	return utf8_invalid_size(text, left > 4 ? 4 : left);
}

void repair_text_add(struct buffer *out, const struct repair_view *view,
	const struct repair_text *text, struct repair_fixes *fixes,
	uint64_t base)
{
	size_t at = text->from;

	buffer_add_byte(out, '"');
	while (at < text->to) {
		size_t plain =
			repair_validate_plain(view->bytes, at, view->end);
		enum repair_fix fix = REPAIR_FIXES;
		size_t size = 1;
		uint8_t byte;

		if (plain > text->to)
			plain = text->to;
		buffer_add(out, view->bytes + at, plain - at);
		at = plain;
		if (at == text->to)
			break;
		byte = view->bytes[at];
		if (byte == '\\') {
			size = add_escape(out, view, text, at, &fix);
		} else if (byte == '"') {
			buffer_add_text(out, "\\\"");
			fix = text->quote == '"' ? REPAIR_QUOTES : REPAIR_FIXES;
		} else if (byte < 0x20) {
			add_control(out, byte);
			fix = REPAIR_CONTROLS;
		} else {
			size = add_foreign(
				out, view->bytes + at, text->to - at, &fix);
		}
		if (fix != REPAIR_FIXES)
			repair_fix_add(fixes, fix, base + at);
		at += size;
	}
	buffer_add_byte(out, '"');
}
