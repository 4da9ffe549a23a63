/* SPDX-License-Identifier: MIT */
/*
 * The open brackets of the document and its members are levels. Their contents,
 * above all events, are units: a unit is valid and stays, or is rewritten, or is
 * left out. Each step decides about the next unit without a change, since the
 * decision may need more input, and then acts.
 */
#include "json_repair/repair.h"

#include <string.h>

#include "chrome/chrome_facts.h"
#include "json/json_scan.h"
#include "json_repair/repair_value.h"

/* Most input that may be examined for one decision. */
#define WINDOW_BYTES_MAX ((size_t)16 << 20)

/* A longer tail is written at once: VizTracer puts whole source files there. */
#define TAIL_BYTES_MAX ((size_t)1 << 20)

/* Limit of bytes examined in vain: a constant plus a multiple of the input's
 * size. Beyond it, each attempt examines little. */
#define SPEND_BYTES ((uint64_t)16 << 20)
#define SPEND_TIMES 8
#define SPEND_BYTES_MIN ((size_t)4 << 10)

/* Microsecond times with this many digits are far from zero: more than a
 * day. */
#define FAR_DIGITS 12
#define TIME_BYTES 40

enum out_mode {
	OUT_DIRECT,
	OUT_TAIL,  /* after the events, or everything */
	OUT_MUTED, /* nowhere */
};

struct level {
	bool array;
	bool is_events;
	bool hidden; /* its brackets and preceding commas are not written */
	bool muted;  /* nor its contents */
	bool has_item;
};

struct repair {
	struct json_window window; /* handled before its position */
	size_t copied;             /* written before this */
	FILE *out;
	enum out_mode mode;
	bool ends_events; /* the tail begins with the events' closing bracket */
	/* The text after the events is held until the end, so that events found
	 * later can join the others. */
	struct buffer tail;
	struct level levels[REPAIR_DEPTH_MAX + 2];
	uint32_t depth;
	bool has_document;
	bool has_events;
	bool has_header;    /* the document has a trace's member */
	bool is_closed;     /* the first document is closed */
	bool has_member;    /* the closed document has a member */
	bool had_events;    /* likewise for the events */
	bool is_searching;  /* for a complete event */
	bool was_searching; /* a missing comma is not an error */
	bool is_full;       /* the window has no more room */
	bool is_half;       /* the text at `half` is incomplete */
	size_t half;
	bool was_half;  /* its contents are being searched */
	uint64_t spent; /* bytes examined in vain */
	char last_time[TIME_BYTES];
	struct buffer made;        /* the text that replaces a unit, ... */
	struct repair_fixes fixes; /* ... and its repairs, ... */
	bool is_made;              /* ... if there are any */
	struct repair_result *result;
};

/* An item or member, after blanks and commas. */
struct unit {
	size_t at; /* after these */
	size_t comma;
	unsigned commas;
	bool is_regular;
	size_t value;
	bool is_member;
	bool is_made; /* the text before the value is in repair->made */
};

enum action {
	ACTION_NEED,     /* wait for more input */
	ACTION_HALF,     /* likewise: the text from `to` on is incomplete */
	ACTION_KEEP,     /* keep the text up to `to` */
	ACTION_REPLACE,  /* replace it by repair->made */
	ACTION_OPEN,     /* likewise, and open the level */
	ACTION_DOCUMENT, /* open the first level */
	ACTION_JOIN,   /* a further document, or its events: join the first's */
	ACTION_END,    /* the innermost level ends with the bracket at `to` */
	ACTION_CLOSE,  /* the document's levels end here */
	ACTION_DROP,   /* leave out the text up to `to` */
	ACTION_SKIP,   /* likewise, within a regular sequence */
	ACTION_SEARCH, /* likewise, and search for an event */
	ACTION_EVENTS, /* likewise: an event begins there */
};

struct plan {
	enum action action;
	size_t to;
	enum repair_fix fix; /* REPAIR_FIXES: none */
	size_t fix_at;
	struct level level;
	struct repair_event event;
};

static struct level *top(struct repair *repair)
{
	return &repair->levels[repair->depth - 1];
}

static uint8_t byte_at(const struct repair *repair, size_t at)
{
	return repair->window.bytes[at];
}

