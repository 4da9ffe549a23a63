/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_record.h"

#include <string.h>

#include "chrome/chrome_facts.h"
#include "json_repair/repair_literal.h"

/* Limit of bytes examined in vain: a constant plus a multiple of the input's
 * size. Beyond it, each attempt examines little. */
#define SPEND_BYTES ((uint64_t)16 << 20)
#define SPEND_TIMES 8
#define SPEND_BYTES_MIN ((size_t)4 << 10)

/* Microsecond times with this many digits are far from zero: more than a
 * day. */
#define FAR_DIGITS 12

/* The blanks and commas between units. */
struct gap {
	size_t at; /* where it ends */
	size_t comma;
	unsigned commas;
	bool is_regular;
};

/* The gap before a value, and perhaps a key. */
struct prefix {
	const struct gap *gap;
	size_t at;    /* start of the value */
	bool is_made; /* it is in repair->made */
	bool is_object;
};

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

/* Closes a level; the caller writes its bracket. */
static void pop(struct repair *repair)
{
	struct repair_level level = *repair_level(repair);

	repair->depth--;
	if (level.hidden) {
		if (level.is_events)
			repair->had_events = level.has_item;
		repair_flush(repair, repair->at);
		repair->out.mode =
			repair->is_closed ? REPAIR_MUTED : REPAIR_TAIL;
		/* Commas of unwritten text do not matter. */
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

		pop(repair);
		if (level.hidden)
			continue;
		repair_count(repair, REPAIR_BRACKETS, repair->at);
		repair_out_add(&repair->out, level.array ? "]" : "}", 1);
	}
}

/* Begins an array of events in an object that lacks one, or has closed it. */
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

struct repair_view repair_view_from(const struct repair *repair, size_t at)
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

struct repair_view repair_rewrite_view(const struct repair *repair, size_t at)
{
	struct repair_view view = repair_view_from(repair, at);
	uint64_t budget =
		SPEND_BYTES + SPEND_TIMES * (repair->window.base + at);
	size_t most = SPEND_BYTES_MIN;

	if (budget > repair->spent + most)
		most = (size_t)(budget - repair->spent);
	if (view.end - at > most)
		view.end = at + most;
	return view;
}

enum repair_outcome repair_rewrite(struct repair *repair,
	struct repair_view *view, struct repair_value *value, bool rest)
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

static struct gap read_gap(const struct repair *repair)
{
	struct gap gap = {.at = repair->at};
	bool wanted = repair->levels[repair->depth - 1].has_item;

	for (;; gap.at++) {
		uint8_t byte = repair_byte(repair, gap.at);

		if (byte == ',') {
			if (gap.commas++ == 0)
				gap.comma = gap.at;
		} else if (!repair_validate_is_blank(byte)) {
			break;
		}
	}
	gap.is_regular = gap.commas == (wanted ? 1 : 0);
	return gap;
}

/* Writes the corrected gap into repair->made; no comma before an end. */
static void add_gap(
	struct repair *repair, const struct gap *gap, bool before_end)
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

/* Accepts the text up to `to` unchanged. */
static void accept(struct repair *repair, size_t to)
{
	struct repair_level *level = repair_level(repair);

	if (level->muted)
		repair_leave_out(repair, to);
	repair->at = to;
	repair->was_searching = false;
	level->has_item = true;
}

/* Replaces the text up to `to` by repair->made. */
static void accept_made(struct repair *repair, size_t to)
{
	repair_leave_out(repair, to);
	if (!repair_level(repair)->muted)
		repair_out_add(
			&repair->out, repair->made.bytes, repair->made.used);
	repair->was_searching = false;
	repair_level(repair)->has_item = true;
}

/* Counts an event that is written, and stores its time. */
static void record_event(struct repair *repair,
	const struct repair_event *event, const uint8_t *bytes)
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

/* Can the event stay unchanged? */
static bool is_valid(
	const struct repair *repair, const struct repair_event *event)
{
	return event->phase == 0 ||
	       (!event->text_time &&
		       (repair->last_time[0] == '\0' ||
			       !repair_validate_is_timeless(event)));
}

