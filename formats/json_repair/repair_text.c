/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_text.h"

#include <stdio.h>
#include <string.h>

#include "json_repair/repair_strict.h"
#include "base/utf8.h"

/* So many zeros are no text, but a hole: what the file system never wrote. */
#define HOLE_BYTES 16

static bool is_hole(const struct repair_view *view, size_t at)
{
	static const uint8_t zeros[HOLE_BYTES];

	return view->end - at >= HOLE_BYTES &&
	       memcmp(view->bytes + at, zeros, HOLE_BYTES) == 0;
}

/* "C:\new": a path of Windows. */
static bool is_path(const struct repair_view *view, size_t from)
{
	return view->end - from > 2 &&
	       (uint8_t)((view->bytes[from] | 0x20) - 'a') < 26 &&
	       view->bytes[from + 1] == ':' && view->bytes[from + 2] == '\\';
}

/*
 * A quote that does not end the text may begin the key of the next member, the
 * text's own last quote being lost: then a comma is before it, or a bracket or
 * the end of the line. Sets where the text ended.
 */
static bool ends_before(
	struct repair_view *view, struct repair_text *text, size_t at)
{
	bool line = false;
	bool known;

	if (!repair_look_is_key(view, at))
		return false;
	known = repair_look_is_event_key(view, at) ||
		repair_look_is_document_key(view, at);
	while (at > text->from && repair_strict_is_blank(view->bytes[at - 1])) {
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

/* The size of the escape here; 0 if the backslash is none. */
static size_t escape_size(const struct repair_view *view,
	const struct repair_text *text, size_t at)
{
	size_t left = view->end - at;
	size_t size =
		repair_strict_escape(view->bytes + at, left > 12 ? 12 : left);

	if (size == 0 && text->quote == '\'' && view->bytes[at + 1] == '\'')
		return 2;
	/* Half a surrogate is an escape, if of nothing. */
	if (size == 0 && left >= 6 && view->bytes[at + 1] == 'u' &&
		(view->bytes[at + 2] | 0x20) == 'd' &&
		strspn((const char *)view->bytes + at + 2,
			"0123456789abcdefABCDEF") >= 4)
		return 6;
	return size;
}

/* A backslash; false if the text ends with it. */
static bool pass_backslash(
	struct repair_view *view, struct repair_text *text, size_t *at)
{
	size_t size = escape_size(view, text, *at);
	uint8_t next = repair_look_at(view, *at + 1);

	if (next == text->quote && text->place != REPAIR_KEY &&
		repair_look_closes(view, *at + 2, text->place) &&
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

/* The next byte that is not just text. */
static size_t find_special(const struct repair_view *view,
	const struct repair_text *text, size_t at)
{
	size_t plain = repair_strict_plain(view->bytes, at);
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
			if (!pass_backslash(view, text, &at))
				return true;
		} else if (view->bytes[at] == text->quote) {
			if (repair_look_closes(view, at + 1, text->place)) {
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

/* What begins with a backslash; how much of it there was. */
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
	if (size == 6 && repair_strict_escape(bytes, 12) == 0) {
		buffer_add_text(out, "\\ufffd");
		*fix = REPAIR_SURROGATES;
		return size;
	}
	buffer_add(out, bytes, size);
	return size;
}

/* Bytes over 0x7f, of which the first sequence is right or wrong. */
static size_t add_foreign(struct buffer *out, const uint8_t *bytes, size_t left,
	enum repair_fix *fix)
{
	const char *text = (const char *)bytes;
	size_t size = repair_strict_sequence(bytes, left);

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
		size_t plain = repair_strict_plain(view->bytes, at);
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