static void count(struct repair *repair, enum repair_fix fix, size_t at)
{
	repair_fix_add(&repair->result->fixes, fix, repair->window.base + at);
}

static void write_out(struct repair *repair, const void *bytes, size_t size)
{
	repair->result->out_bytes += fwrite(bytes, 1, size, repair->out);
}

static void write_tail(struct repair *repair)
{
	write_out(repair, repair->tail.bytes, repair->tail.used);
	repair->tail.used = 0;
	repair->ends_events = false;
	repair->mode = OUT_DIRECT;
}

static void add_out(struct repair *repair, const void *bytes, size_t size)
{
	if (size == 0 || repair->mode == OUT_MUTED)
		return;
	if (repair->mode == OUT_TAIL &&
		repair->tail.used + size > TAIL_BYTES_MAX)
		write_tail(repair);
	if (repair->mode == OUT_TAIL)
		buffer_add(&repair->tail, bytes, size);
	else
		write_out(repair, bytes, size);
}

/* Writes the valid text before the position. */
static void flush(struct repair *repair)
{
	add_out(repair, repair->window.bytes + repair->copied,
		repair->window.at - repair->copied);
	repair->copied = repair->window.at;
}

/* Leaves out the text from the position up to `to`. */
static void leave_out(struct repair *repair, size_t to)
{
	flush(repair);
	repair->window.at = to;
	repair->copied = to;
}

/* Opens a level; the caller writes its bracket. */
static void push(struct repair *repair, struct level level)
{
	repair->levels[repair->depth++] = level;
	repair->has_events |= level.is_events;
}

/* Closes a level; the caller writes its bracket. */
static void pop(struct repair *repair)
{
	struct level level = *top(repair);

	repair->depth--;
	if (level.hidden || level.is_events || repair->depth == 0)
		flush(repair);
	if (level.hidden) {
		if (level.is_events)
			repair->had_events = level.has_item;
		repair->mode = repair->is_closed ? OUT_MUTED : OUT_TAIL;
		/* Commas of unwritten text do not matter. */
		if (repair->depth > 0 && top(repair)->muted)
			top(repair)->has_item = true;
		return;
	}
	if (repair->depth > 0) {
		top(repair)->has_item = true;
	} else {
		repair->is_closed = true;
		repair->has_member = level.has_item;
	}
	if ((level.is_events || repair->depth == 0) &&
		repair->mode == OUT_DIRECT && repair->tail.used == 0) {
		repair->mode = OUT_TAIL;
		repair->ends_events = level.is_events;
		repair->had_events = level.has_item;
	}
}

/* Closes unclosed levels down to this depth. */
static void close_levels(struct repair *repair, uint32_t depth)
{
	flush(repair);
	while (repair->depth > depth) {
		struct level level = *top(repair);

		pop(repair);
		if (level.hidden)
			continue;
		count(repair, REPAIR_BRACKETS, repair->window.at);
		add_out(repair, level.array ? "]" : "}", 1);
	}
}

/* Begins an array of events: the document, or its member. */
static void add_events(struct repair *repair, const char *text, bool hidden)
{
	repair->mode = OUT_DIRECT;
	count(repair, REPAIR_BRACKETS, repair->window.at);
	add_out(repair, text, strlen(text));
	push(repair,
		(struct level){
			.array = true, .is_events = true, .hidden = hidden});
}

/* An event begins here outside the array of events: from here on, the text is
 * items of that array. */
static void enter_events(struct repair *repair)
{
	static const char key[] = ",\"traceEvents\":[";

	flush(repair);
	repair->was_searching = true;
	if (!repair->has_document) {
		repair->has_document = true;
		add_events(repair, "[", false);
	} else if (repair->ends_events) {
		repair->mode = OUT_DIRECT;
		push(repair, (struct level){.array = true,
				     .is_events = true,
				     .hidden = true,
				     .has_item = repair->had_events});
	} else if (repair->is_closed) {
		add_events(repair, repair->has_member ? key : key + 1, true);
		/* The end of this array comes before the document's. */
		if (buffer_reserve(&repair->tail, 1)) {
			memmove(repair->tail.bytes + 1, repair->tail.bytes,
				repair->tail.used++);
			repair->tail.bytes[0] = ']';
		}
		repair->ends_events = true;
		repair->has_member = true;
	} else {
		close_levels(repair, 1);
		if (!top(repair)->array)
			add_events(repair,
				top(repair)->has_item ? key : key + 1, false);
	}
}

