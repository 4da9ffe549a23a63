/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "json_repair/repair_private.h"
#include "chrome/trace_keys.h"

/* Behind the key and the colon at gap->at; 0 if they are not right. */
static size_t key_end(struct repair *repair, struct repair_view *view)
{
	size_t at = view->at + 1;
	enum repair_outcome outcome = REPAIR_WRONG;

	if (repair_byte(repair, view->at) == '"')
		outcome = repair_strict_text(view->bytes, &at, view->end);
	if (outcome == REPAIR_MORE)
		view->hit_end = true;
	if (outcome != REPAIR_DONE)
		return 0;
	at = repair_look_skip(view, at);
	return repair_look_at(view, at) == ':' ? at + 1 : 0;
}

/* Is it a member of what is JSON, too, and no Chrome trace? */
static bool is_profile_key(const uint8_t *key, size_t size)
{
	/* Of speedscope's files, and of gprof2dot's. */
	static const char *const keys[] = {
		"$schema", "shared", "profiles", "functions"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strlen(keys[i]) == size && memcmp(keys[i], key, size) == 0)
			return true;
	return false;
}

static void note_document_key(
	struct repair *repair, const uint8_t *key, size_t size)
{
	bool is_trace = trace_keys_document(key, size);

	repair->has_header |= is_trace;
	if (!repair_level(repair)->muted)
		repair->result->has_header |=
			is_trace || is_profile_key(key, size);
}

/* A key with its quotes, and what is behind; is it that of the events? */
static bool note_key(struct repair *repair, const uint8_t *key, size_t size)
{
	static const char name[] = "\"traceEvents\"";
	const uint8_t *end = memchr(key + 1, '"', size - 1);

	if (repair->depth == 1 && end != NULL)
		note_document_key(repair, key + 1, (size_t)(end - key) - 1);
	return size >= sizeof(name) - 1 &&
	       memcmp(key, name, sizeof(name) - 1) == 0;
}

/* A member, whose value begins here; `is_events`: it is what all is about. */
static enum repair_step take_member_value(
	struct repair *repair, struct repair_before *before, bool is_events)
{
	uint8_t byte = repair_byte(repair, before->at);
	struct repair_view view = repair_look(repair, before->at);
	bool open = repair->depth == 1 && (byte == '[' || byte == '{');

	if (before->at >= repair->window.used) {
		repair->is_half = repair->window.at_eof;
		repair->half = before->gap->at;
		return REPAIR_NEED;
	}
	if (is_events && byte == '[' && repair_level(repair)->muted) {
		repair_enter_events(repair);
		repair_leave_out(repair, before->at + 1);
		return REPAIR_AGAIN;
	}
	if (is_events && byte == '{' && repair->depth == 1 &&
		!repair_level(repair)->muted &&
		repair_look_is_event(&view, before->at)) {
		repair_count(repair, REPAIR_BRACKETS, before->at);
		(void)repair_descend(repair, before,
			(struct repair_level){
				.array = true, .is_events = true});
		repair->at = before->at;
		repair->copied = before->at;
		return REPAIR_AGAIN;
	}
	if (open)
		return repair_descend(repair, before,
			(struct repair_level){.array = byte == '[',
				.is_events = is_events && byte == '['});
	return repair_take_value(repair, before);
}

/* Neither a key nor an end. */
static enum repair_step leave_out_strange(
	struct repair *repair, struct repair_view *view)
{
	size_t end = view->at + 1;

	if (repair_look_is_event(view, view->at)) {
		if (repair_is_unsure(repair, view))
			return REPAIR_NEED;
		repair_leave_out(repair, view->at);
		repair->was_searching = true;
		repair_enter_events(repair);
		return REPAIR_AGAIN;
	}
	if (repair_is_unsure(repair, view))
		return REPAIR_NEED;
	while (end < view->end && (repair_look_is_word(view->bytes[end]) ||
					  view->bytes[end] == 0))
		end++;
	repair_count(repair, REPAIR_GARBAGE, view->at);
	repair_leave_out(repair, end);
	repair->was_searching = true;
	return REPAIR_AGAIN;
}

/* A member whose key is not right. */
static enum repair_step mend_member(struct repair *repair,
	struct repair_view *view, const struct repair_gap *gap)
{
	struct repair_value key = {.outer = REPAIR_IN_OBJECT,
		.base = repair->window.base,
		.out = &repair->made};
	struct repair_before before = {
		.gap = gap, .is_object = true, .is_made = true};
	struct repair_fixes fixes = repair->result->fixes;
	enum repair_outcome outcome;
	enum repair_step step = REPAIR_NEED;
	size_t from;

	repair_add_gap(repair, gap, false);
	from = repair->made.used;
	outcome = repair_value_key(view, &key);
	if (outcome != REPAIR_DONE && !repair_is_unsure(repair, view)) {
		repair_begin_search(repair, gap->at);
		return REPAIR_AGAIN;
	}
	if (outcome == REPAIR_DONE && !repair_is_unsure(repair, view) &&
		!repair->made.failed) {
		repair_fix_merge(&repair->result->fixes, &key.fixes);
		before.at = repair_look_skip(view, view->at);
		step = take_member_value(repair, &before,
			note_key(repair, repair->made.bytes + from,
				repair->made.used - from));
	}
	if (step == REPAIR_NEED)
		repair->result->fixes = fixes;
	return step;
}

/* A key that is right, and behind its colon what is not. */
static enum repair_step mend_colon(struct repair *repair,
	struct repair_view *view, const struct repair_gap *gap, size_t end)
{
	struct repair_before before = {
		.gap = gap, .is_object = true, .is_made = true};
	struct repair_fixes fixes = repair->result->fixes;
	enum repair_step step;

	repair_add_gap(repair, gap, false);
	repair_count(repair, REPAIR_GARBAGE, end);
	buffer_add(&repair->made, view->bytes + gap->at, end - gap->at);
	before.at = repair_look_past(view, end);
	step = take_member_value(repair, &before,
		note_key(repair, view->bytes + gap->at, end - gap->at));
	if (step == REPAIR_NEED)
		repair->result->fixes = fixes;
	return step;
}

enum repair_step repair_member(
	struct repair *repair, const struct repair_gap *gap)
{
	struct repair_view view = repair_mend_view(repair, gap->at);
	struct repair_before before = {.gap = gap, .is_object = true};
	uint8_t byte = repair_byte(repair, gap->at);
	size_t end = key_end(repair, &view);

	if (end != 0) {
		before.at = repair_look_skip(&view, end);
		if (repair_look_past(&view, before.at) != before.at)
			return mend_colon(repair, &view, gap, end);
		return take_member_value(repair, &before,
			note_key(repair, view.bytes + gap->at, end - gap->at));
	}
	if (view.hit_end && view.end == repair->window.used &&
		!repair->is_full) {
		repair->is_half = repair->window.at_eof;
		repair->half = gap->at;
		return REPAIR_NEED;
	}
	if (byte != '"' && byte != '\'' && !repair_look_is_word(byte))
		return leave_out_strange(repair, &view);
	return mend_member(repair, &view, gap);
}
