/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_private.h"

void repair_flush(struct repair *repair, size_t to)
{
	repair_out_add(&repair->out, repair->window.bytes + repair->copied,
		to - repair->copied);
	repair->copied = to;
}

void repair_leave_out(struct repair *repair, size_t to)
{
	repair_flush(repair, repair->at);
	repair->at = to;
	repair->copied = to;
}

void repair_count(struct repair *repair, enum repair_fix fix, size_t at)
{
	repair_fix_add(&repair->result->fixes, fix, repair->window.base + at);
}

void repair_push(struct repair *repair, struct repair_level level)
{
	repair->levels[repair->depth++] = level;
	repair->has_events |= level.is_events;
}

void repair_pop(struct repair *repair)
{
	struct repair_level level = *repair_level(repair);

	repair->depth--;
	if (level.hidden) {
		if (level.is_events)
			repair->had_events = level.has_item;
		repair_flush(repair, repair->at);
		repair->out.mode =
			repair->is_closed ? REPAIR_MUTED : REPAIR_TAIL;
		/* Of what is not written, nobody sees the commas. */
		if (repair->depth > 0 && repair_level(repair)->muted)
			repair_level(repair)->has_item = true;
		return;
	}
	if (repair->depth > 0) {
		repair_level(repair)->has_item = true;
	} else {
		repair->is_closed = true;
		repair->has_member = level.has_item;
	}
	if (level.is_events || repair->depth == 0) {
		repair_flush(repair, repair->at);
		if (repair_out_begin_tail(&repair->out, level.is_events))
			repair->had_events = level.has_item;
	}
}

void repair_close_levels(struct repair *repair, uint32_t depth)
{
	repair_flush(repair, repair->at);
	while (repair->depth > depth) {
		struct repair_level level = *repair_level(repair);

		repair_pop(repair);
		if (level.hidden)
			continue;
		repair_count(repair, REPAIR_BRACKETS, repair->at);
		repair_out_add(&repair->out, level.array ? "]" : "}", 1);
	}
}

/* An array of events in an object that has none, or had. */
static void add_events(struct repair *repair, bool has_member, bool hidden)
{
	static const char key[] = ",\"traceEvents\":[";

	repair->out.mode = REPAIR_DIRECT;
	repair_out_add(&repair->out, has_member ? key : key + 1,
		sizeof(key) - (has_member ? 1 : 2));
	repair_count(repair, REPAIR_BRACKETS, repair->at);
	repair_push(repair,
		(struct repair_level){
			.array = true, .is_events = true, .hidden = hidden});
}

void repair_enter_events(struct repair *repair)
{
	repair_flush(repair, repair->at);
	repair->was_searching = true;
	if (!repair->has_document) {
		repair->has_document = true;
		repair_count(repair, REPAIR_BRACKETS, repair->at);
		repair_out_add(&repair->out, "[", 1);
		repair_push(repair, (struct repair_level){
					    .array = true, .is_events = true});
	} else if (repair->out.ends_events) {
		repair->out.mode = REPAIR_DIRECT;
		repair_push(repair, (struct repair_level){.array = true,
					    .is_events = true,
					    .hidden = true,
					    .has_item = repair->had_events});
	} else if (repair->is_closed) {
		add_events(repair, repair->has_member, true);
		repair_out_prepend(&repair->out, "]");
		repair->out.ends_events = true;
		repair->has_member = true;
	} else {
		repair_close_levels(repair, 1);
		if (!repair_level(repair)->array)
			add_events(
				repair, repair_level(repair)->has_item, false);
	}
}