static struct repair_view view_from(const struct repair *repair, size_t at)
{
	return (struct repair_view){.bytes = repair->window.bytes,
		.at = at,
		.end = repair->window.used};
}

/* A view of the text that a repair at `at` may use, smaller after many
 * failures. */
static struct repair_view rewrite_view(const struct repair *repair, size_t at)
{
	struct repair_view view = view_from(repair, at);
	uint64_t budget =
		SPEND_BYTES + SPEND_TIMES * (repair->window.base + at);
	size_t most = SPEND_BYTES_MIN;

	if (budget > repair->spent + most)
		most = (size_t)(budget - repair->spent);
	if (view.end - at > most)
		view.end = at + most;
	return view;
}

/* Does the view need more input for a decision? */
static bool is_unsure(
	const struct repair *repair, const struct repair_view *view)
{
	return view->hit_end && view->end == repair->window.used &&
	       !repair->window.at_eof && !repair->is_full;
}

/* Begins repair->made anew. */
static void clear_made(struct repair *repair)
{
	repair->made.used = 0;
	if (repair->is_made)
		repair->fixes = (struct repair_fixes){0};
	repair->is_made = false;
}

/* Counts a repair of repair->made. */
static void count_made(struct repair *repair, enum repair_fix fix, size_t at)
{
	repair->is_made = true;
	repair_fix_add(&repair->fixes, fix, repair->window.base + at);
}

/* Repairs a part of the text into repair->made. */
static enum repair_outcome rewrite(struct repair *repair,
	struct repair_view *view, enum repair_part part, struct plan *plan)
{
	struct repair_value value = {.out = &repair->made,
		.base = repair->window.base,
		.last_time = repair->last_time[0] == '\0' ? NULL
							  : repair->last_time};
	size_t from = view->at;
	enum repair_outcome outcome = repair_value_read(view, part, &value);

	if (outcome != REPAIR_DONE) {
		repair->spent += view->at - from;
		return outcome;
	}
	repair->is_made = true;
	repair_fix_merge(&repair->fixes, &value.fixes);
	plan->event = value.event;
	return repair->made.failed ? REPAIR_WRONG : outcome;
}

static void set_plan(struct plan *plan, enum action action, size_t to)
{
	plan->action = action;
	plan->to = to;
}

/* Likewise, with a repair at this place. */
static void set_fix(struct plan *plan, enum action action, size_t to,
	enum repair_fix fix, size_t at)
{
	set_plan(plan, action, to);
	plan->fix = fix;
	plan->fix_at = at;
}

/* Text outside all brackets: before, after and between documents. */
static void read_document(
	struct repair *repair, struct repair_view *view, struct plan *plan)
{
	size_t at = view->at;
	uint8_t byte = byte_at(repair, at);
	bool is_first = !repair->has_document &&
			repair_fix_total(&repair->result->fixes) == 0;

	if (at == view->end)
		return;
	plan->level.array = byte == '[';
	if (repair_view_begins_event(view)) {
		set_plan(plan, ACTION_EVENTS, at);
	} else if ((byte != '[' && byte != '{') ||
		   !repair_view_begins_document(view, is_first)) {
		/* Stray bytes up to the next bracket. */
		do
			at++;
		while (at < view->end && byte_at(repair, at) != '{' &&
			byte_at(repair, at) != '[');
		set_fix(plan, ACTION_SKIP, at, REPAIR_GARBAGE, view->at);
	} else if (repair->has_document) {
		set_fix(plan, ACTION_JOIN, at + 1, REPAIR_DOCUMENTS, at);
	} else {
		set_plan(plan, ACTION_DOCUMENT, at + 1);
	}
}

static struct unit read_gap(struct repair *repair)
{
	struct unit unit = {.at = repair->window.at};

	for (;; unit.at++) {
		uint8_t byte = byte_at(repair, unit.at);

		if (byte == ',') {
			if (unit.commas++ == 0)
				unit.comma = unit.at;
		} else if (!json_bytes_is_blank(byte)) {
			break;
		}
	}
	unit.is_regular = unit.commas == (top(repair)->has_item ? 1 : 0);
	unit.value = unit.at;
	return unit;
}

