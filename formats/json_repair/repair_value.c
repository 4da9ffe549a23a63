/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_value.h"

#include "json_repair/repair_text.h"
#include "json_repair/repair_walk.h"
#include "json_repair/repair_word.h"
#include "chrome/trace_keys.h"

/* A text behind its first quote, or without one. */
static bool take_text(struct repair_walk *walk, struct repair_text *text)
{
	bool found = repair_text_find(walk->view, text);

	if (text->quote == '\'' && (!found || text->is_open)) {
		/* It is none of Python's, but only in the way. */
		repair_walk_drop(walk, REPAIR_QUOTES);
		return false;
	}
	if (!found) {
		walk->state = REPAIR_WALK_HALF;
		return false;
	}
	if (text->is_open)
		repair_walk_count(walk, REPAIR_QUOTES);
	if (text->quote == '\'')
		repair_walk_count(walk, REPAIR_WORDS);
	repair_text_add(walk->out, walk->view, text, &walk->value->fixes,
		walk->value->base);
	walk->view->at = text->next;
	return true;
}

/* Where a word ends that has no quotes. */
static size_t word_end(struct repair_walk *walk)
{
	size_t at = walk->view->at;

	while (repair_look_is_word(repair_look_at(walk->view, at)))
		at++;
	return at;
}

/* Text whose first quote is missing, or that has none. */
static bool take_bare(struct repair_walk *walk, size_t end)
{
	struct repair_view *view = walk->view;
	struct repair_text text = {.from = view->at,
		.to = end,
		.next = end,
		.quote = '"',
		.place = repair_walk_place(walk)};
	size_t at = repair_look_past(view, end);
	uint8_t byte = repair_look_at(view, at);

	repair_walk_count(walk, REPAIR_QUOTES);
	if (byte != ',' && byte != '}' && byte != ']' &&
		text.place != REPAIR_ITEM)
		return take_text(walk, &text);
	repair_text_add(
		walk->out, view, &text, &walk->value->fixes, walk->value->base);
	view->at = end;
	return true;
}

static bool take_word(struct repair_walk *walk)
{
	struct repair_view *view = walk->view;
	size_t end = word_end(walk);
	enum repair_fix fix;
	uint8_t next = repair_look_at(view, repair_look_past(view, end));
	bool item = repair_walk_place(walk) == REPAIR_ITEM;
	bool alone = item || next == ',' || next == '}' || next == ']' ||
		     next == '"' || next == '{';

	if (alone &&
		repair_word_add(walk->out, (const char *)view->bytes + view->at,
			end - view->at, &fix)) {
		if (fix != REPAIR_FIXES)
			repair_walk_count(walk, fix);
		walk->is_loose = true;
		view->at = end;
		return true;
	}
	if (end == view->at || next == 0) {
		walk->state = REPAIR_WALK_HALF;
		return false;
	}
	return take_bare(walk, end);
}

/* What an event's member says, whose value was written from `at` on. */
static void note_member(struct repair_walk *walk, size_t at)
{
	struct repair_event *event = &walk->value->event;
	const char *text = (const char *)walk->out->bytes + at;
	size_t size = walk->out->used - at;
	bool digits =
		!walk->out->failed && size > 0 &&
		(text[0] != '"' || repair_word_is_time(text + 1, size - 2));

	if (walk->out->failed || walk->member == REPAIR_OTHER)
		return;
	if (walk->member == REPAIR_PHASE && size == 3 && text[0] == '"')
		event->phase = text[1];
	if (walk->member == REPAIR_TIME)
		event->has_time = digits;
	if (walk->member == REPAIR_DUR)
		event->has_dur = digits;
	if (walk->member != REPAIR_PHASE && digits)
		repair_times_add(&walk->times, walk->member, at, size);
	walk->member = REPAIR_OTHER;
}

