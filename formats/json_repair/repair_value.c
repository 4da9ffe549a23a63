/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_value.h"

#include <string.h>

#include "chrome/chrome_facts.h"

/* Further times that are strings, which are repeated members, stay
 * unchanged. */
#define TEXT_TIMES_MAX 8

#define NO_COMMA SIZE_MAX

/* The tokens that may come next. */
enum state {
	STATE_VALUE,
	STATE_FIRST, /* after an opening bracket: an item, a key or the end */
	STATE_KEY,
	STATE_AFTER,
	STATE_DONE,
	STATE_HALF
};

/* The open brackets, the state, and the output. */
struct reader {
	struct repair_view *view;
	struct repair_value *value;
	struct buffer *out;
	enum state state;
	bool in_events;  /* the outer bracket is an array of events */
	bool is_loose;   /* the previous value has no delimiter: a number */
	size_t comma;    /* in `out`: a comma whose item is pending */
	size_t comma_at; /* its position in the view */
	struct json_walk open; /* the brackets */
	size_t member;         /* in `out`: the key of the outermost member */
	uint32_t seen;         /* see chrome_facts_event_key() */
	size_t time;           /* in `out`: the event's time */
};

/* Replaces a piece of the output. */
static void replace(struct buffer *out, const uint8_t *piece, size_t size,
	const void *bytes, size_t new_size)
{
	size_t at = (size_t)(piece - out->bytes);

	if (new_size > size && !buffer_reserve(out, new_size - size))
		return;
	memmove(out->bytes + at + new_size, out->bytes + at + size,
		out->used - at - size);
	memcpy(out->bytes + at, bytes, new_size);
	out->used = out->used - size + new_size;
}

/* Converts the event's first time that is a string to a number. */
static void make_number(struct repair_value *value)
{
	const struct repair_event *event = &value->event;
	struct buffer number = BUFFER_INIT;
	enum repair_fix fix;

	if (repair_word_add(&number, (const char *)event->text + 1,
		    event->text_size - 2, &fix) &&
		!number.failed)
		replace(value->out, event->text, event->text_size, number.bytes,
			number.used);
	value->out->failed |= number.failed;
	buffer_clear(&number);
}

static void read_event(struct repair_value *value, size_t from)
{
	struct buffer *out = value->out;

	value->event = (struct repair_event){0};
	if (!buffer_reserve(out, JSON_BYTES_ROOM))
		return;
	memset(out->bytes + out->used, 0, JSON_BYTES_ROOM);
	(void)repair_event_read(out->bytes, &from, out->used, &value->event);
}

/* Converts the times of the event at `from` in the output that are strings to
 * numbers, and replaces an unknown time by the last one; `offset` is the
 * event's end. */
static void finish_event(
	struct repair_value *value, size_t from, uint64_t offset)
{
	const struct repair_event *event = &value->event;

	for (unsigned i = 0; event->text_size > 0 && i < TEXT_TIMES_MAX; i++) {
		read_event(value, from);
		make_number(value);
		repair_fix_add(&value->fixes, REPAIR_TEXT_TIMES, offset);
		read_event(value, from);
	}
	if (value->last_time == NULL || !repair_event_is_timeless(event))
		return;
	replace(value->out, event->time, event->time_size, value->last_time,
		strlen(value->last_time));
	repair_fix_add(&value->fixes, REPAIR_ZERO_TIMES, offset);
	read_event(value, from);
}

static void count_fix(struct reader *reader, enum repair_fix fix)
{
	repair_fix_add(&reader->value->fixes, fix,
		reader->value->base + reader->view->at);
}

/* Is the innermost bracket an array's? */
static bool in_array(const struct reader *reader)
{
	return reader->open.depth > 0 && json_walk_in_array(&reader->open);
}

static enum repair_place place_of(const struct reader *reader)
{
	return in_array(reader) ||
			       (reader->open.depth == 0 && reader->in_events)
		       ? REPAIR_ITEM
		       : REPAIR_MEMBER;
}

