/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_walk.h"

void repair_walk_count(struct repair_walk *walk, enum repair_fix fix)
{
	repair_fix_add(
		&walk->value->fixes, fix, walk->value->base + walk->view->at);
}

bool repair_walk_in_array(const struct repair_walk *walk)
{
	uint32_t last = walk->depth - 1;

	return walk->depth > 0 && (walk->arrays[last / 64] >> last % 64 & 1);
}

enum repair_place repair_walk_place(const struct repair_walk *walk)
{
	if (walk->depth == 0)
		return walk->value->outer == REPAIR_IN_EVENTS ? REPAIR_ITEM
							      : REPAIR_MEMBER;
	return repair_walk_in_array(walk) ? REPAIR_ITEM : REPAIR_MEMBER;
}

static void drop_comma(struct repair_walk *walk)
{
	if (walk->comma != REPAIR_WALK_NO_COMMA) {
		repair_times_replace(walk->out, walk->comma, 1, "", 0);
		repair_walk_count(walk, REPAIR_COMMAS);
	}
	walk->comma = REPAIR_WALK_NO_COMMA;
}

uint8_t repair_walk_skip_blanks(struct repair_walk *walk)
{
	struct repair_view *view = walk->view;
	bool garbage = false;

	for (;; view->at++) {
		uint8_t byte = repair_look_at(view, view->at);

		if (repair_strict_is_blank(byte)) {
			buffer_add_byte(walk->out, byte);
			garbage = false;
			continue;
		}
		if (view->at >= view->end || (byte > ' ' && byte != 0x7f))
			return byte;
		if (!garbage)
			repair_walk_count(walk, REPAIR_GARBAGE);
		garbage = true;
	}
}

void repair_walk_drop(struct repair_walk *walk, enum repair_fix fix)
{
	repair_walk_count(walk, fix);
	walk->view->at++;
}

void repair_walk_after_value(struct repair_walk *walk)
{
	walk->state = walk->depth == 0 ? REPAIR_WALK_DONE : REPAIR_WALK_AFTER;
	walk->comma = REPAIR_WALK_NO_COMMA;
}

static void close_bracket(struct repair_walk *walk)
{
	buffer_add_byte(walk->out, repair_walk_in_array(walk) ? ']' : '}');
	walk->depth--;
	walk->is_loose = false;
	repair_walk_after_value(walk);
}

/* Brackets that are missing before what lies outside. */
static void close_all(struct repair_walk *walk)
{
	drop_comma(walk);
	while (walk->depth > 0) {
		repair_walk_count(walk, REPAIR_BRACKETS);
		close_bracket(walk);
	}
}

/* Has all that an event needs been read? */
static bool is_event(const struct repair_walk *walk)
{
	const struct repair_event *event = &walk->value->event;

	return walk->value->outer == REPAIR_IN_EVENTS && event->phase != 0 &&
	       (event->has_time || event->phase == 'M') &&
	       (event->has_dur || event->phase != 'X');
}

void repair_walk_end_array(struct repair_walk *walk)
{
	drop_comma(walk);
	while (repair_walk_in_array(walk)) {
		repair_walk_count(walk, REPAIR_BRACKETS);
		close_bracket(walk);
	}
	if (walk->depth == 0)
		walk->state = REPAIR_WALK_HALF;
}

void repair_walk_end_early(struct repair_walk *walk)
{
	if (is_event(walk) && walk->state != REPAIR_WALK_VALUE &&
		!(walk->state == REPAIR_WALK_AFTER && walk->is_loose)) {
		if (walk->comma != REPAIR_WALK_NO_COMMA) {
			/* It is between this and what is outside. */
			walk->out->used = walk->comma;
			walk->view->at = walk->comma_at;
			walk->comma = REPAIR_WALK_NO_COMMA;
		}
		close_all(walk);
	} else {
		walk->state = REPAIR_WALK_HALF;
	}
}

/* Is there an open bracket of this kind? */
static bool has_open(const struct repair_walk *walk, bool array)
{
	for (uint32_t i = 0; i < walk->depth; i++)
		if ((walk->arrays[i / 64] >> i % 64 & 1) == array)
			return true;
	return false;
}

/* ] or } */
void repair_walk_close(struct repair_walk *walk, bool array)
{
	struct repair_view *view = walk->view;
	bool in_events = walk->value->outer == REPAIR_IN_EVENTS;

	if (in_events && !array && walk->depth == 1 &&
		repair_look_goes_on(
			view, view->at, walk->seen, is_event(walk))) {
		repair_walk_drop(walk, REPAIR_BRACKETS);
	} else if (has_open(walk, array)) {
		drop_comma(walk);
		while (repair_walk_in_array(walk) != array) {
			repair_walk_count(walk, REPAIR_BRACKETS);
			close_bracket(walk);
		}
		close_bracket(walk);
		view->at++;
	} else if (array && in_events &&
		   repair_look_ends_events(view, view->at)) {
		repair_walk_end_early(walk);
	} else if (!array && !in_events) {
		close_all(walk);
	} else {
		repair_walk_drop(walk, REPAIR_BRACKETS);
	}
}

/* Passes over what is nested too deep. */
static void skip_deep(struct repair_walk *walk)
{
	struct repair_view *view = walk->view;
	uint32_t depth = 0;

	repair_walk_count(walk, REPAIR_DEPTH);
	do {
		uint8_t byte = repair_look_at(view, view->at++);

		if (byte == '{' || byte == '[')
			depth++;
		else if (byte == '}' || byte == ']')
			depth--;
		while (byte == '"' && repair_strict_text(view->bytes, &view->at,
					      view->end) == REPAIR_WRONG)
			view->at++;
	} while (depth > 0 && view->at < view->end);
	buffer_add_text(walk->out, "null");
	repair_walk_after_value(walk);
}

void repair_walk_open(struct repair_walk *walk, bool array)
{
	uint64_t bit = UINT64_C(1) << walk->depth % 64;
	uint64_t *word = &walk->arrays[walk->depth / 64];

	if (walk->depth == REPAIR_DEPTH_MAX) {
		skip_deep(walk);
		return;
	}
	*word = array ? *word | bit : *word & ~bit;
	walk->depth++;
	buffer_add_byte(walk->out, array ? '[' : '{');
	walk->view->at++;
	walk->comma = REPAIR_WALK_NO_COMMA;
	walk->state = REPAIR_WALK_FIRST;
}
