/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_value.h"

#include <string.h>

#include "chrome/chrome_facts.h"
#include "json_repair/repair_literal.h"

#define TIMES_MAX 8

/* Times of a written event, which may have to be rewritten. */
struct times {
	struct {
		enum repair_key_kind member;
		size_t at; /* in the output */
		size_t size;
	} all[TIMES_MAX];
	unsigned count;
};

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
struct value_reader {
	struct repair_view *view;
	struct repair_value *value;
	struct buffer *out;
	enum state state;
	bool is_loose;   /* the previous value has no delimiter: a number */
	size_t comma;    /* in `out`: a comma whose item is pending */
	size_t comma_at; /* its position in the view */
	uint32_t depth;
	uint64_t arrays[REPAIR_DEPTH_MAX / 64];
	enum repair_key_kind member;
	uint32_t seen; /* see chrome_facts_event_key() */
	struct times times;
};

/* Times beyond TIMES_MAX, which are repeated members, stay unchanged. */
static void times_add(struct times *times, enum repair_key_kind member,
	size_t at, size_t size)
{
	if (times->count == TIMES_MAX)
		return;
	times->all[times->count].member = member;
	times->all[times->count].at = at;
	times->all[times->count].size = size;
	times->count++;
}

/* Replaces a piece of the output. */
static void replace_text(struct buffer *out, size_t at, size_t size,
	const void *bytes, size_t new_size)
{
	if (new_size > size && !buffer_reserve(out, new_size - size))
		return;
	memmove(out->bytes + at + new_size, out->bytes + at + size,
		out->used - at - size);
	memcpy(out->bytes + at, bytes, new_size);
	out->used = out->used - size + new_size;
}

/* Replaces the text of a time and moves the later ones. */
static void times_rewrite(struct times *times, unsigned which,
	struct repair_value *value, const char *text)
{
	size_t old_size = times->all[which].size;
	size_t size = strlen(text);

	replace_text(value->out, times->all[which].at, old_size, text, size);
	for (unsigned i = which + 1; i < times->count; i++)
		times->all[i].at = times->all[i].at - old_size + size;
	times->all[which].size = size;
}

/* Replaces a string by the number in it. */
static void make_number(struct times *times, unsigned which,
	struct repair_value *value, uint64_t offset)
{
	const char *text =
		(const char *)value->out->bytes + times->all[which].at + 1;
	size_t size = times->all[which].size - 2;
	struct buffer number = BUFFER_INIT;
	enum repair_fix fix;

	while (size > 0 && repair_validate_is_blank((uint8_t)text[0])) {
		text++;
		size--;
	}
	while (size > 0 && repair_validate_is_blank((uint8_t)text[size - 1]))
		size--;
	if (repair_literal_add(&number, text, size, &fix))
		buffer_add_byte(&number, '\0');
	if (number.used > 0 && !number.failed) {
		times_rewrite(times, which, value, (const char *)number.bytes);
		repair_fix_add(&value->fixes, REPAIR_TEXT_TIMES, offset);
	}
	buffer_clear(&number);
}

/* Converts text times to numbers, and replaces an unknown time by the last one;
 * `offset` is the event's end. */
static void times_finish(
	struct times *times, struct repair_value *value, uint64_t offset)
{
	struct repair_event *event = &value->event;
	unsigned time = TIMES_MAX;

	for (unsigned i = 0; i < times->count; i++) {
		size_t at = times->all[i].at;

		if (value->out->failed)
			return;
		if (value->out->bytes[at] == '"')
			make_number(times, i, value, offset);
		if (times->all[i].member == REPAIR_TIME) {
			time = i;
			event->zero_time = repair_validate_is_zero(
				value->out->bytes + at, times->all[i].size);
		} else if (times->all[i].member == REPAIR_DUR) {
			event->zero_dur = repair_validate_is_zero(
				value->out->bytes + at, times->all[i].size);
		}
	}
	if (time == TIMES_MAX)
		return;
	if (value->last_time != NULL && repair_validate_is_timeless(event)) {
		times_rewrite(times, time, value, value->last_time);
		repair_fix_add(&value->fixes, REPAIR_ZERO_TIMES, offset);
	}
	event->time_at = times->all[time].at;
	event->time_size = times->all[time].size;
}