static void drop_comma(struct reader *reader)
{
	if (reader->comma != NO_COMMA) {
		replace(reader->out, reader->out->bytes + reader->comma, 1, "",
			0);
		count_fix(reader, REPAIR_COMMAS);
	}
	reader->comma = NO_COMMA;
}

/* Skips blanks; returns the next significant byte, 0 at the end. */
static uint8_t skip_blanks(struct reader *reader)
{
	struct repair_view *view = reader->view;
	bool garbage = false;

	for (;; view->at++) {
		uint8_t byte = repair_view_at(view, view->at);

		if (json_bytes_is_blank(byte)) {
			buffer_add_byte(reader->out, byte);
			garbage = false;
			continue;
		}
		if (view->at >= view->end || (byte > ' ' && byte != 0x7f))
			return byte;
		if (!garbage)
			count_fix(reader, REPAIR_GARBAGE);
		garbage = true;
	}
}

/* Drops the text up to `to`. */
static void drop(struct reader *reader, enum repair_fix fix, size_t to)
{
	count_fix(reader, fix);
	reader->view->at = to;
}

static void drop_byte(struct reader *reader, enum repair_fix fix)
{
	drop(reader, fix, reader->view->at + 1);
}

/* A value has been written. */
static void after_value(struct reader *reader)
{
	reader->state = reader->open.depth == 0 ? STATE_DONE : STATE_AFTER;
	reader->comma = NO_COMMA;
}

static void close_bracket(struct reader *reader)
{
	buffer_add_byte(reader->out, in_array(reader) ? ']' : '}');
	reader->open.depth--;
	reader->is_loose = false;
	after_value(reader);
}

/* Adds a closing bracket that is missing. */
static void add_bracket(struct reader *reader)
{
	count_fix(reader, REPAIR_BRACKETS);
	close_bracket(reader);
}

/* Adds all of them. */
static void close_all(struct reader *reader)
{
	drop_comma(reader);
	while (reader->open.depth > 0)
		add_bracket(reader);
}

/* Have all required members of an event been read? */
static bool is_event(const struct reader *reader)
{
	const struct repair_event *event = &reader->value->event;

	return reader->in_events && event->phase != 0 &&
	       (event->has_time || event->phase == 'M') &&
	       (event->has_dur || event->phase != 'X');
}

/* A member begins here, inside an unclosed array. */
static void end_array(struct reader *reader)
{
	drop_comma(reader);
	while (in_array(reader))
		add_bracket(reader);
	if (reader->open.depth == 0)
		reader->state = STATE_HALF;
}

/* Outer text begins here without a closing bracket: the value is complete, or
 * half. */
static void end_early(struct reader *reader)
{
	if (!is_event(reader) || reader->state == STATE_VALUE ||
		(reader->state == STATE_AFTER && reader->is_loose)) {
		reader->state = STATE_HALF;
		return;
	}
	if (reader->comma != NO_COMMA) {
		/* The comma separates this value from the outer text. */
		reader->out->used = reader->comma;
		reader->view->at = reader->comma_at;
		reader->comma = NO_COMMA;
	}
	close_all(reader);
}

/* Is there an open bracket of this kind? */
static bool has_open(const struct reader *reader, bool array)
{
	for (uint32_t i = 0; i < reader->open.depth; i++)
		if (json_walk_is_array(&reader->open, i) == array)
			return true;
	return false;
}

/* ] or }: closes an open bracket, or an outer one. */
static void read_closing(struct reader *reader, bool array)
{
	struct repair_view *view = reader->view;

	if (reader->in_events && !array && reader->open.depth == 1 &&
		repair_view_continues(
			view, view->at, reader->seen, is_event(reader))) {
		drop_byte(reader, REPAIR_BRACKETS);
	} else if (has_open(reader, array)) {
		drop_comma(reader);
		while (in_array(reader) != array)
			add_bracket(reader);
		close_bracket(reader);
		view->at++;
	} else if (array && reader->in_events &&
		   repair_view_ends_events(view, view->at)) {
		end_early(reader);
	} else if (!array && !reader->in_events) {
		close_all(reader);
	} else {
		drop_byte(reader, REPAIR_BRACKETS);
	}
}