static void on_value(struct repair_walk *walk, uint8_t byte)
{
	struct repair_text text = {.from = walk->view->at + 1,
		.quote = byte,
		.place = repair_walk_place(walk)};
	size_t at = walk->out->used;
	bool done;

	if (byte == ':' || (byte == ',' && repair_walk_in_array(walk))) {
		repair_walk_drop(
			walk, byte == ':' ? REPAIR_MEMBERS : REPAIR_COMMAS);
		return;
	}
	if (repair_walk_in_array(walk) &&
		repair_look_is_key(walk->view, walk->view->at)) {
		repair_walk_end_array(walk);
		return;
	}
	if (byte == '{' || byte == '[') {
		walk->member = REPAIR_OTHER;
		repair_walk_open(walk, byte == '[');
		return;
	}
	if (byte == ',' || byte == '}' || byte == ']') {
		if (!repair_walk_in_array(walk)) {
			repair_walk_count(walk, REPAIR_MEMBERS);
			buffer_add_text(walk->out, "null");
			repair_walk_after_value(walk);
		} else {
			repair_walk_close(walk, byte == ']');
		}
		return;
	}
	walk->is_loose = false;
	done = byte == '"' || byte == '\'' ? take_text(walk, &text)
					   : take_word(walk);
	if (done) {
		note_member(walk, at);
		repair_walk_after_value(walk);
	}
}

/* A key has been read: its colon. */
static void take_colon(struct repair_walk *walk, size_t key_at)
{
	const uint8_t *key = walk->out->bytes + key_at + 1;
	uint8_t byte;

	if (!walk->out->failed && walk->depth == 1) {
		size_t size = walk->out->used - key_at - 2;

		walk->member = repair_strict_member(key, size);
		walk->seen |= trace_keys_event(key, size);
	}
	byte = repair_walk_skip_blanks(walk);
	if (byte == ':')
		walk->view->at++;
	else
		repair_walk_count(walk, REPAIR_MEMBERS);
	buffer_add_byte(walk->out, ':');
	walk->comma = REPAIR_WALK_NO_COMMA;
	walk->state = REPAIR_WALK_VALUE;
}

/* A key whose last quote is missing, or both: up to its colon. */
static bool find_bare_key(struct repair_walk *walk, struct repair_text *text)
{
	struct repair_view *view = walk->view;
	size_t at = text->from;
	uint8_t byte = repair_look_at(view, at);

	while (byte == ' ' || repair_look_is_word(byte))
		byte = repair_look_at(view, ++at);
	text->to = at;
	text->next = byte == '"' && text->quote == 0 ? at + 1 : at;
	at = repair_look_past(view, text->next);
	return at > text->from && repair_look_at(view, at) == ':';
}

/* A key between quotes, if a colon follows; else the next best. */
static bool find_key(struct repair_walk *walk, struct repair_text *text)
{
	struct repair_text bare = *text;
	bool found = text->quote != 0 && repair_text_find(walk->view, text) &&
		     !text->is_open;
	size_t at = found ? repair_look_past(walk->view, text->next) : 0;

	if (found && repair_look_at(walk->view, at) == ':')
		return true;
	if (!find_bare_key(walk, &bare))
		return found;
	repair_walk_count(walk, REPAIR_QUOTES);
	*text = bare;
	return true;
}

static bool is_bare_key(struct repair_walk *walk)
{
	struct repair_text text = {.from = walk->view->at};

	return find_bare_key(walk, &text);
}

static void drop_word(struct repair_walk *walk)
{
	size_t end = word_end(walk);

	repair_walk_count(walk, REPAIR_GARBAGE);
	walk->view->at = end;
}

static void take_key(struct repair_walk *walk, uint8_t byte)
{
	bool quoted = byte == '"' || byte == '\'';
	struct repair_text text = {.from = walk->view->at + quoted,
		.quote = quoted ? byte : 0,
		.place = REPAIR_KEY};
	size_t at = walk->out->used;

	if (!find_key(walk, &text)) {
		if (byte == '\'')
			repair_walk_drop(walk, REPAIR_QUOTES);
		else
			walk->state = REPAIR_WALK_HALF;
		return;
	}
	if (byte == '\'')
		repair_walk_count(walk, REPAIR_WORDS);
	repair_text_add(walk->out, walk->view, &text, &walk->value->fixes,
		walk->value->base);
	walk->view->at = text.next;
	take_colon(walk, at);
}

static void on_key(struct repair_walk *walk, uint8_t byte)
{
	struct repair_view *view = walk->view;

	if (byte == '}' || byte == ']')
		repair_walk_close(walk, byte == ']');
	else if (byte == ',')
		repair_walk_drop(walk, REPAIR_COMMAS);
	else if ((byte == '{' && repair_look_is_event(view, view->at)) ||
		 (walk->value->outer == REPAIR_IN_EVENTS &&
			 repair_look_is_document_key(view, view->at)))
		repair_walk_end_early(walk);
	else if (byte == '\'' &&
		 !repair_look_is_word(repair_look_at(view, view->at + 1)))
		repair_walk_drop(walk, REPAIR_QUOTES);
	else if (byte == '{' || byte == '[' || byte == ':')
		repair_walk_drop(walk, REPAIR_GARBAGE);
	else if (byte == '"' || byte == '\'' || is_bare_key(walk))
		take_key(walk, byte);
	else
		drop_word(walk);
}