/* Writes the corrected gap into repair->made; no comma before an end. */
static void add_gap(
	struct repair *repair, const struct unit *unit, bool before_end)
{
	bool wanted = !before_end && top(repair)->has_item;

	if (unit->commas != (wanted ? 1 : 0) && !repair->was_searching)
		count_made(repair, REPAIR_COMMAS,
			unit->commas > 0 ? unit->comma : unit->at);
	if (wanted && unit->commas == 0)
		buffer_add_byte(&repair->made, ',');
	for (size_t at = repair->window.at; at < unit->at; at++)
		if (byte_at(repair, at) != ',' || (wanted && at == unit->comma))
			buffer_add_byte(&repair->made, byte_at(repair, at));
}

/* Writes the text between the unit's value and the one before. */
static void add_prefix(struct repair *repair, const struct unit *unit)
{
	if (unit->is_made)
		return;
	add_gap(repair, unit, false);
	buffer_add(&repair->made, repair->window.bytes + unit->at,
		unit->value - unit->at);
}

/* Repairs an invalid value. */
static void rewrite_value(struct repair *repair, struct repair_view *view,
	const struct unit *unit, enum repair_part part, struct plan *plan)
{
	if (is_unsure(repair, view))
		return;
	*view = rewrite_view(repair, unit->value);
	add_prefix(repair, unit);
	if (rewrite(repair, view, part, plan) == REPAIR_DONE)
		set_plan(plan, ACTION_REPLACE, view->at);
	else
		set_fix(plan, ACTION_SEARCH, unit->value + 1, REPAIR_DROPPED,
			unit->value);
}

/* Opens a bracket whose content is too large to examine, or whose members are
 * separate units. */
static void descend(struct repair *repair, const struct unit *unit,
	struct level level, struct plan *plan)
{
	add_prefix(repair, unit);
	buffer_add_byte(&repair->made, level.array ? '[' : '{');
	level.muted = top(repair)->muted;
	level.hidden = level.muted;
	plan->level = level;
	set_plan(plan, ACTION_OPEN, unit->value + 1);
}

/* An item or a member's value. */
static void read_value(struct repair *repair, struct repair_view *view,
	const struct unit *unit, struct plan *plan)
{
	size_t end = unit->value;
	uint8_t byte = byte_at(repair, end);
	enum repair_outcome outcome = repair_event_read(
		repair->window.bytes, &end, repair->window.used, &plan->event);

	if (outcome == REPAIR_MORE && !repair->is_full) {
		set_plan(plan, ACTION_HALF, unit->value);
		return;
	}
	if (outcome == REPAIR_MORE && (byte == '{' || byte == '[') &&
		repair->depth < REPAIR_DEPTH_MAX) {
		descend(repair, unit, (struct level){.array = byte == '['},
			plan);
		return;
	}
	if (unit->is_member)
		plan->event.phase = 0;
	if (outcome != REPAIR_DONE ||
		(plan->event.phase != 0 && plan->event.text_size > 0) ||
		(repair->last_time[0] != '\0' &&
			repair_event_is_timeless(&plan->event)) ||
		(byte == '{' && !unit->is_member &&
			repair_view_continues(view, end - 1, 0, false))) {
		rewrite_value(repair, view, unit,
			unit->is_member ? REPAIR_PART_VALUE : REPAIR_PART_ITEM,
			plan);
		return;
	}
	set_plan(plan, ACTION_KEEP, end);
	if (unit->is_regular && !unit->is_made)
		return;
	add_prefix(repair, unit);
	buffer_add(&repair->made, repair->window.bytes + unit->value,
		end - unit->value);
	plan->action = ACTION_REPLACE;
}

/* Records a key, given with its quotes; returns whether it is the events'
 * key. */
static bool record_key(struct repair *repair, const uint8_t *key, size_t size)
{
	static const char name[] = "\"traceEvents\"";
	const uint8_t *end = memchr(key + 1, '"', size - 1);

	if (repair->depth == 1 && end != NULL) {
		size_t length = (size_t)(end - key) - 1;
		bool is_trace = chrome_facts_is_document_key(key + 1, length);

		repair->has_header |= is_trace;
		if (!top(repair)->muted)
			repair->result->has_header |=
				is_trace ||
				repair_key_is_profile(key + 1, length);
	}
	return size >= sizeof(name) - 1 &&
	       memcmp(key, name, sizeof(name) - 1) == 0;
}