/* Skips a value nested too deep. */
static void skip_deep(struct reader *reader)
{
	struct repair_view *view = reader->view;
	uint32_t depth = 0;

	count_fix(reader, REPAIR_DEPTH);
	do {
		uint8_t byte = repair_view_at(view, view->at);
		size_t end =
			byte == '"' ? repair_view_string(view, view->at) : 0;

		depth += byte == '{' || byte == '[';
		depth -= byte == '}' || byte == ']';
		view->at = end != 0 ? end : view->at + 1;
	} while (depth > 0 && view->at < view->end);
	buffer_add_text(reader->out, "null");
	after_value(reader);
}

/* An opening bracket. */
static void open_bracket(struct reader *reader, bool array)
{
	if (reader->open.depth == REPAIR_DEPTH_MAX) {
		skip_deep(reader);
		return;
	}
	json_walk_open(&reader->open, array);
	buffer_add_byte(reader->out, array ? '[' : '{');
	reader->view->at++;
	reader->comma = NO_COMMA;
	reader->state = STATE_FIRST;
}

static void add_text(struct reader *reader, const struct repair_text *text)
{
	repair_text_add(reader->out, reader->view, text, &reader->value->fixes,
		reader->value->base);
	reader->view->at = text->next;
}

/* A text after its opening quote, or without one. */
static bool read_text(struct reader *reader, struct repair_text *text)
{
	bool found = repair_text_find(reader->view, text);

	if (text->quote == '\'' && (!found || text->is_open)) {
		/* Not a Python string: drop the quote. */
		drop_byte(reader, REPAIR_QUOTES);
		return false;
	}
	if (!found) {
		reader->state = STATE_HALF;
		return false;
	}
	if (text->is_open)
		count_fix(reader, REPAIR_QUOTES);
	if (text->quote == '\'')
		count_fix(reader, REPAIR_WORDS);
	add_text(reader, text);
	return true;
}

/* A number, a word, or a text without its opening quote, or without any. */
static bool read_word(struct reader *reader)
{
	struct repair_view *view = reader->view;
	size_t end = repair_view_word(view, view->at);
	struct repair_text text = {.from = view->at,
		.to = end,
		.next = end,
		.quote = '"',
		.place = place_of(reader)};
	uint8_t next = repair_view_at(view, repair_view_past(view, end));
	bool item = text.place == REPAIR_ITEM;
	bool is_last = next == ',' || next == '}' || next == ']';
	enum repair_fix fix;

	if ((item || is_last || next == '"' || next == '{') &&
		repair_word_add(reader->out,
			(const char *)view->bytes + view->at, end - view->at,
			&fix)) {
		if (fix != REPAIR_FIXES)
			count_fix(reader, fix);
		reader->is_loose = true;
		view->at = end;
		return true;
	}
	if (end == view->at || next == 0) {
		reader->state = STATE_HALF;
		return false;
	}
	count_fix(reader, REPAIR_QUOTES);
	if (!is_last && !item)
		return read_text(reader, &text);
	add_text(reader, &text);
	return true;
}

/* Records an event's member; its value was written at `at`. */
static void record_member(struct reader *reader, size_t at)
{
	struct repair_event *event = &reader->value->event;
	const uint8_t *bytes;

	/* Keys are compared with longer ones. */
	if (reader->open.depth != 1 || in_array(reader) ||
		!buffer_reserve(reader->out, JSON_BYTES_ROOM) ||
		reader->out->failed)
		return;
	bytes = reader->out->bytes;
	event->time = NULL;
	repair_event_add(event, bytes + reader->member, bytes + at,
		bytes + reader->out->used);
	if (event->time != NULL)
		reader->time = at;
}