/* The text at `at` cannot be repaired: searches for the next event. */
static void begin_search(struct repair *repair, size_t at)
{
	repair_count(repair, REPAIR_DROPPED, at);
	repair_leave_out(repair, at + 1);
	repair->is_searching = true;
}

static void add_prefix(struct repair *repair, const struct prefix *prefix)
{
	if (prefix->is_made)
		return;
	if (!prefix->gap->is_regular) {
		add_gap(repair, prefix->gap, false);
		buffer_add(&repair->made,
			repair->window.bytes + prefix->gap->at,
			prefix->at - prefix->gap->at);
	} else {
		buffer_add(&repair->made, repair->window.bytes + repair->at,
			prefix->at - repair->at);
	}
}

/* Repairs an invalid value; with `rest`, its first bracket is missing. */
static enum repair_step rewrite_value(
	struct repair *repair, const struct prefix *prefix, bool rest)
{
	struct repair_view view = repair_rewrite_view(repair, prefix->at);
	struct repair_value value = {.outer = prefix->is_object
						      ? REPAIR_IN_OBJECT
						      : REPAIR_IN_EVENTS};
	struct repair_fixes fixes = repair->result->fixes;
	enum repair_outcome outcome;

	add_prefix(repair, prefix);
	outcome = repair_rewrite(repair, &view, &value, rest);
	if (repair_is_unsure(repair, &view)) {
		repair->result->fixes = fixes;
		return REPAIR_NEED;
	}
	if (outcome != REPAIR_DONE) {
		begin_search(repair, prefix->at);
		return REPAIR_AGAIN;
	}
	repair_fix_merge(&repair->result->fixes, &value.fixes);
	if (!prefix->is_object && !repair->made.failed)
		record_event(repair, &value.event, repair->made.bytes);
	accept_made(repair, view.at);
	return REPAIR_AGAIN;
}

/* Opens a bracket whose content is too large to examine, or whose members are
 * separate units. */
static enum repair_step descend(struct repair *repair,
	const struct prefix *prefix, struct repair_level level)
{
	add_prefix(repair, prefix);
	buffer_add_byte(&repair->made, level.array ? '[' : '{');
	level.muted = repair_level(repair)->muted;
	level.hidden = level.muted;
	accept_made(repair, prefix->at + 1);
	repair_push(repair, level);
	return REPAIR_AGAIN;
}

/* Handles an item or a member's value. */
static enum repair_step read_value(
	struct repair *repair, const struct prefix *prefix)
{
	size_t end = prefix->at;
	uint8_t byte = repair_byte(repair, end);
	struct repair_event event = {0};
	enum repair_outcome outcome = repair_validate_value(
		repair->window.bytes, &end, repair->window.used, &event);

	if (outcome == REPAIR_MORE && repair->window.at_eof) {
		repair->is_half = true;
		repair->half = prefix->at;
		return REPAIR_NEED;
	}
	if (outcome == REPAIR_MORE && !repair->is_full)
		return REPAIR_NEED;
	if (outcome == REPAIR_MORE && (byte == '{' || byte == '[') &&
		repair->depth < REPAIR_DEPTH_MAX)
		return descend(repair, prefix,
			(struct repair_level){.array = byte == '['});
	if (prefix->is_object)
		event.phase = 0;
	if (outcome == REPAIR_DONE && byte == '{' && !prefix->is_object) {
		struct repair_view view = repair_view_from(repair, end - 1);

		if (repair_lookahead_continues(&view, view.at, 0, false))
			outcome = REPAIR_WRONG;
		if (repair_is_unsure(repair, &view))
			return REPAIR_NEED;
	}
	if (outcome != REPAIR_DONE || !is_valid(repair, &event))
		return rewrite_value(repair, prefix, false);
	record_event(repair, &event, repair->window.bytes);
	if (prefix->gap->is_regular && !prefix->is_made) {
		accept(repair, end);
		return REPAIR_AGAIN;
	}
	add_prefix(repair, prefix);
	buffer_add(&repair->made, repair->window.bytes + prefix->at,
		end - prefix->at);
	accept_made(repair, end);
	return REPAIR_AGAIN;
}

