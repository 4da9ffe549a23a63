/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_look.h"

#include <string.h>

#include "json_repair/repair_strict.h"
#include "chrome/trace_keys.h"

/* Keys that are longer are none where they may be damaged. */
#define KEY_BYTES_MAX 64

uint8_t repair_look_at(struct repair_view *view, size_t at)
{
	if (at < view->end)
		return view->bytes[at];
	view->hit_end = true;
	return 0;
}

size_t repair_look_past(struct repair_view *view, size_t at)
{
	while (at < view->end && view->bytes[at] <= ' ')
		at++;
	if (at >= view->end)
		view->hit_end = true;
	return at;
}

size_t repair_look_skip(struct repair_view *view, size_t at)
{
	while (at < view->end && repair_strict_is_blank(view->bytes[at]))
		at++;
	if (at >= view->end)
		view->hit_end = true;
	return at;
}

/* Behind the key that this quote begins; 0 if it begins none. */
static size_t key_end(struct repair_view *view, size_t at)
{
	size_t from = at + 1;

	do {
		at++;
		if (at - from > KEY_BYTES_MAX)
			return 0;
	} while (repair_look_at(view, at) >= 0x20 && view->bytes[at] < 0x80 &&
		 strchr("\"\\{}[],:", view->bytes[at]) == NULL);
	return at > from && repair_look_at(view, at) == '"' ? at + 1 : 0;
}

/* Where a colon follows a key that ends here; 0 if none does. */
static size_t colon_after(struct repair_view *view, size_t at)
{
	at = repair_look_past(view, at);
	return repair_look_at(view, at) == ':' ? at : 0;
}

/* Behind the key with a colon that begins here; 0 if none does. */
static size_t whole_key(struct repair_view *view, size_t at)
{
	size_t end = repair_look_at(view, at) == '"' ? key_end(view, at) : 0;

	return end != 0 && colon_after(view, end) != 0 ? end : 0;
}

static bool begins_value(struct repair_view *view, size_t at)
{
	uint8_t byte = repair_look_at(view, at);

	return byte != 0 && strchr("\"{[-0123456789tfnNIT'", byte) != NULL;
}

bool repair_look_is_key(struct repair_view *view, size_t at)
{
	size_t end = whole_key(view, at);
	size_t colon = end == 0 ? 0 : colon_after(view, end);

	if (colon == 0)
		return false;
	return begins_value(view, repair_look_past(view, colon + 1)) ||
	       trace_keys_event(view->bytes + at + 1, end - at - 2) != 0;
}

/* A key that events have, with or without a colon, before a value. */
static bool is_loose_key(struct repair_view *view, size_t at)
{
	size_t end = key_end(view, at);

	return end != 0 &&
	       trace_keys_event(view->bytes + at + 1, end - at - 2) != 0 &&
	       begins_value(view, repair_look_past(view, end));
}

bool repair_look_is_event_key(struct repair_view *view, size_t at)
{
	size_t end = whole_key(view, at);

	return end != 0 &&
	       trace_keys_event(view->bytes + at + 1, end - at - 2) != 0;
}

bool repair_look_is_document_key(struct repair_view *view, size_t at)
{
	size_t end = whole_key(view, at);

	return end != 0 &&
	       trace_keys_document(view->bytes + at + 1, end - at - 2);
}

bool repair_look_is_event(struct repair_view *view, size_t at)
{
	return repair_look_at(view, at) == '{' &&
	       repair_look_is_event_key(view, repair_look_past(view, at + 1));
}

bool repair_look_goes_on(
	struct repair_view *view, size_t at, uint32_t had, bool is_whole)
{
	static const char args[] = "\"args\"";

	at = repair_look_past(view, at + 1);
	if (repair_look_at(view, at) != ',')
		return false;
	at = repair_look_past(view, at + 1);
	if (!repair_look_is_event_key(view, at) ||
		(is_whole && memcmp(view->bytes + at, args, 6) != 0))
		return false;
	return (trace_keys_event(
			view->bytes + at + 1, key_end(view, at) - at - 2) &
		       had) == 0;
}

bool repair_look_ends_events(struct repair_view *view, size_t at)
{
	uint8_t byte;

	at = repair_look_past(view, at + 1);
	byte = repair_look_at(view, at);
	if (byte == ',')
		return repair_look_is_document_key(
			view, repair_look_past(view, at + 1));
	return byte == '}' || byte == 0;
}

/* May this follow a bracket that closes? */
static bool follows_bracket(struct repair_view *view, size_t at)
{
	uint8_t byte;

	at = repair_look_past(view, at);
	byte = repair_look_at(view, at);
	return byte == 0 || byte == ',' || byte == '}' || byte == ']' ||
	       byte == '{';
}

/* Is it a key as JSON has them, of any size and letters, before a value? */
static bool is_strict_key(struct repair_view *view, size_t at)
{
	size_t end = at + 1;
	size_t colon;
	enum repair_outcome outcome =
		repair_strict_text(view->bytes, &end, view->end);

	view->hit_end |= outcome == REPAIR_MORE;
	if (outcome != REPAIR_DONE)
		return false;
	colon = colon_after(view, end);
	return colon != 0 &&
	       begins_value(view, repair_look_past(view, colon + 1));
}

/* May this follow a comma, where what is before it is a text? */
static bool follows_comma(
	struct repair_view *view, size_t at, enum repair_place place)
{
	uint8_t byte;

	do
		at = repair_look_past(view, at);
	while (repair_look_at(view, at) == ',' && at++ < view->end);
	byte = repair_look_at(view, at);
	if (byte == 0)
		return true;
	if (byte == '}' || byte == ']')
		return follows_bracket(view, at + 1);
	if (place == REPAIR_ITEM)
		return begins_value(view, at);
	if (byte == '{')
		return repair_look_is_event(view, at);
	if (byte == '\'')
		return true;
	return byte == '"' &&
	       (repair_look_is_key(view, at) || is_loose_key(view, at) ||
		       is_strict_key(view, at));
}

bool repair_look_closes(
	struct repair_view *view, size_t at, enum repair_place place)
{
	uint8_t byte;

	at = repair_look_past(view, at);
	byte = repair_look_at(view, at);
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
	       repair_look_is_key(view, at);
}