/* A member whose value begins here; `is_events`: it is the array of events. */
static void read_member_value(struct repair *repair, struct repair_view *view,
	const struct unit *unit, bool is_events, struct plan *plan)
{
	uint8_t byte = byte_at(repair, unit->value);
	bool is_bracket = byte == '[' || byte == '{';

	if (unit->value >= repair->window.used) {
		set_plan(plan, ACTION_HALF, unit->at);
	} else if (is_events && byte == '[' && top(repair)->muted) {
		set_plan(plan, ACTION_JOIN, unit->value + 1);
		plan->level.array = true;
	} else if (is_events && byte == '{' && repair->depth == 1 &&
		   !top(repair)->muted &&
		   repair_view_is_event(view, unit->value)) {
		descend(repair, unit,
			(struct level){.array = true, .is_events = true}, plan);
		set_fix(plan, ACTION_OPEN, unit->value, REPAIR_BRACKETS,
			unit->value);
	} else if (repair->depth == 1 && is_bracket) {
		descend(repair, unit,
			(struct level){.array = byte == '[',
				.is_events = is_events && byte == '['},
			plan);
	} else {
		read_value(repair, view, unit, plan);
	}
}

/* Repairs a member with an invalid key, or control characters before its
 * value. */
static void rewrite_member(struct repair *repair, struct repair_view *view,
	struct unit *unit, struct plan *plan)
{
	size_t from;

	add_gap(repair, unit, false);
	from = repair->made.used;
	if (rewrite(repair, view, REPAIR_PART_KEY, plan) != REPAIR_DONE) {
		set_fix(plan, ACTION_SEARCH, unit->at + 1, REPAIR_DROPPED,
			unit->at);
		return;
	}
	unit->is_made = true;
	unit->value = repair_view_skip(view, view->at);
	if (repair_view_past(view, unit->value) != unit->value) {
		count_made(repair, REPAIR_GARBAGE, view->at);
		unit->value = repair_view_past(view, unit->value);
	}
	read_member_value(repair, view, unit,
		record_key(repair, repair->made.bytes + from,
			repair->made.used - from),
		plan);
}

/* A member of the innermost open object, after the gap. */
static void read_member(struct repair *repair, struct repair_view *view,
	struct unit *unit, struct plan *plan)
{
	uint8_t byte = byte_at(repair, unit->at);
	size_t end = byte == '"' ? repair_view_string(view, unit->at) : 0;

	unit->is_member = true;
	if (end != 0) {
		end = repair_view_skip(view, end);
		end = repair_view_at(view, end) == ':' ? end + 1 : 0;
	}
	if (end != 0) {
		unit->value = repair_view_skip(view, end);
		if (repair_view_past(view, unit->value) == unit->value) {
			read_member_value(repair, view, unit,
				record_key(repair, view->bytes + unit->at,
					end - unit->at),
				plan);
			return;
		}
	} else if (view->hit_end && view->end == repair->window.used &&
		   !repair->is_full) {
		set_plan(plan, ACTION_HALF, unit->at);
		return;
	}
	if (byte == '"' || byte == '\'' || repair_view_is_word(byte)) {
		rewrite_member(repair, view, unit, plan);
	} else if (repair_view_is_event(view, view->at)) {
		set_plan(plan, ACTION_EVENTS, view->at);
	} else {
		/* Neither a key nor an end. */
		for (end = view->at + 1; end < view->end; end++)
			if (!repair_view_is_word(view->bytes[end]) &&
				view->bytes[end] != 0)
				break;
		set_fix(plan, ACTION_DROP, end, REPAIR_GARBAGE, view->at);
	}
}