/* The position after the key and colon at gap->at; 0 if they are invalid. */
static size_t key_end(struct repair *repair, struct repair_view *view)
{
	size_t at = view->at + 1;
	enum repair_outcome outcome = REPAIR_WRONG;

	if (repair_byte(repair, view->at) == '"')
		outcome = repair_validate_text(view->bytes, &at, view->end);
	if (outcome == REPAIR_MORE)
		view->hit_end = true;
	if (outcome != REPAIR_DONE)
		return 0;
	at = repair_lookahead_skip(view, at);
	return repair_lookahead_at(view, at) == ':' ? at + 1 : 0;
}

/* Is it a member of another JSON format, not a Chrome trace? */
static bool is_profile_key(const uint8_t *key, size_t size)
{
	/* From speedscope's and gprof2dot's files. */
	static const char *const keys[] = {
		"$schema", "shared", "profiles", "functions"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i]) == size && memcmp(keys[i], key, size) == 0)
			return true;
	return false;
}

static void record_document_key(
	struct repair *repair, const uint8_t *key, size_t size)
{
	bool is_trace = chrome_facts_is_document_key(key, size);

	repair->has_header |= is_trace;
	if (!repair_level(repair)->muted)
		repair->result->has_header |=
			is_trace || is_profile_key(key, size);
}

/* Records a key, given with its quotes; returns whether it is the events'
 * key. */
static bool record_key(struct repair *repair, const uint8_t *key, size_t size)
{
	static const char name[] = "\"traceEvents\"";
	const uint8_t *end = memchr(key + 1, '"', size - 1);

	if (repair->depth == 1 && end != NULL)
		record_document_key(repair, key + 1, (size_t)(end - key) - 1);
	return size >= sizeof(name) - 1 &&
	       memcmp(key, name, sizeof(name) - 1) == 0;
}

/* A member whose value begins here; `is_events`: it is the array of events. */
static enum repair_step read_member_value(
	struct repair *repair, struct prefix *prefix, bool is_events)
{
	uint8_t byte = repair_byte(repair, prefix->at);
	struct repair_view view = repair_view_from(repair, prefix->at);
	bool open = repair->depth == 1 && (byte == '[' || byte == '{');

	if (prefix->at >= repair->window.used) {
		repair->is_half = repair->window.at_eof;
		repair->half = prefix->gap->at;
		return REPAIR_NEED;
	}
	if (is_events && byte == '[' && repair_level(repair)->muted) {
		repair_enter_events(repair);
		repair_leave_out(repair, prefix->at + 1);
		return REPAIR_AGAIN;
	}
	if (is_events && byte == '{' && repair->depth == 1 &&
		!repair_level(repair)->muted &&
		repair_lookahead_is_event(&view, prefix->at)) {
		repair_count(repair, REPAIR_BRACKETS, prefix->at);
		(void)descend(repair, prefix,
			(struct repair_level){
				.array = true, .is_events = true});
		repair->at = prefix->at;
		repair->copied = prefix->at;
		return REPAIR_AGAIN;
	}
	if (open)
		return descend(repair, prefix,
			(struct repair_level){.array = byte == '[',
				.is_events = is_events && byte == '['});
	return read_value(repair, prefix);
}

/* Drops text that is neither a key nor an end. */
static enum repair_step leave_out_unexpected(
	struct repair *repair, struct repair_view *view)
{
	size_t end = view->at + 1;

	if (repair_lookahead_is_event(view, view->at)) {
		if (repair_is_unsure(repair, view))
			return REPAIR_NEED;
		repair_leave_out(repair, view->at);
		repair->was_searching = true;
		repair_enter_events(repair);
		return REPAIR_AGAIN;
	}
	if (repair_is_unsure(repair, view))
		return REPAIR_NEED;
	while (end < view->end && (repair_lookahead_is_word(view->bytes[end]) ||
					  view->bytes[end] == 0))
		end++;
	repair_count(repair, REPAIR_GARBAGE, view->at);
	repair_leave_out(repair, end);
	repair->was_searching = true;
	return REPAIR_AGAIN;
}

