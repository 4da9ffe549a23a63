/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_json.h"

#include <string.h>

#include "json/json_bytes.h"
#include "json/json_value.h"
#include "compilers/trace_detail.h"

/* So many digits, and three more, are less than 2^64. */
#define SHORT_DIGITS 16

enum member {
	MEMBER_ARGS,
	MEMBER_BIND,
	MEMBER_CATEGORY,
	MEMBER_DUR,
	MEMBER_FRAME,
	MEMBER_ID,
	MEMBER_ID2,
	MEMBER_NAME,
	MEMBER_PHASE,
	MEMBER_PID,
	MEMBER_REACH,
	MEMBER_SCOPE,
	MEMBER_TID,
	MEMBER_THREAD_DUR,
	MEMBER_TIME,
	MEMBER_OTHER
};

/* Most times are up to SHORT_DIGITS digits, and perhaps three more behind a
 * point. More than a word of room is behind them. */
static bool short_time(const char *text, size_t size, int64_t *time_ns)
{
	static const uint8_t scales[] = {0, 100, 10, 1};
	size_t behind = 0;
	size_t before = size;
	uint64_t whole;
	uint64_t fraction;

	for (size_t i = 4; i > 1 && behind == 0; i--)
		if (size > i && text[size - i] == '.')
			behind = i - 1;
	if (behind > 0)
		before -= behind + 1;
	if (before == 0 || before > SHORT_DIGITS ||
		!json_bytes_sixteen(text, before, &whole) ||
		!json_bytes_eight(text + size - behind, behind, &fraction))
		return false;
	*time_ns = (int64_t)(whole * 1000 + fraction * scales[behind]);
	return *time_ns >= 0;
}

/* A time in microseconds - a number, or a string that holds one - in
 * nanoseconds; false if it is none. */
static bool read_time(const struct json_scan *scan,
	const struct json_token *token, int64_t *time_ns)
{
	const char *text = json_scan_text(scan, token);

	if (token->kind != JSON_NUMBER && token->kind != JSON_STRING)
		return false;
	return short_time(text, token->size, time_ns) ||
	       json_value_scaled(text, token->size, 3, time_ns);
}

/* By size first: a comparison of so many bytes is one of numbers. */
static enum member find_member(const char *text, size_t size)
{
	switch (size) {
	case 1:
		return text[0] == 's' ? MEMBER_REACH : MEMBER_OTHER;
	case 2:
		if (memcmp(text, "ph", 2) == 0)
			return MEMBER_PHASE;
		if (memcmp(text, "ts", 2) == 0)
			return MEMBER_TIME;
		if (memcmp(text, "id", 2) == 0)
			return MEMBER_ID;
		if (memcmp(text, "bp", 2) == 0)
			return MEMBER_BIND;
		return memcmp(text, "sf", 2) == 0 ? MEMBER_FRAME : MEMBER_OTHER;
	case 3:
		if (memcmp(text, "cat", 3) == 0)
			return MEMBER_CATEGORY;
		if (memcmp(text, "pid", 3) == 0)
			return MEMBER_PID;
		if (memcmp(text, "tid", 3) == 0)
			return MEMBER_TID;
		if (memcmp(text, "dur", 3) == 0)
			return MEMBER_DUR;
		return memcmp(text, "id2", 3) == 0 ? MEMBER_ID2 : MEMBER_OTHER;
	case 4:
		if (memcmp(text, "name", 4) == 0)
			return MEMBER_NAME;
		if (memcmp(text, "args", 4) == 0)
			return MEMBER_ARGS;
		return memcmp(text, "tdur", 4) == 0 ? MEMBER_THREAD_DUR
						    : MEMBER_OTHER;
	case 5:
		return memcmp(text, "scope", 5) == 0 ? MEMBER_SCOPE
						     : MEMBER_OTHER;
	default:
		return MEMBER_OTHER;
	}
}

