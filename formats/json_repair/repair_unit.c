/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "json_repair/repair_private.h"
#include "json_repair/repair_text.h"
#include "json_repair/repair_word.h"

/* What may be looked at for nothing: so much, and as often as the input is
 * long. Then it is little each time. */
#define SPEND_BYTES ((uint64_t)16 << 20)
#define SPEND_TIMES 8
#define SPEND_BYTES_MIN ((size_t)4 << 10)

/* Times from here on, in microseconds, are no small distance from zero: more
 * than a day. It is so many digits. */
#define FAR_DIGITS 12

struct repair_view repair_look(const struct repair *repair, size_t at)
{
	return (struct repair_view){.bytes = repair->window.bytes,
		.at = at,
		.end = repair->window.used};
}

bool repair_is_unsure(
	const struct repair *repair, const struct repair_view *view)
{
	return view->hit_end && view->end == repair->window.used &&
	       !repair->window.at_eof && !repair->is_full;
}

struct repair_view repair_mend_view(const struct repair *repair, size_t at)
{
	struct repair_view view = repair_look(repair, at);
	uint64_t budget =
		SPEND_BYTES + SPEND_TIMES * (repair->window.base + at);
	size_t most = SPEND_BYTES_MIN;

	if (budget > repair->spent + most)
		most = (size_t)(budget - repair->spent);
	if (view.end - at > most)
		view.end = at + most;
	return view;
}

enum repair_outcome repair_mend(struct repair *repair, struct repair_view *view,
	struct repair_value *value, bool rest)
{
	size_t from = view->at;
	enum repair_outcome outcome;

	value->out = &repair->made;
	value->base = repair->window.base;
	value->last_time =
		repair->last_time[0] == '\0' ? NULL : repair->last_time;
	outcome = rest ? repair_value_rest(view, value)
		       : repair_value_read(view, value);
	if (outcome != REPAIR_DONE)
		repair->spent += view->at - from;
	return outcome;
}

static struct repair_gap read_gap(const struct repair *repair)
{
	struct repair_gap gap = {.at = repair->at};
	bool wanted = repair->levels[repair->depth - 1].has_item;

	for (;; gap.at++) {
		uint8_t byte = repair_byte(repair, gap.at);

		if (byte == ',') {
			if (gap.commas++ == 0)
				gap.comma = gap.at;
		} else if (!repair_strict_is_blank(byte)) {
			break;
		}
	}
	gap.is_regular = gap.commas == (wanted ? 1 : 0);
	return gap;
}

void repair_add_gap(
	struct repair *repair, const struct repair_gap *gap, bool before_end)
{
	bool wanted = !before_end && repair_level(repair)->has_item;

	if (gap->commas != (wanted ? 1 : 0) && !repair->was_searching)
		repair_count(repair, REPAIR_COMMAS,
			gap->commas > 0 ? gap->comma : gap->at);
	if (wanted && gap->commas == 0)
		buffer_add_byte(&repair->made, ',');
	for (size_t at = repair->at; at < gap->at; at++)
		if (repair_byte(repair, at) != ',' ||
			(wanted && at == gap->comma))
			buffer_add_byte(&repair->made, repair_byte(repair, at));
}

/* All up to there is as it should be. */
static void accept(struct repair *repair, size_t to)
{
	struct repair_level *level = repair_level(repair);

	if (level->muted)
		repair_leave_out(repair, to);
	repair->at = to;
	repair->was_searching = false;
	level->has_item = true;
}

/* It is what was made of it. */
static void accept_made(struct repair *repair, size_t to)
{
	repair_leave_out(repair, to);
	if (!repair_level(repair)->muted)
		repair_out_add(
			&repair->out, repair->made.bytes, repair->made.used);
	repair->was_searching = false;
	repair_level(repair)->has_item = true;
}

/* Counts an event that is written, and remembers when it was. */
static void note_event(struct repair *repair, const struct repair_event *event,
	const uint8_t *bytes)
{
	const uint8_t *time = bytes + event->time_at;

	if (event->phase == 0 || repair_level(repair)->muted)
		return;
	repair->result->events++;
	if (event->phase != 'X')
		return;
	repair->result->slices += event->has_time && event->has_dur;
	if (event->time_size < FAR_DIGITS ||
		event->time_size >= REPAIR_TIME_BYTES)
		return;
	for (size_t i = 0; i < event->time_size; i++)
		if ((uint8_t)(time[i] - '0') > 9 &&
			(i < FAR_DIGITS || time[i] != '.'))
			return;
	memcpy(repair->last_time, time, event->time_size);
	repair->last_time[event->time_size] = '\0';
}