/* Repairs a member with an invalid key. */
static enum repair_step rewrite_member(
	struct repair *repair, struct repair_view *view, const struct gap *gap)
{
	struct repair_value key = {.outer = REPAIR_IN_OBJECT,
		.base = repair->window.base,
		.out = &repair->made};
	struct prefix prefix = {.gap = gap, .is_object = true, .is_made = true};
	struct repair_fixes fixes = repair->result->fixes;
	enum repair_outcome outcome;
	enum repair_step step = REPAIR_NEED;
	size_t from;

	add_gap(repair, gap, false);
	from = repair->made.used;
	outcome = repair_value_key(view, &key);
	if (outcome != REPAIR_DONE && !repair_is_unsure(repair, view)) {
		begin_search(repair, gap->at);
		return REPAIR_AGAIN;
	}
	if (outcome == REPAIR_DONE && !repair_is_unsure(repair, view) &&
		!repair->made.failed) {
		repair_fix_merge(&repair->result->fixes, &key.fixes);
		prefix.at = repair_lookahead_skip(view, view->at);
		step = read_member_value(repair, &prefix,
			record_key(repair, repair->made.bytes + from,
				repair->made.used - from));
	}
	if (step == REPAIR_NEED)
		repair->result->fixes = fixes;
	return step;
}

/* A valid key; the text after its colon is invalid. */
static enum repair_step rewrite_colon(struct repair *repair,
	struct repair_view *view, const struct gap *gap, size_t end)
{
	struct prefix prefix = {.gap = gap, .is_object = true, .is_made = true};
	struct repair_fixes fixes = repair->result->fixes;
	enum repair_step step;

	add_gap(repair, gap, false);
	repair_count(repair, REPAIR_GARBAGE, end);
	buffer_add(&repair->made, view->bytes + gap->at, end - gap->at);
	prefix.at = repair_lookahead_past(view, end);
	step = read_member_value(repair, &prefix,
		record_key(repair, view->bytes + gap->at, end - gap->at));
	if (step == REPAIR_NEED)
		repair->result->fixes = fixes;
	return step;
}

/* A member of the innermost open object, after the gap. */
static enum repair_step read_member(
	struct repair *repair, const struct gap *gap)
{
	struct repair_view view = repair_rewrite_view(repair, gap->at);
	struct prefix prefix = {.gap = gap, .is_object = true};
	uint8_t byte = repair_byte(repair, gap->at);
	size_t end = key_end(repair, &view);

	if (end != 0) {
		prefix.at = repair_lookahead_skip(&view, end);
		if (repair_lookahead_past(&view, prefix.at) != prefix.at)
			return rewrite_colon(repair, &view, gap, end);
		return read_member_value(repair, &prefix,
			record_key(
				repair, view.bytes + gap->at, end - gap->at));
	}
	if (view.hit_end && view.end == repair->window.used &&
		!repair->is_full) {
		repair->is_half = repair->window.at_eof;
		repair->half = gap->at;
		return REPAIR_NEED;
	}
	if (byte != '"' && byte != '\'' && !repair_lookahead_is_word(byte))
		return leave_out_unexpected(repair, &view);
	return rewrite_member(repair, &view, gap);
}

/* A closing bracket. */
static enum repair_step read_end(struct repair *repair, const struct gap *gap)
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
			add_gap(repair, gap, true);
		repair_flush(repair, repair->at);
		pop(repair);
		repair_out_add(
			&repair->out, repair->made.bytes, repair->made.used);
		repair_leave_out(repair, gap->at);
		if (hidden)
			repair_leave_out(repair, gap->at + 1);
		else
			repair->at++;
	} else {
		pop(repair);
		repair->at = gap->at + 1;
	}
	repair->was_searching = false;
	return REPAIR_AGAIN;
}