bool chrome_read_json_is_source(
	const struct json_scan *scan, const struct json_token *token)
{
	return token->kind == JSON_STRING &&
	       token->size == strlen(TRACE_DETAIL_SOURCE) &&
	       memcmp(json_scan_text(scan, token), TRACE_DETAIL_SOURCE,
		       token->size) == 0;
}

/* Which arguments of the event are worth reading. What comes before them in
 * the file is known by now; of what comes behind, anything may be. */
static uint32_t wanted(const struct chrome_read_json_reader *reader,
	const struct chrome_read_json *event)
{
	uint32_t asked = reader->asks ? CHROME_READ_WANT_ASKED : 0;

	if (!reader->no_args || event->phase == 0 || event->phase == 'M' ||
		event->phase == 'C' ||
		event->name.kind == CHROME_READ_JSON_NONE)
		return CHROME_READ_WANT_ALL;
	if (reader->details && event->phase == 'b' &&
		chrome_read_json_is_source(reader->scan, &event->name))
		return CHROME_READ_WANT_ASKED;
	if (event->phase == 'i')
		return asked;
	if (event->phase != 'X' && event->phase != 'B' && event->phase != 'E')
		return 0;
	if (event->kind != CHROME_READ_NO_CATEGORY)
		return chrome_read_labels_wanted(
			reader->names, event->kind, reader->asks);
	if (reader->details)
		asked = CHROME_READ_WANT_ASKED;
	return event->phase == 'E' ? asked : CHROME_READ_WANT_KNOWN | asked;
}

static enum ctp_status read_id2(struct chrome_read_json_reader *reader,
	struct chrome_read_json *event, struct ctp_error *err)
{
	struct json_token token;
	enum ctp_status status;
	bool local;

	for (;;) {
		status = json_scan_next(reader->scan, &token, err);
		if (status != CTP_OK || token.kind == JSON_END)
			return status;
		local = token.size == 5 &&
			memcmp(json_scan_text(reader->scan, &token), "local",
				5) == 0;
		status = json_scan_next(reader->scan, &token, err);
		if (status != CTP_OK)
			return status;
		if (token.kind == JSON_OBJECT || token.kind == JSON_ARRAY)
			status = json_scan_skip(reader->scan, err);
		else if (local)
			event->local_id = token;
		else
			event->id = token;
		if (status != CTP_OK)
			return status;
	}
}

/* An object or array that holds no arguments. */
static enum ctp_status read_other(struct chrome_read_json_reader *reader,
	enum member member, const struct json_member *item,
	struct chrome_read_json *event, struct ctp_error *err)
{
	struct json_token key =
		json_key_cache_key(&reader->shape, &reader->read, item);
	uint64_t from = json_scan_position(reader->scan) - 1;
	enum ctp_status status =
		member == MEMBER_ID2 && item->value.kind == JSON_OBJECT
			? read_id2(reader, event, err)
			: json_scan_skip(reader->scan, err);

	if (status == CTP_OK && !reader->no_args)
		chrome_read_members_note_nested(
			reader->members, reader->scan, &key, from);
	return status;
}

static enum ctp_status read_bracket(struct chrome_read_json_reader *reader,
	enum member member, const struct json_member *item,
	struct chrome_read_json *event, struct ctp_error *err)
{
	uint32_t want;

	if (item->value.kind != JSON_OBJECT || member != MEMBER_ARGS)
		return read_other(reader, member, item, event, err);
	want = wanted(reader, event);
	if (reader->places && event->phase != 0 &&
		strchr("EMC", event->phase) == NULL) {
		reader->args->are_places = true;
		want |= CHROME_READ_WANT_PLACE;
	}
	if (want == 0)
		return json_scan_skip(reader->scan, err);
	return chrome_read_args_read(reader->args, reader->scan, want, err);
}