/* May this stand as it is? */
static bool is_right(
	const struct repair *repair, const struct repair_event *event)
{
	return event->phase == 0 ||
	       (!event->text_time &&
		       (repair->last_time[0] == '\0' ||
			       !repair_strict_is_timeless(event)));
}

void repair_begin_search(struct repair *repair, size_t at)
{
	repair_count(repair, REPAIR_DROPPED, at);
	repair_leave_out(repair, at + 1);
	repair->is_searching = true;
}

static void add_before(
	struct repair *repair, const struct repair_before *before)
{
	if (before->is_made)
		return;
	if (!before->gap->is_regular) {
		repair_add_gap(repair, before->gap, false);
		buffer_add(&repair->made,
			repair->window.bytes + before->gap->at,
			before->at - before->gap->at);
	} else {
		buffer_add(&repair->made, repair->window.bytes + repair->at,
			before->at - repair->at);
	}
}

/* A value that is wrong as it stands; with `rest`, its first bracket is
 * missing. */
static enum repair_step mend_value(
	struct repair *repair, const struct repair_before *before, bool rest)
{
	struct repair_view view = repair_mend_view(repair, before->at);
	struct repair_value value = {.outer = before->is_object
						      ? REPAIR_IN_OBJECT
						      : REPAIR_IN_EVENTS};
	struct repair_fixes fixes = repair->result->fixes;
	enum repair_outcome outcome;

	add_before(repair, before);
	outcome = repair_mend(repair, &view, &value, rest);
	if (repair_is_unsure(repair, &view)) {
		repair->result->fixes = fixes;
		return REPAIR_NEED;
	}
	if (outcome != REPAIR_DONE) {
		repair_begin_search(repair, before->at);
		return REPAIR_AGAIN;
	}
	repair_fix_merge(&repair->result->fixes, &value.fixes);
	if (!before->is_object && !repair->made.failed)
		note_event(repair, &value.event, repair->made.bytes);
	accept_made(repair, view.at);
	return REPAIR_AGAIN;
}

enum repair_step repair_descend(struct repair *repair,
	const struct repair_before *before, struct repair_level level)
{
	add_before(repair, before);
	buffer_add_byte(&repair->made, level.array ? '[' : '{');
	level.muted = repair_level(repair)->muted;
	level.hidden = level.muted;
	accept_made(repair, before->at + 1);
	repair_push(repair, level);
	return REPAIR_AGAIN;
}

enum repair_step repair_take_value(
	struct repair *repair, const struct repair_before *before)
{
	size_t end = before->at;
	uint8_t byte = repair_byte(repair, end);
	struct repair_event event = {0};
	enum repair_outcome outcome = repair_strict_value(
		repair->window.bytes, &end, repair->window.used, &event);

	if (outcome == REPAIR_MORE && repair->window.at_eof) {
		repair->is_half = true;
		repair->half = before->at;
		return REPAIR_NEED;
	}
	if (outcome == REPAIR_MORE && !repair->is_full)
		return REPAIR_NEED;
	if (outcome == REPAIR_MORE && (byte == '{' || byte == '[') &&
		repair->depth < REPAIR_DEPTH_MAX)
		return repair_descend(repair, before,
			(struct repair_level){.array = byte == '['});
	if (before->is_object)
		event.phase = 0;
	if (outcome == REPAIR_DONE && byte == '{' && !before->is_object) {
		struct repair_view view = repair_look(repair, end - 1);

		if (repair_look_goes_on(&view, view.at, 0, false))
			outcome = REPAIR_WRONG;
		if (repair_is_unsure(repair, &view))
			return REPAIR_NEED;
	}
	if (outcome != REPAIR_DONE || !is_right(repair, &event))
		return mend_value(repair, before, false);
	note_event(repair, &event, repair->window.bytes);
	if (before->gap->is_regular && !before->is_made) {
		accept(repair, end);
		return REPAIR_AGAIN;
	}
	add_before(repair, before);
	buffer_add(&repair->made, repair->window.bytes + before->at,
		end - before->at);
	accept_made(repair, end);
	return REPAIR_AGAIN;
}

/* A bracket that closes. */
static enum repair_step take_end(
	struct repair *repair, const struct repair_gap *gap)
{
	bool array = repair_byte(repair, gap->at) == ']';
	bool hidden = repair_level(repair)->hidden;

	if (array != repair_level(repair)->array) {
		repair_count(repair, REPAIR_BRACKETS, gap->at);
		repair_leave_out(repair, gap->at + 1);
		return REPAIR_AGAIN;
	}
	if (gap->commas > 0 || hidden) {
		if (!hidden)
			repair_add_gap(repair, gap, true);
		repair_flush(repair, repair->at);
		repair_pop(repair);
		repair_out_add(
			&repair->out, repair->made.bytes, repair->made.used);
		repair_leave_out(repair, gap->at);
		if (hidden)
			repair_leave_out(repair, gap->at + 1);
		else
			repair->at++;
	} else {
		repair_pop(repair);
		repair->at = gap->at + 1;
	}
	repair->was_searching = false;
	return REPAIR_AGAIN;
}