static void on_value(struct reader *reader, uint8_t byte)
{
	struct repair_text text = {.from = reader->view->at + 1,
		.quote = byte,
		.place = place_of(reader)};
	size_t at = reader->out->used;
	bool array = in_array(reader);

	if (byte == ':' || (byte == ',' && array)) {
		drop_byte(reader, byte == ':' ? REPAIR_MEMBERS : REPAIR_COMMAS);
	} else if (array &&
		   repair_view_is_key(reader->view, reader->view->at)) {
		end_array(reader);
	} else if (byte == '{' || byte == '[') {
		open_bracket(reader, byte == '[');
	} else if (byte != ',' && byte != '}' && byte != ']') {
		reader->is_loose = false;
		if (byte == '"' || byte == '\'' ? read_text(reader, &text)
						: read_word(reader)) {
			record_member(reader, at);
			after_value(reader);
		}
	} else if (array) {
		read_closing(reader, byte == ']');
	} else {
		count_fix(reader, REPAIR_MEMBERS);
		buffer_add_text(reader->out, "null");
		after_value(reader);
	}
}

/* Reads the colon after a key. */
static void read_colon(struct reader *reader, size_t key_at)
{
	const uint8_t *key = reader->out->bytes + key_at + 1;

	if (!reader->out->failed && reader->open.depth == 1) {
		reader->member = key_at;
		reader->seen |= chrome_facts_event_key(
			key, reader->out->used - key_at - 2);
	}
	if (skip_blanks(reader) == ':')
		reader->view->at++;
	else
		count_fix(reader, REPAIR_MEMBERS);
	buffer_add_byte(reader->out, ':');
	reader->comma = NO_COMMA;
	reader->state = STATE_VALUE;
}

/* A key without its closing quote, or without any: ends at its colon. */
static bool find_bare_key(struct reader *reader, struct repair_text *text)
{
	struct repair_view *view = reader->view;
	size_t at = text->from;
	uint8_t byte = repair_view_at(view, at);

	while (byte == ' ' || repair_view_is_word(byte))
		byte = repair_view_at(view, ++at);
	text->to = at;
	text->next = byte == '"' && text->quote == 0 ? at + 1 : at;
	at = repair_view_past(view, text->next);
	return at > text->from && repair_view_at(view, at) == ':';
}

/* A quoted key, if a colon follows; otherwise the best guess. */
static bool find_key(struct reader *reader, struct repair_text *text)
{
	struct repair_text bare = *text;
	bool found = text->quote != 0 && repair_text_find(reader->view, text) &&
		     !text->is_open;
	size_t at = found ? repair_view_past(reader->view, text->next) : 0;

	if (found && repair_view_at(reader->view, at) == ':')
		return true;
	if (!find_bare_key(reader, &bare))
		return found;
	count_fix(reader, REPAIR_QUOTES);
	*text = bare;
	return true;
}

static bool is_bare_key(struct reader *reader)
{
	struct repair_text text = {.from = reader->view->at};

	return find_bare_key(reader, &text);
}

static void read_key(struct reader *reader, uint8_t byte)
{
	bool quoted = byte == '"' || byte == '\'';
	struct repair_text text = {.from = reader->view->at + quoted,
		.quote = quoted ? byte : 0,
		.place = REPAIR_KEY};
	size_t at = reader->out->used;

	if (!find_key(reader, &text)) {
		if (byte == '\'')
			drop_byte(reader, REPAIR_QUOTES);
		else
			reader->state = STATE_HALF;
		return;
	}
	if (byte == '\'')
		count_fix(reader, REPAIR_WORDS);
	add_text(reader, &text);
	read_colon(reader, at);
}

static void drop_word(struct reader *reader)
{
	drop(reader, REPAIR_GARBAGE,
		repair_view_word(reader->view, reader->view->at));
}