static bool take_member(struct chrome_read_json_reader *reader,
	enum member member, const struct json_token *token,
	struct chrome_read_json *event)
{
	switch (member) {
	case MEMBER_BIND:
		event->bind = *token;
		break;
	case MEMBER_CATEGORY:
		event->category = *token;
		return chrome_read_labels_category(
			reader->names, reader->scan, token, &event->kind);
	case MEMBER_DUR:
		event->has_dur = read_time(reader->scan, token, &event->dur_ns);
		break;
	case MEMBER_FRAME:
		event->frame = *token;
		break;
	case MEMBER_ID:
		event->id = *token;
		break;
	case MEMBER_NAME:
		event->name = *token;
		break;
	case MEMBER_PHASE:
		if (token->kind == JSON_STRING && token->size == 1)
			event->phase = *json_scan_text(reader->scan, token);
		break;
	case MEMBER_PID:
		event->pid = *token;
		break;
	case MEMBER_REACH:
		event->reach = *token;
		break;
	case MEMBER_SCOPE:
		event->scope = *token;
		break;
	case MEMBER_TID:
		event->tid = *token;
		break;
	case MEMBER_THREAD_DUR:
		event->has_thread_dur =
			read_time(reader->scan, token, &event->thread_dur_ns);
		break;
	case MEMBER_TIME:
		event->has_time =
			read_time(reader->scan, token, &event->time_ns);
		break;
	default:
		break;
	}
	return true;
}

/* Is all that the member says said by itself alone? */
static bool is_kept(enum member member)
{
	return member == MEMBER_OTHER || member == MEMBER_THREAD_DUR;
}

/* What the member means; so does its step from now on. */
static enum member meet_member(
	struct chrome_read_json_reader *reader, const struct json_member *item)
{
	const struct json_token *key = &reader->read.new_key;
	enum member member =
		find_member(json_scan_text(reader->scan, key), key->size);

	reader->meanings[item->step] = (uint8_t)member;
	return member;
}

static enum ctp_status read_member(struct chrome_read_json_reader *reader,
	const struct json_member *item, struct chrome_read_json *event,
	struct ctp_error *err)
{
	enum member member =
		reader->read.is_new ? meet_member(reader, item)
				    : (enum member)reader->meanings[item->step];
	const struct json_token *value = &item->value;

	if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
		return read_bracket(reader, member, item, event, err);
	if (!take_member(reader, member, value, event))
		return ctp_no_memory(err);
	if (is_kept(member) && !reader->no_args) {
		struct json_token key =
			json_key_cache_key(&reader->shape, &reader->read, item);

		chrome_read_members_note(reader->members, &key, value);
	}
	return CTP_OK;
}

static enum ctp_status read_members(struct chrome_read_json_reader *reader,
	struct chrome_read_json *event, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		const struct json_member *item = reader->read.items;
		const struct json_member *end;

		status = json_key_cache_read(
			&reader->shape, reader->scan, &reader->read, err);
		end = item + reader->read.count;
		for (; status == CTP_OK && item < end; item++) {
			if (item->value.kind == JSON_END)
				return CTP_OK;
			status = read_member(reader, item, event, err);
		}
	}
	return status;
}

enum ctp_status chrome_read_json_read(struct chrome_read_json_reader *reader,
	const struct json_token *begin, struct chrome_read_json *event,
	struct ctp_error *err)
{
	static const struct json_token none = {.kind = CHROME_READ_JSON_NONE};
	enum ctp_status status;

	*event = (struct chrome_read_json){
		.name = none,
		.category = none,
		.pid = none,
		.tid = none,
		.id = none,
		.local_id = none,
		.scope = none,
		.reach = none,
		.bind = none,
		.frame = none,
	};
	if (!chrome_read_args_reset(reader->args))
		return ctp_no_memory(err);
	chrome_read_members_reset(reader->members);
	json_scan_let_go(reader->scan);
	json_scan_keep(reader->scan, begin);
	status = read_members(reader, event, err);
	if (!event->has_dur && event->has_thread_dur) {
		event->has_dur = true;
		event->dur_ns = event->thread_dur_ns;
	}
	return status;
}