/* An array among events; its bracket is dropped if it contains events. */
static enum repair_step read_array(
	struct repair *repair, const struct prefix *prefix)
{
	struct repair_view view = repair_view_from(repair, prefix->at + 1);
	bool stray;

	while (repair_validate_is_blank(repair_byte(repair, view.at)) ||
		repair_byte(repair, view.at) == ',')
		view.at++;
	stray = repair_begins_event(&view);
	if (repair_is_unsure(repair, &view))
		return REPAIR_NEED;
	if (!stray)
		return read_value(repair, prefix);
	repair_count(repair, REPAIR_BRACKETS, prefix->at);
	repair_leave_out(repair, prefix->at + 1);
	repair->was_searching = true;
	return REPAIR_AGAIN;
}

/* Is it a single number or word that JSON spells differently? */
static bool is_word(struct repair *repair, struct repair_view *view)
{
	struct buffer out = BUFFER_INIT;
	size_t at = view->at;
	enum repair_fix fix;
	uint8_t next;
	bool is;

	if (repair_level(repair)->is_events)
		return false;
	while (repair_lookahead_is_word(repair_lookahead_at(view, at)))
		at++;
	next = repair_lookahead_at(view, repair_lookahead_past(view, at));
	is = (next == ',' || next == ']') &&
	     repair_literal_add(&out, (const char *)view->bytes + view->at,
		     at - view->at, &fix);
	buffer_clear(&out);
	return is;
}

/* Is it a single damaged text? */
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

/* The first byte of an item that is not an object. */
static enum repair_step read_item(
	struct repair *repair, const struct prefix *prefix)
{
	struct repair_view view = repair_view_from(repair, prefix->at);
	size_t end = prefix->at;
	bool in_object = repair->depth > 1 && !repair->levels[0].array;
	enum repair_outcome outcome;

	if (repair_lookahead_is_key(&view, prefix->at) &&
		!repair_is_unsure(repair, &view)) {
		if (repair_lookahead_is_event_key(&view, prefix->at))
			return rewrite_value(repair, prefix, true);
		if (in_object) {
			repair_close_levels(repair, 1);
			return REPAIR_AGAIN;
		}
	}
	if (repair_is_unsure(repair, &view))
		return REPAIR_NEED;
	outcome = repair_validate_value(
		view.bytes, &end, repair->window.used, NULL);
	view.at = repair_lookahead_skip(&view, end);
	if (outcome == REPAIR_MORE ||
		(outcome == REPAIR_DONE &&
			memchr(",]", repair_lookahead_at(&view, view.at), 2)))
		return read_value(repair, prefix);
	view.at = prefix->at;
	if (is_word(repair, &view) && !repair_is_unsure(repair, &view))
		return rewrite_value(repair, prefix, false);
	if (repair_is_unsure(repair, &view))
		return REPAIR_NEED;
	view = repair_rewrite_view(repair, prefix->at);
	if (is_text(repair, &view) && !repair_is_unsure(repair, &view))
		return rewrite_value(repair, prefix, false);
	if (repair_is_unsure(repair, &view))
		return REPAIR_NEED;
	repair_count(repair, REPAIR_GARBAGE, prefix->at);
	end = prefix->at + 1;
	while (end < repair->window.used &&
		memchr("{},[]\"", repair_byte(repair, end), 6) == NULL)
		end++;
	repair_leave_out(repair, end);
	repair->was_searching = true;
	return REPAIR_AGAIN;
}

enum repair_step repair_record(struct repair *repair)
{
	struct gap gap = read_gap(repair);
	struct prefix prefix = {.gap = &gap, .at = gap.at};
	uint8_t byte = repair_byte(repair, gap.at);

	repair->made.used = 0;
	if (gap.at >= repair->window.used)
		return REPAIR_NEED;
	if (byte == '}' || byte == ']')
		return read_end(repair, &gap);
	if (!repair_level(repair)->array)
		return read_member(repair, &gap);
	if (byte == '[' && repair_level(repair)->is_events)
		return read_array(repair, &prefix);
	if (byte == '{' || byte == '[')
		return read_value(repair, &prefix);
	return read_item(repair, &prefix);
}
