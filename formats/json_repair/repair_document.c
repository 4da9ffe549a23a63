/* SPDX-License-Identifier: MIT */
/* What lies outside of all brackets: before a document, behind it, and between
 * several. */
#include <string.h>

#include "json_repair/repair_private.h"

/* An event says what it is in its first bytes. */
#define EVENT_BYTES ((size_t)64 << 10)

bool repair_begins_event(struct repair_view *view)
{
	struct repair_event event = {0};
	size_t at = view->at;
	size_t end = view->end;

	if (!repair_look_is_event(view, at))
		return false;
	if (end - at > EVENT_BYTES)
		end = at + EVENT_BYTES;
	if (repair_strict_value(view->bytes, &at, end, &event) == REPAIR_MORE &&
		end == view->end)
		view->hit_end = true;
	at = repair_look_skip(view, view->at + 1);
	return event.phase != 0 || memcmp(view->bytes + at, "\"ph\"", 4) == 0;
}

/* May an array or an object begin like this, and no line of a log? */
static bool is_document(struct repair_view *view)
{
	size_t next = repair_look_skip(view, view->at + 1);
	uint8_t byte = repair_look_at(view, next);

	if (byte == 0)
		return next >= view->end;
	if (view->bytes[view->at] == '[')
		return strchr("{]\"[", byte) != NULL &&
		       (byte != '{' ||
			       !repair_look_is_document_key(
				       view, repair_look_skip(view, next + 1)));
	return byte == '}' || byte == '"' || byte == '\'' ||
	       (uint8_t)((byte | 0x20) - 'a') < 26;
}

/* Bytes that belong to nothing, up to the next bracket. */
static void leave_out_garbage(struct repair *repair)
{
	size_t at = repair->at;

	do
		at++;
	while (at < repair->window.used && repair_byte(repair, at) != '{' &&
		repair_byte(repair, at) != '[');
	repair_count(repair, REPAIR_GARBAGE, repair->at);
	repair_leave_out(repair, at);
}

/* One more document behind the first: its events are joined to those. */
static void join_document(struct repair *repair, bool array)
{
	repair_count(repair, REPAIR_DOCUMENTS, repair->at);
	if (array)
		repair_enter_events(repair);
	else
		repair_push(repair,
			(struct repair_level){.hidden = true, .muted = true});
	repair_leave_out(repair, repair->at + 1);
}

enum repair_step repair_document(struct repair *repair)
{
	struct repair_view view;
	bool array;

	while (repair->at < repair->window.used &&
		repair_strict_is_blank(repair_byte(repair, repair->at)))
		repair->at++;
	if (repair->at == repair->window.used)
		return REPAIR_NEED;
	view = repair_look(repair, repair->at);
	array = repair_byte(repair, repair->at) == '[';
	if (repair_begins_event(&view)) {
		if (repair_is_unsure(repair, &view))
			return REPAIR_NEED;
		repair_enter_events(repair);
	} else if ((array || repair_byte(repair, repair->at) == '{') &&
		   is_document(&view)) {
		if (repair_is_unsure(repair, &view))
			return REPAIR_NEED;
		if (repair->has_document) {
			join_document(repair, array);
			return REPAIR_AGAIN;
		}
		repair->has_document = true;
		repair_push(repair, (struct repair_level){.array = array,
					    .is_events = array});
		repair->at++;
	} else if (repair_is_unsure(repair, &view)) {
		return REPAIR_NEED;
	} else {
		leave_out_garbage(repair);
	}
	return REPAIR_AGAIN;
}