/* The first byte of an item that is not an object. */
static void read_item(struct repair *repair, struct repair_view *view,
	const struct unit *unit, struct plan *plan)
{
	size_t end = unit->at;
	bool is_key = repair_view_is_key(view, end);
	enum repair_outcome outcome;

	if (is_key && repair_view_is_event_key(view, end)) {
		rewrite_value(repair, view, unit, REPAIR_PART_REST, plan);
		return;
	}
	if (is_key && repair->depth > 1 && !repair->levels[0].array) {
		set_plan(plan, ACTION_CLOSE, end);
		return;
	}
	if (is_unsure(repair, view))
		return;
	outcome = repair_event_read(view->bytes, &end, view->end, &plan->event);
	end = repair_view_skip(view, end);
	if (outcome == REPAIR_MORE ||
		(outcome == REPAIR_DONE &&
			memchr(",]", repair_view_at(view, end), 2))) {
		read_value(repair, view, unit, plan);
		return;
	}
	*view = rewrite_view(repair, unit->at);
	if (!top(repair)->is_events && repair_view_is_scalar(view)) {
		rewrite_value(repair, view, unit, REPAIR_PART_ITEM, plan);
		return;
	}
	if (view->hit_end && !is_unsure(repair, view))
		repair->spent += view->end - view->at;
	end = unit->at + 1;
	while (end < repair->window.used &&
		memchr("{},[]\"", byte_at(repair, end), 6) == NULL)
		end++;
	set_fix(plan, ACTION_DROP, end, REPAIR_GARBAGE, unit->at);
}

/* An array among events; its bracket is dropped if it contains events. */
static void read_array(struct repair *repair, struct repair_view *view,
	const struct unit *unit, struct plan *plan)
{
	view->at = unit->at + 1;
	while (json_bytes_is_blank(byte_at(repair, view->at)) ||
		byte_at(repair, view->at) == ',')
		view->at++;
	if (repair_view_begins_event(view))
		set_fix(plan, ACTION_DROP, unit->at + 1, REPAIR_BRACKETS,
			unit->at);
	else
		read_value(repair, view, unit, plan);
}

/* The next unit of the innermost level, or its end. */
static void read_unit(struct repair *repair, struct repair_view *view,
	struct unit *unit, struct plan *plan)
{
	uint8_t byte = byte_at(repair, unit->at);
	const struct level *level = top(repair);

	view->at = unit->at;
	if (unit->at >= repair->window.used)
		return;
	if (byte == (level->array ? ']' : '}'))
		set_plan(plan, ACTION_END, unit->at);
	else if (byte == '}' || byte == ']')
		set_fix(plan, ACTION_SKIP, unit->at + 1, REPAIR_BRACKETS,
			unit->at);
	else if (!level->array) {
		*view = rewrite_view(repair, unit->at);
		read_member(repair, view, unit, plan);
	} else if (byte == '[' && level->is_events) {
		read_array(repair, view, unit, plan);
	} else if (byte == '{' || byte == '[') {
		read_value(repair, view, unit, plan);
	} else {
		read_item(repair, view, unit, plan);
	}
}

/* Counts an event that is written, and stores its time. */
static void record_event(
	struct repair *repair, const struct repair_event *event)
{
	if (event->phase == 0 || top(repair)->muted)
		return;
	repair->result->events++;
	if (event->phase != 'X')
		return;
	repair->result->slices += event->has_time && event->has_dur;
	if (event->time_size < FAR_DIGITS || event->time_size >= TIME_BYTES)
		return;
	for (size_t i = 0; i < event->time_size; i++)
		if ((uint8_t)(event->time[i] - '0') > 9 &&
			(i < FAR_DIGITS || event->time[i] != '.'))
			return;
	memcpy(repair->last_time, event->time, event->time_size);
	repair->last_time[event->time_size] = '\0';
}

/* The unit is written: its own text, or repair->made. */
static void accept(struct repair *repair, const struct plan *plan)
{
	bool muted = top(repair)->muted;

	record_event(repair, &plan->event);
	if (muted || plan->action != ACTION_KEEP)
		leave_out(repair, plan->to);
	repair->window.at = plan->to;
	if (!muted)
		add_out(repair, repair->made.bytes, repair->made.used);
	repair->was_searching = false;
	top(repair)->has_item = true;
	if (plan->action == ACTION_OPEN)
		push(repair, plan->level);
}