static void on_key(struct reader *reader, uint8_t byte)
{
	struct repair_view *view = reader->view;

	if (byte == '}' || byte == ']')
		read_closing(reader, byte == ']');
	else if (byte == ',')
		drop_byte(reader, REPAIR_COMMAS);
	else if ((byte == '{' && repair_view_is_event(view, view->at)) ||
		 (reader->in_events &&
			 repair_view_is_document_key(view, view->at)))
		end_early(reader);
	else if (byte == '\'' &&
		 !repair_view_is_word(repair_view_at(view, view->at + 1)))
		drop_byte(reader, REPAIR_QUOTES);
	else if (byte == '{' || byte == '[' || byte == ':')
		drop_byte(reader, REPAIR_GARBAGE);
	else if (byte == '"' || byte == '\'' || is_bare_key(reader))
		read_key(reader, byte);
	else
		drop_word(reader);
}

/* Adds the comma before the next item or member. */
static void add_comma(struct reader *reader)
{
	reader->comma = reader->out->used;
	reader->comma_at = reader->view->at;
	buffer_add_byte(reader->out, ',');
	reader->state = in_array(reader) ? STATE_VALUE : STATE_KEY;
}

static void on_after(struct reader *reader, uint8_t byte)
{
	struct repair_view *view = reader->view;
	bool array = in_array(reader);

	if (byte == ',') {
		add_comma(reader);
		view->at++;
	} else if (byte == '}' || byte == ']') {
		read_closing(reader, byte == ']');
	} else if (byte == '{' && repair_view_is_event(view, view->at)) {
		end_early(reader);
	} else if (byte == ':' || (!array && (byte == '{' || byte == '['))) {
		drop_byte(reader, REPAIR_GARBAGE);
	} else if (!array && byte == '"' &&
		   !repair_view_is_key(view, view->at)) {
		drop_byte(reader, REPAIR_QUOTES);
	} else if (!array && repair_view_is_word(byte) &&
		   !is_bare_key(reader)) {
		drop_word(reader);
	} else {
		count_fix(reader, REPAIR_COMMAS);
		add_comma(reader);
	}
}

static void read_token(struct reader *reader)
{
	uint8_t byte = skip_blanks(reader);
	bool array = in_array(reader);

	if (reader->view->at >= reader->view->end)
		reader->state = STATE_HALF;
	else if (reader->state == STATE_FIRST && byte == ',')
		drop_byte(reader, REPAIR_COMMAS);
	else if (reader->state == STATE_FIRST && byte == (array ? ']' : '}'))
		read_closing(reader, array);
	else if (reader->state == STATE_VALUE ||
		 (reader->state == STATE_FIRST && array))
		on_value(reader, byte);
	else if (reader->state == STATE_AFTER)
		on_after(reader, byte);
	else
		on_key(reader, byte);
}

enum repair_outcome repair_value_read(struct repair_view *view,
	enum repair_part part, struct repair_value *value)
{
	size_t from = value->out->used;
	struct reader reader = {.view = view,
		.value = value,
		.out = value->out,
		.state = STATE_VALUE,
		.in_events = part <= REPAIR_PART_REST,
		.comma = NO_COMMA};

	if (part == REPAIR_PART_REST) {
		count_fix(&reader, REPAIR_BRACKETS);
		buffer_add_byte(value->out, '{');
		reader.state = STATE_FIRST;
		json_walk_open(&reader.open, false);
	}
	if (part == REPAIR_PART_KEY) {
		reader.state = STATE_KEY;
		json_walk_open(&reader.open, false);
		read_key(&reader, repair_view_at(view, view->at));
		return reader.state == STATE_VALUE && !value->out->failed
			       ? REPAIR_DONE
			       : REPAIR_WRONG;
	}
	while (reader.state < STATE_DONE)
		read_token(&reader);
	if (reader.state == STATE_HALF)
		return REPAIR_WRONG;
	if (!reader.in_events)
		value->event.phase = 0;
	value->event.time = value->out->bytes + reader.time;
	if (value->event.phase != 0)
		finish_event(value, from, value->base + view->at);
	return REPAIR_DONE;
}
