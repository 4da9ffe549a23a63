/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_private.h"

/* Is what begins here an event, so that it is worth going on from? `*step` is
 * REPAIR_NEED if that cannot be told yet. */
static bool is_whole(struct repair *repair, size_t at, enum repair_step *step)
{
	struct repair_view view = repair_mend_view(repair, at);
	struct repair_value value = {.outer = REPAIR_IN_EVENTS};
	size_t end = at;
	enum repair_outcome outcome =
		repair_strict_value(view.bytes, &end, view.end, &value.event);
	bool is_last = view.end == repair->window.used;

	if (outcome == REPAIR_DONE)
		return value.event.phase != 0;
	if (outcome == REPAIR_MORE && is_last && !repair->window.at_eof &&
		!repair->is_full) {
		*step = REPAIR_NEED;
		return false;
	}
	/* Half of one that is cut off with the file. */
	if (outcome == REPAIR_MORE && is_last && repair->window.at_eof)
		return !repair->was_half;
	repair->spent += end - at;
	repair->made.used = 0;
	value.event = (struct repair_event){0};
	outcome = repair_mend(repair, &view, &value, false);
	if (outcome == REPAIR_DONE && repair_is_unsure(repair, &view))
		*step = REPAIR_NEED;
	return outcome == REPAIR_DONE && *step != REPAIR_NEED &&
	       value.event.phase != 0;
}

static void found_event(struct repair *repair)
{
	repair->is_searching = false;
	repair->was_searching = true;
	if (!repair_level(repair)->is_events)
		repair_enter_events(repair);
}

enum repair_step repair_search(struct repair *repair)
{
	struct repair_view view = repair_look(repair, repair->at);
	enum repair_step step = REPAIR_AGAIN;

	for (size_t at = repair->at; at < repair->window.used; at++) {
		uint8_t byte = repair_byte(repair, at);
		bool is_event;
		bool is_key;

		if (byte != '{' && byte != '"')
			continue;
		view.hit_end = false;
		is_event = byte == '{' && repair_look_is_event(&view, at);
		is_key = byte == '"' && !repair->levels[0].array &&
			 repair_look_is_document_key(&view, at);
		if (repair_is_unsure(repair, &view)) {
			repair_leave_out(repair, at);
			return REPAIR_NEED;
		}
		if (is_key) {
			repair_leave_out(repair, at);
			repair_close_levels(repair, 1);
			repair->is_searching = false;
			repair->was_searching = true;
			return REPAIR_AGAIN;
		}
		if (is_event && is_whole(repair, at, &step)) {
			repair_leave_out(repair, at);
			found_event(repair);
			return REPAIR_AGAIN;
		}
		if (step == REPAIR_NEED) {
			repair_leave_out(repair, at);
			return step;
		}
	}
	repair_leave_out(repair, repair->window.used);
	return REPAIR_NEED;
}