/* A closing bracket. */
static void end_level(struct repair *repair, const struct unit *unit)
{
	bool hidden = top(repair)->hidden;

	if (unit->commas > 0 || hidden)
		flush(repair);
	if (unit->commas > 0 && !hidden) {
		add_gap(repair, unit, true);
		repair_fix_merge(&repair->result->fixes, &repair->fixes);
	}
	pop(repair);
	if (unit->commas > 0 || hidden) {
		add_out(repair, repair->made.bytes, repair->made.used);
		leave_out(repair, unit->at + hidden);
	}
	repair->window.at = unit->at + 1;
	repair->was_searching = false;
}

static void act(
	struct repair *repair, const struct unit *unit, const struct plan *plan)
{
	if (plan->fix != REPAIR_FIXES)
		count(repair, plan->fix, plan->fix_at);
	if (repair->is_made)
		repair_fix_merge(&repair->result->fixes, &repair->fixes);
	switch (plan->action) {
	case ACTION_NEED:
	case ACTION_HALF:
		break;
	case ACTION_KEEP:
	case ACTION_REPLACE:
	case ACTION_OPEN:
		accept(repair, plan);
		break;
	case ACTION_DOCUMENT:
		repair->has_document = true;
		push(repair, (struct level){.array = plan->level.array,
				     .is_events = plan->level.array});
		repair->window.at = plan->to;
		break;
	case ACTION_JOIN:
		if (plan->level.array)
			enter_events(repair);
		else
			push(repair,
				(struct level){.hidden = true, .muted = true});
		leave_out(repair, plan->to);
		break;
	case ACTION_END:
		end_level(repair, unit);
		break;
	case ACTION_CLOSE:
		close_levels(repair, 1);
		break;
	case ACTION_DROP:
	case ACTION_SKIP:
	case ACTION_SEARCH:
	case ACTION_EVENTS:
		leave_out(repair, plan->to);
		repair->was_searching |= plan->action == ACTION_DROP;
		repair->is_searching = plan->action == ACTION_SEARCH;
		if (plan->action == ACTION_EVENTS)
			enter_events(repair);
	}
}

/* Handles the next unit; false if it needs more input. */
static bool read_next(struct repair *repair)
{
	struct plan plan = {.action = ACTION_NEED, .fix = REPAIR_FIXES};
	struct unit unit = {0};
	struct repair_view view;

	clear_made(repair);
	if (repair->depth > 0) {
		unit = read_gap(repair);
		view = view_from(repair, unit.at);
		read_unit(repair, &view, &unit, &plan);
	} else {
		while (repair->window.at < repair->window.used &&
			json_bytes_is_blank(byte_at(repair, repair->window.at)))
			repair->window.at++;
		view = view_from(repair, repair->window.at);
		read_document(repair, &view, &plan);
	}
	if (plan.action == ACTION_HALF) {
		repair->is_half = repair->window.at_eof;
		repair->half = plan.to;
		return false;
	}
	if (plan.action == ACTION_NEED || is_unsure(repair, &view))
		return false;
	act(repair, &unit, &plan);
	return true;
}

/* Does a usable event begin at `at`? Sets *need if more input is needed to
 * decide. */
static bool is_whole(struct repair *repair, size_t at, bool *need)
{
	struct repair_view view = rewrite_view(repair, at);
	struct plan plan;
	size_t end = at;
	enum repair_outcome outcome =
		repair_event_read(view.bytes, &end, view.end, &plan.event);

	if (outcome == REPAIR_DONE)
		return plan.event.phase != 0;
	if (outcome == REPAIR_MORE && view.end == repair->window.used) {
		*need = !repair->window.at_eof && !repair->is_full;
		/* An event truncated at the end of the file. */
		if (*need || repair->window.at_eof)
			return !*need && !repair->was_half;
	}
	repair->spent += end - at;
	clear_made(repair);
	if (rewrite(repair, &view, REPAIR_PART_ITEM, &plan) != REPAIR_DONE)
		return false;
	*need = is_unsure(repair, &view);
	return !*need && plan.event.phase != 0;
}

/* Finds the next complete event or document member in damaged text; false if
 * it needs more input. */