/* Something comes without a comma before it. */
static void add_comma(struct repair_walk *walk)
{
	repair_walk_count(walk, REPAIR_COMMAS);
	walk->comma = walk->out->used;
	walk->comma_at = walk->view->at;
	buffer_add_byte(walk->out, ',');
	walk->state = repair_walk_in_array(walk) ? REPAIR_WALK_VALUE
						 : REPAIR_WALK_KEY;
}

static void on_after(struct repair_walk *walk, uint8_t byte)
{
	struct repair_view *view = walk->view;

	if (byte == ',') {
		walk->comma = walk->out->used;
		walk->comma_at = view->at;
		buffer_add_byte(walk->out, ',');
		view->at++;
		walk->state = repair_walk_in_array(walk) ? REPAIR_WALK_VALUE
							 : REPAIR_WALK_KEY;
	} else if (byte == '}' || byte == ']') {
		repair_walk_close(walk, byte == ']');
	} else if (byte == '{' && repair_look_is_event(view, view->at)) {
		repair_walk_end_early(walk);
	} else if (byte == ':' || (!repair_walk_in_array(walk) &&
					  (byte == '{' || byte == '['))) {
		repair_walk_drop(walk, REPAIR_GARBAGE);
	} else if (!repair_walk_in_array(walk) && byte == '"' &&
		   !repair_look_is_key(view, view->at)) {
		repair_walk_drop(walk, REPAIR_QUOTES);
	} else if (!repair_walk_in_array(walk) && repair_look_is_word(byte)) {
		if (is_bare_key(walk))
			add_comma(walk);
		else
			drop_word(walk);
	} else {
		add_comma(walk);
	}
}

static enum repair_outcome run(struct repair_walk *walk)
{
	while (walk->state < REPAIR_WALK_DONE) {
		uint8_t byte = repair_walk_skip_blanks(walk);

		if (walk->view->at >= walk->view->end)
			walk->state = REPAIR_WALK_HALF;
		else if (walk->state == REPAIR_WALK_FIRST && byte == ',')
			repair_walk_drop(walk, REPAIR_COMMAS);
		else if (walk->state == REPAIR_WALK_FIRST &&
			 byte == (repair_walk_in_array(walk) ? ']' : '}'))
			repair_walk_close(walk, byte == ']');
		else if (walk->state == REPAIR_WALK_VALUE ||
			 (walk->state == REPAIR_WALK_FIRST &&
				 repair_walk_in_array(walk)))
			on_value(walk, byte);
		else if (walk->state == REPAIR_WALK_AFTER)
			on_after(walk, byte);
		else
			on_key(walk, byte);
	}
	if (walk->state == REPAIR_WALK_HALF)
		return REPAIR_WRONG;
	if (walk->value->outer == REPAIR_IN_EVENTS &&
		walk->value->event.phase != 0)
		repair_times_finish(&walk->times, walk->value,
			walk->value->base + walk->view->at);
	return REPAIR_DONE;
}

enum repair_outcome repair_value_read(
	struct repair_view *view, struct repair_value *value)
{
	struct repair_walk walk = {.view = view,
		.value = value,
		.out = value->out,
		.state = REPAIR_WALK_VALUE,
		.comma = REPAIR_WALK_NO_COMMA};

	return run(&walk);
}

enum repair_outcome repair_value_rest(
	struct repair_view *view, struct repair_value *value)
{
	struct repair_walk walk = {.view = view,
		.value = value,
		.out = value->out,
		.state = REPAIR_WALK_FIRST,
		.comma = REPAIR_WALK_NO_COMMA,
		.depth = 1};

	repair_walk_count(&walk, REPAIR_BRACKETS);
	buffer_add_byte(value->out, '{');
	return run(&walk);
}

enum repair_outcome repair_value_key(
	struct repair_view *view, struct repair_value *value)
{
	struct repair_walk walk = {.view = view,
		.value = value,
		.out = value->out,
		.state = REPAIR_WALK_KEY,
		.comma = REPAIR_WALK_NO_COMMA,
		.depth = 1};

	take_key(&walk, repair_look_at(view, view->at));
	return walk.state == REPAIR_WALK_VALUE ? REPAIR_DONE : REPAIR_WRONG;
}