static void count_fix(struct value_reader *reader, enum repair_fix fix)
{
	repair_fix_add(&reader->value->fixes, fix,
		reader->value->base + reader->view->at);
}

/* Is the innermost bracket an array's? */
static bool in_array(const struct value_reader *reader)
{
	uint32_t last = reader->depth - 1;

	return reader->depth > 0 &&
	       (reader->arrays[last / 64] >> last % 64 & 1);
}

static enum repair_place place_of(const struct value_reader *reader)
{
	if (reader->depth == 0)
		return reader->value->outer == REPAIR_IN_EVENTS ? REPAIR_ITEM
								: REPAIR_MEMBER;
	return in_array(reader) ? REPAIR_ITEM : REPAIR_MEMBER;
}

static void drop_comma(struct value_reader *reader)
{
	if (reader->comma != NO_COMMA) {
		replace_text(reader->out, reader->comma, 1, "", 0);
		count_fix(reader, REPAIR_COMMAS);
	}
	reader->comma = NO_COMMA;
}

/* Skips blanks; returns the next significant byte, 0 at the end. */
static uint8_t skip_blanks(struct value_reader *reader)
{
	struct repair_view *view = reader->view;
	bool garbage = false;

	for (;; view->at++) {
		uint8_t byte = repair_lookahead_at(view, view->at);

		if (repair_validate_is_blank(byte)) {
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

/* Drops a byte. */
static void drop_byte(struct value_reader *reader, enum repair_fix fix)
{
	count_fix(reader, fix);
	reader->view->at++;
}

/* A value has been written. */
static void after_value(struct value_reader *reader)
{
	reader->state = reader->depth == 0 ? STATE_DONE : STATE_AFTER;
	reader->comma = NO_COMMA;
}

static void close_bracket(struct value_reader *reader)
{
	buffer_add_byte(reader->out, in_array(reader) ? ']' : '}');
	reader->depth--;
	reader->is_loose = false;
	after_value(reader);
}

/* Adds all missing closing brackets. */
static void close_all(struct value_reader *reader)
{
	drop_comma(reader);
	while (reader->depth > 0) {
		count_fix(reader, REPAIR_BRACKETS);
		close_bracket(reader);
	}
}

/* Have all required members of an event been read? */
static bool is_event(const struct value_reader *reader)
{
	const struct repair_event *event = &reader->value->event;

	return reader->value->outer == REPAIR_IN_EVENTS && event->phase != 0 &&
	       (event->has_time || event->phase == 'M') &&
	       (event->has_dur || event->phase != 'X');
}

/* A member begins here, inside an unclosed array. */
static void end_array(struct value_reader *reader)
{
	drop_comma(reader);
	while (in_array(reader)) {
		count_fix(reader, REPAIR_BRACKETS);
		close_bracket(reader);
	}
	if (reader->depth == 0)
		reader->state = STATE_HALF;
}

/* Outer text begins here without a closing bracket: the value is complete, or
 * half. */
static void end_early(struct value_reader *reader)
{
	if (is_event(reader) && reader->state != STATE_VALUE &&
		!(reader->state == STATE_AFTER && reader->is_loose)) {
		if (reader->comma != NO_COMMA) {
			/* The comma separates this value from the outer
			 * text. */
			reader->out->used = reader->comma;
			reader->view->at = reader->comma_at;
			reader->comma = NO_COMMA;
		}
		close_all(reader);
	} else {
		reader->state = STATE_HALF;
	}
}

/* Is there an open bracket of this kind? */
static bool has_open(const struct value_reader *reader, bool array)
{
	for (uint32_t i = 0; i < reader->depth; i++)
		if ((reader->arrays[i / 64] >> i % 64 & 1) == array)
			return true;
	return false;
}

/* ] or }: closes an open bracket, or an outer one. */
static void read_closing(struct value_reader *reader, bool array)
{
	struct repair_view *view = reader->view;
	bool in_events = reader->value->outer == REPAIR_IN_EVENTS;

	if (in_events && !array && reader->depth == 1 &&
		repair_lookahead_continues(
			view, view->at, reader->seen, is_event(reader))) {
		drop_byte(reader, REPAIR_BRACKETS);
	} else if (has_open(reader, array)) {
		drop_comma(reader);
		while (in_array(reader) != array) {
			count_fix(reader, REPAIR_BRACKETS);
			close_bracket(reader);
		}
		close_bracket(reader);
		view->at++;
	} else if (array && in_events &&
		   repair_lookahead_ends_events(view, view->at)) {
		end_early(reader);
	} else if (!array && !in_events) {
		close_all(reader);
	} else {
		drop_byte(reader, REPAIR_BRACKETS);
	}
}

/* Skips a value nested too deep. */
static void skip_deep(struct value_reader *reader)
{
	struct repair_view *view = reader->view;
	uint32_t depth = 0;

	count_fix(reader, REPAIR_DEPTH);
	do {
		uint8_t byte = repair_lookahead_at(view, view->at++);

		if (byte == '{' || byte == '[')
			depth++;
		else if (byte == '}' || byte == ']')
			depth--;
		while (byte == '"' &&
			repair_validate_text(view->bytes, &view->at,
				view->end) == REPAIR_WRONG)
			view->at++;
	} while (depth > 0 && view->at < view->end);
	buffer_add_text(reader->out, "null");
	after_value(reader);
}

/* An opening bracket. */
static void open_bracket(struct value_reader *reader, bool array)
{
	uint64_t bit = UINT64_C(1) << reader->depth % 64;
	uint64_t *word = &reader->arrays[reader->depth / 64];

	if (reader->depth == REPAIR_DEPTH_MAX) {
		skip_deep(reader);
		return;
	}
	*word = array ? *word | bit : *word & ~bit;
	reader->depth++;
	buffer_add_byte(reader->out, array ? '[' : '{');
	reader->view->at++;
	reader->comma = NO_COMMA;
	reader->state = STATE_FIRST;
}

/* A text after its opening quote, or without one. */
static bool read_text(struct value_reader *reader, struct repair_text *text)
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
	repair_text_add(reader->out, reader->view, text, &reader->value->fixes,
		reader->value->base);
	reader->view->at = text->next;
	return true;
}

/* The end of an unquoted word. */
static size_t word_end(struct value_reader *reader)
{
	size_t at = reader->view->at;

	while (repair_lookahead_is_word(repair_lookahead_at(reader->view, at)))
		at++;
	return at;
}

/* Text without its opening quote, or without any. */
static bool read_bare(struct value_reader *reader, size_t end)
{
	struct repair_view *view = reader->view;
	struct repair_text text = {.from = view->at,
		.to = end,
		.next = end,
		.quote = '"',
		.place = place_of(reader)};
	size_t at = repair_lookahead_past(view, end);
	uint8_t byte = repair_lookahead_at(view, at);

	count_fix(reader, REPAIR_QUOTES);
	if (byte != ',' && byte != '}' && byte != ']' &&
		text.place != REPAIR_ITEM)
		return read_text(reader, &text);
	repair_text_add(reader->out, view, &text, &reader->value->fixes,
		reader->value->base);
	view->at = end;
	return true;
}

static bool read_word(struct value_reader *reader)
{
	struct repair_view *view = reader->view;
	size_t end = word_end(reader);
	enum repair_fix fix;
	uint8_t next =
		repair_lookahead_at(view, repair_lookahead_past(view, end));
	bool item = place_of(reader) == REPAIR_ITEM;
	bool alone = item || next == ',' || next == '}' || next == ']' ||
		     next == '"' || next == '{';

	if (alone && repair_literal_add(reader->out,
			     (const char *)view->bytes + view->at,
			     end - view->at, &fix)) {
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
	return read_bare(reader, end);
}

/* Records an event's member; its value was written at `at`. */
static void record_member(struct value_reader *reader, size_t at)
{
	struct repair_event *event = &reader->value->event;
	const char *text = (const char *)reader->out->bytes + at;
	size_t size = reader->out->used - at;
	bool digits =
		!reader->out->failed && size > 0 &&
		(text[0] != '"' || repair_literal_is_time(text + 1, size - 2));

	if (reader->out->failed || reader->member == REPAIR_OTHER)
		return;
	if (reader->member == REPAIR_PHASE && size == 3 && text[0] == '"')
		event->phase = text[1];
	if (reader->member == REPAIR_TIME)
		event->has_time = digits;
	if (reader->member == REPAIR_DUR)
		event->has_dur = digits;
	if (reader->member != REPAIR_PHASE && digits)
		times_add(&reader->times, reader->member, at, size);
	reader->member = REPAIR_OTHER;
}

static void on_value(struct value_reader *reader, uint8_t byte)
{
	struct repair_text text = {.from = reader->view->at + 1,
		.quote = byte,
		.place = place_of(reader)};
	size_t at = reader->out->used;
	bool done;

	if (byte == ':' || (byte == ',' && in_array(reader))) {
		drop_byte(reader, byte == ':' ? REPAIR_MEMBERS : REPAIR_COMMAS);
		return;
	}
	if (in_array(reader) &&
		repair_lookahead_is_key(reader->view, reader->view->at)) {
		end_array(reader);
		return;
	}
	if (byte == '{' || byte == '[') {
		reader->member = REPAIR_OTHER;
		open_bracket(reader, byte == '[');
		return;
	}
	if (byte == ',' || byte == '}' || byte == ']') {
		if (!in_array(reader)) {
			count_fix(reader, REPAIR_MEMBERS);
			buffer_add_text(reader->out, "null");
			after_value(reader);
		} else {
			read_closing(reader, byte == ']');
		}
		return;
	}
	reader->is_loose = false;
	done = byte == '"' || byte == '\'' ? read_text(reader, &text)
					   : read_word(reader);
	if (done) {
		record_member(reader, at);
		after_value(reader);
	}
}

/* Reads the colon after a key. */
static void read_colon(struct value_reader *reader, size_t key_at)
{
	const uint8_t *key = reader->out->bytes + key_at + 1;
	uint8_t byte;

	if (!reader->out->failed && reader->depth == 1) {
		size_t size = reader->out->used - key_at - 2;

		reader->member = repair_validate_member(key - 1);
		reader->seen |= chrome_facts_event_key(key, size);
	}
	byte = skip_blanks(reader);
	if (byte == ':')
		reader->view->at++;
	else
		count_fix(reader, REPAIR_MEMBERS);
	buffer_add_byte(reader->out, ':');
	reader->comma = NO_COMMA;
	reader->state = STATE_VALUE;
}

/* A key without its closing quote, or without any: ends at its colon. */
static bool find_bare_key(struct value_reader *reader, struct repair_text *text)
{
	struct repair_view *view = reader->view;
	size_t at = text->from;
	uint8_t byte = repair_lookahead_at(view, at);

	while (byte == ' ' || repair_lookahead_is_word(byte))
		byte = repair_lookahead_at(view, ++at);
	text->to = at;
	text->next = byte == '"' && text->quote == 0 ? at + 1 : at;
	at = repair_lookahead_past(view, text->next);
	return at > text->from && repair_lookahead_at(view, at) == ':';
}

/* A quoted key, if a colon follows; otherwise the best guess. */
static bool find_key(struct value_reader *reader, struct repair_text *text)
{
	struct repair_text bare = *text;
	bool found = text->quote != 0 && repair_text_find(reader->view, text) &&
		     !text->is_open;
	size_t at = found ? repair_lookahead_past(reader->view, text->next) : 0;

	if (found && repair_lookahead_at(reader->view, at) == ':')
		return true;
	if (!find_bare_key(reader, &bare))
		return found;
	count_fix(reader, REPAIR_QUOTES);
	*text = bare;
	return true;
}

static bool is_bare_key(struct value_reader *reader)
{
	struct repair_text text = {.from = reader->view->at};

	return find_bare_key(reader, &text);
}

static void drop_word(struct value_reader *reader)
{
	size_t end = word_end(reader);

	count_fix(reader, REPAIR_GARBAGE);
	reader->view->at = end;
}

static void read_key(struct value_reader *reader, uint8_t byte)
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
	repair_text_add(reader->out, reader->view, &text, &reader->value->fixes,
		reader->value->base);
	reader->view->at = text.next;
	read_colon(reader, at);
}

static void on_key(struct value_reader *reader, uint8_t byte)
{
	struct repair_view *view = reader->view;

	if (byte == '}' || byte == ']')
		read_closing(reader, byte == ']');
	else if (byte == ',')
		drop_byte(reader, REPAIR_COMMAS);
	else if ((byte == '{' && repair_lookahead_is_event(view, view->at)) ||
		 (reader->value->outer == REPAIR_IN_EVENTS &&
			 repair_lookahead_is_document_key(view, view->at)))
		end_early(reader);
	else if (byte == '\'' && !repair_lookahead_is_word(repair_lookahead_at(
					 view, view->at + 1)))
		drop_byte(reader, REPAIR_QUOTES);
	else if (byte == '{' || byte == '[' || byte == ':')
		drop_byte(reader, REPAIR_GARBAGE);
	else if (byte == '"' || byte == '\'' || is_bare_key(reader))
		read_key(reader, byte);
	else
		drop_word(reader);
}

/* Adds a missing comma. */
static void add_comma(struct value_reader *reader)
{
	count_fix(reader, REPAIR_COMMAS);
	reader->comma = reader->out->used;
	reader->comma_at = reader->view->at;
	buffer_add_byte(reader->out, ',');
	reader->state = in_array(reader) ? STATE_VALUE : STATE_KEY;
}

static void on_after(struct value_reader *reader, uint8_t byte)
{
	struct repair_view *view = reader->view;

	if (byte == ',') {
		reader->comma = reader->out->used;
		reader->comma_at = view->at;
		buffer_add_byte(reader->out, ',');
		view->at++;
		reader->state = in_array(reader) ? STATE_VALUE : STATE_KEY;
	} else if (byte == '}' || byte == ']') {
		read_closing(reader, byte == ']');
	} else if (byte == '{' && repair_lookahead_is_event(view, view->at)) {
		end_early(reader);
	} else if (byte == ':' ||
		   (!in_array(reader) && (byte == '{' || byte == '['))) {
		drop_byte(reader, REPAIR_GARBAGE);
	} else if (!in_array(reader) && byte == '"' &&
		   !repair_lookahead_is_key(view, view->at)) {
		drop_byte(reader, REPAIR_QUOTES);
	} else if (!in_array(reader) && repair_lookahead_is_word(byte)) {
		if (is_bare_key(reader))
			add_comma(reader);
		else
			drop_word(reader);
	} else {
		add_comma(reader);
	}
}

static enum repair_outcome run(struct value_reader *reader)
{
	while (reader->state < STATE_DONE) {
		uint8_t byte = skip_blanks(reader);

		if (reader->view->at >= reader->view->end)
			reader->state = STATE_HALF;
		else if (reader->state == STATE_FIRST && byte == ',')
			drop_byte(reader, REPAIR_COMMAS);
		else if (reader->state == STATE_FIRST &&
			 byte == (in_array(reader) ? ']' : '}'))
			read_closing(reader, byte == ']');
		else if (reader->state == STATE_VALUE ||
			 (reader->state == STATE_FIRST && in_array(reader)))
			on_value(reader, byte);
		else if (reader->state == STATE_AFTER)
			on_after(reader, byte);
		else
			on_key(reader, byte);
	}
	if (reader->state == STATE_HALF)
		return REPAIR_WRONG;
	if (reader->value->outer == REPAIR_IN_EVENTS &&
		reader->value->event.phase != 0)
		times_finish(&reader->times, reader->value,
			reader->value->base + reader->view->at);
	return REPAIR_DONE;
}

enum repair_outcome repair_value_read(
	struct repair_view *view, struct repair_value *value)
{
	struct value_reader reader = {.view = view,
		.value = value,
		.out = value->out,
		.state = STATE_VALUE,
		.comma = NO_COMMA};

	return run(&reader);
}

enum repair_outcome repair_value_rest(
	struct repair_view *view, struct repair_value *value)
{
	struct value_reader reader = {.view = view,
		.value = value,
		.out = value->out,
		.state = STATE_FIRST,
		.comma = NO_COMMA,
		.depth = 1};

	count_fix(&reader, REPAIR_BRACKETS);
	buffer_add_byte(value->out, '{');
	return run(&reader);
}

enum repair_outcome repair_value_key(
	struct repair_view *view, struct repair_value *value)
{
	struct value_reader reader = {.view = view,
		.value = value,
		.out = value->out,
		.state = STATE_KEY,
		.comma = NO_COMMA,
		.depth = 1};

	read_key(&reader, repair_lookahead_at(view, view->at));
	return reader.state == STATE_VALUE ? REPAIR_DONE : REPAIR_WRONG;
}