static bool search(struct repair *repair)
{
	struct repair_view view = view_from(repair, repair->window.at);
	bool need = false;
	size_t at = view.at;

	for (; at < view.end; at++) {
		uint8_t byte = byte_at(repair, at);
		bool is_event;
		bool is_key;

		if (byte != '{' && byte != '"')
			continue;
		view.hit_end = false;
		is_event = byte == '{' && repair_view_is_event(&view, at);
		is_key = byte == '"' && !repair->levels[0].array &&
			 repair_view_is_document_key(&view, at);
		need = is_unsure(repair, &view);
		if (!need && is_event)
			is_event = is_whole(repair, at, &need);
		if (!need && !is_event && !is_key)
			continue;
		leave_out(repair, at);
		if (need)
			return false;
		if (is_key)
			close_levels(repair, 1);
		else if (!top(repair)->is_events)
			enter_events(repair);
		repair->is_searching = false;
		repair->was_searching = true;
		return true;
	}
	leave_out(repair, at);
	return false;
}

/* A half event at the end may have lost brackets and so contain others:
 * searches it for events. */
static bool search_half(struct repair *repair)
{
	if (!repair->is_half || repair->was_half || !top(repair)->is_events)
		return false;
	count(repair, REPAIR_TRUNCATED, repair->half);
	leave_out(repair, repair->half + 1);
	repair->is_half = false;
	repair->was_half = true;
	repair->is_searching = true;
	return true;
}

/* Was a trace truncated before its events? It may be empty. */
static bool lacks_events(const struct repair *repair)
{
	if (!repair->has_document)
		return repair_fix_total(&repair->result->fixes) == 0;
	return repair->depth > 0 && !repair->has_events &&
	       !repair->levels[0].hidden &&
	       (repair->has_header || !repair->levels[0].has_item);
}

/* At the end of the input: closes open brackets. */
static enum ctp_status finish(struct repair *repair, struct ctp_error *err)
{
	size_t end = repair->window.used;
	bool lacking = lacks_events(repair);

	if (!repair->has_document && !lacking)
		return ctp_fail(err, CTP_ERR_FORMAT,
			"contains neither a JSON object nor a JSON array");
	if (repair->is_half) {
		count(repair, REPAIR_TRUNCATED, repair->half);
		leave_out(repair, end);
	}
	/* Remaining white space. */
	for (size_t at = repair->window.at; at < end; at++)
		if (!json_bytes_is_blank(byte_at(repair, at)))
			leave_out(repair, end);
	repair->window.at = end;
	if (lacking && !repair->is_half)
		count(repair, REPAIR_TRUNCATED, end);
	if (lacking)
		enter_events(repair);
	close_levels(repair, 0);
	flush(repair);
	write_tail(repair);
	return CTP_OK;
}

static enum ctp_status run(struct repair *repair, const struct repair_job *job,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK || status == CTP_END) {
		if (repair->is_searching ? search(repair) : read_next(repair)) {
			repair->is_full = false;
			continue;
		}
		if (repair->made.failed || repair->tail.failed)
			return ctp_no_memory(err);
		if (ferror(job->out))
			return ctp_fail(err, CTP_ERR_IO, "cannot write");
		if (repair->window.at_eof && search_half(repair))
			continue;
		if (repair->window.at_eof)
			return finish(repair, err);
		if (repair->is_full) {
			/* Blanks as large as the window. */
			count(repair, REPAIR_DROPPED, repair->window.at);
			leave_out(repair, repair->window.used);
			repair->was_searching = true;
		}
		flush(repair);
		status = json_window_fill(&repair->window, err);
		repair->copied = repair->window.at;
		if (job->progress != NULL)
			job->progress(job->user, repair->window.base);
		repair->is_full = status == CTP_ERR_LIMIT;
		if (repair->is_full)
			status = CTP_OK;
	}
	return status;
}

enum ctp_status repair_run(const struct repair_job *job,
	struct repair_result *result, struct ctp_error *err)
{
	struct repair repair = {.result = result, .out = job->out};
	enum ctp_status status;

	*result = (struct repair_result){0};
	if (json_window_init(&repair.window, job->in, job->head, job->head_size,
		    WINDOW_BYTES_MAX))
		status = run(&repair, job, err);
	else
		status = ctp_no_memory(err);
	result->in_bytes = repair.window.base + repair.window.used;
	json_window_clear(&repair.window);
	buffer_clear(&repair.made);
	buffer_clear(&repair.tail);
	return status;
}