/* An array among events; none, if it is full of them. */
static enum repair_step take_array(
	struct repair *repair, const struct repair_before *before)
{
	struct repair_view view = repair_look(repair, before->at + 1);
	bool stray;

	while (repair_strict_is_blank(repair_byte(repair, view.at)) ||
		repair_byte(repair, view.at) == ',')
		view.at++;
	stray = repair_begins_event(&view);
	if (repair_is_unsure(repair, &view))
		return REPAIR_NEED;
	if (!stray)
		return repair_take_value(repair, before);
	repair_count(repair, REPAIR_BRACKETS, before->at);
	repair_leave_out(repair, before->at + 1);
	repair->was_searching = true;
	return REPAIR_AGAIN;
}

/* Is it a number or a word, by itself, that JSON has in another way? */
static bool is_word(struct repair *repair, struct repair_view *view)
{
	struct buffer out = BUFFER_INIT;
	size_t at = view->at;
	enum repair_fix fix;
	uint8_t next;
	bool is;

	if (repair_level(repair)->is_events)
		return false;
	while (repair_look_is_word(repair_look_at(view, at)))
		at++;
	next = repair_look_at(view, repair_look_past(view, at));
	is = (next == ',' || next == ']') &&
	     repair_word_add(&out, (const char *)view->bytes + view->at,
		     at - view->at, &fix);
	buffer_clear(&out);
	return is;
}

/* Is it a text, by itself, in which something is wrong? */
static bool is_text(struct repair *repair, struct repair_view *view)
{
	struct repair_text text = {.from = view->at + 1,
		.quote = repair_byte(repair, view->at),
		.place = REPAIR_ITEM};

	if (repair_level(repair)->is_events ||
		(text.quote != '"' && text.quote != '\''))
		return false;
	if (repair_text_find(view, &text))
		return !text.is_open;
	if (!repair_is_unsure(repair, view))
		repair->spent += view->end - view->at;
	return false;
}

/* The first byte of an item that is no object. */
static enum repair_step take_item(
	struct repair *repair, const struct repair_before *before)
{
	struct repair_view view = repair_look(repair, before->at);
	size_t end = before->at;
	bool in_object = repair->depth > 1 && !repair->levels[0].array;
	enum repair_outcome outcome;

	if (repair_look_is_key(&view, before->at) &&
		!repair_is_unsure(repair, &view)) {
		if (repair_look_is_event_key(&view, before->at))
			return mend_value(repair, before, true);
		if (in_object) {
			repair_close_levels(repair, 1);
			return REPAIR_AGAIN;
		}
	}
	if (repair_is_unsure(repair, &view))
		return REPAIR_NEED;
	outcome = repair_strict_value(
		view.bytes, &end, repair->window.used, NULL);
	view.at = repair_look_skip(&view, end);
	if (outcome == REPAIR_MORE ||
		(outcome == REPAIR_DONE &&
			memchr(",]", repair_look_at(&view, view.at), 2)))
		return repair_take_value(repair, before);
	view.at = before->at;
	if (is_word(repair, &view) && !repair_is_unsure(repair, &view))
		return mend_value(repair, before, false);
	if (repair_is_unsure(repair, &view))
		return REPAIR_NEED;
	view = repair_mend_view(repair, before->at);
	if (is_text(repair, &view) && !repair_is_unsure(repair, &view))
		return mend_value(repair, before, false);
	if (repair_is_unsure(repair, &view))
		return REPAIR_NEED;
	repair_count(repair, REPAIR_GARBAGE, before->at);
	end = before->at + 1;
	while (end < repair->window.used &&
		memchr("{},[]\"", repair_byte(repair, end), 6) == NULL)
		end++;
	repair_leave_out(repair, end);
	repair->was_searching = true;
	return REPAIR_AGAIN;
}

enum repair_step repair_unit(struct repair *repair)
{
	struct repair_gap gap = read_gap(repair);
	struct repair_before before = {.gap = &gap, .at = gap.at};
	uint8_t byte = repair_byte(repair, gap.at);

	repair->made.used = 0;
	if (gap.at >= repair->window.used)
		return REPAIR_NEED;
	if (byte == '}' || byte == ']')
		return take_end(repair, &gap);
	if (!repair_level(repair)->array)
		return repair_member(repair, &gap);
	if (byte == '[' && repair_level(repair)->is_events)
		return take_array(repair, &before);
	if (byte == '{' || byte == '[')
		return repair_take_value(repair, &before);
	return take_item(repair, &before);
}
