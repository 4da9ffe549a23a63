/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_json.h"

#include <string.h>

#include "json/json_value.h"
#include "base/strtab.h"
#include "compilers/build_details.h"

/* Numbers with three more digits than this are below 2^64. */
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

/* Most times have up to SHORT_DIGITS digits, and perhaps three decimals. They
 * are followed by more than a word of room. */
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
		!json_value_sixteen_digits(text, before, &whole) ||
		!json_value_eight_digits(
			text + size - behind, behind, &fraction))
		return false;
	*time_ns = (int64_t)(whole * 1000 + fraction * scales[behind]);
	return *time_ns >= 0;
}

/* Reads a time in microseconds - a number, or a string with one - as
 * nanoseconds; false if it is invalid. */
static bool read_time(const struct json_scan *scan,
	const struct json_token *token, int64_t *time_ns)
{
	const char *text = json_scan_text(scan, token);

	if (token->kind != JSON_NUMBER && token->kind != JSON_STRING)
		return false;
	return short_time(text, token->size, time_ns) ||
	       json_value_scaled(text, token->size, 3, time_ns);
}

static void reset_members(struct chrome_read_members *members)
{
	members->count = 0;
	members->missed = 0;
}

static void add_item(
	struct chrome_read_members *members, struct chrome_read_member member)
{
	if (members->count == CHROME_READ_MEMBERS_MAX)
		members->missed++;
	else
		members->items[members->count++] = member;
}

/* The scanner keeps the text until chrome_read_json_add_members(). */
static void record_scalar(struct chrome_read_members *members,
	const struct json_token *key, const struct json_token *value)
{
	add_item(members,
		(struct chrome_read_member){.key = *key, .value = *value});
}

/* Records an object or array that began at `from` and was just read. */
static void record_nested(struct chrome_read_json_reader *reader,
	const struct json_token *key, uint64_t from)
{
	size_t size = (size_t)(json_scan_position(reader->scan) - from);

	add_item(&reader->members,
		(struct chrome_read_member){
			.key = *key, .from = from, .nested_size = size});
}

/* By size first: comparing a constant number of bytes compiles to integer
 * comparisons. */
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
	       token->size == strlen(BUILD_DETAIL_SOURCE) &&
	       memcmp(json_scan_text(scan, token), BUILD_DETAIL_SOURCE,
		       token->size) == 0;
}

/* The arguments of the event that are worth reading. Members before them in the
 * file are known; members after them may be anything. */
static uint32_t wanted_args(const struct chrome_read_json_reader *reader,
	const struct chrome_read_json *event)
{
	uint32_t kept = reader->keeps_args ? CHROME_READ_WANT_KEPT : 0;

	if (!reader->skip_args || event->phase == 0 || event->phase == 'M' ||
		event->phase == 'C' ||
		event->name.kind == CHROME_READ_JSON_NONE)
		return CHROME_READ_WANT_ALL;
	if (reader->details && event->phase == 'b' &&
		chrome_read_json_is_source(reader->scan, &event->name))
		return CHROME_READ_WANT_KEPT;
	if (event->phase == 'i')
		return event->kind != CHROME_READ_NO_CATEGORY &&
				       chrome_read_labels_is_whole(
					       reader->labels, event->kind)
			       ? CHROME_READ_WANT_ALL
			       : kept;
	if (event->phase != 'X' && event->phase != 'B' && event->phase != 'E')
		return 0;
	if (event->kind != CHROME_READ_NO_CATEGORY)
		return chrome_read_labels_wanted(
			reader->labels, event->kind, reader->keeps_args);
	if (reader->details)
		kept = CHROME_READ_WANT_KEPT;
	return event->phase == 'E' ? kept : CHROME_READ_WANT_KNOWN | kept;
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

/* An object or array other than the arguments. */
static enum ctp_status read_other(struct chrome_read_json_reader *reader,
	enum member member, const struct json_member *item,
	struct chrome_read_json *event, struct ctp_error *err)
{
	struct json_token key =
		json_key_cache_key(&reader->key_cache, &reader->read, item);
	uint64_t from = json_scan_position(reader->scan) - 1;
	enum ctp_status status =
		member == MEMBER_ID2 && item->value.kind == JSON_OBJECT
			? read_id2(reader, event, err)
			: json_scan_skip(reader->scan, err);

	if (status == CTP_OK && !reader->skip_args)
		record_nested(reader, &key, from);
	return status;
}

static enum ctp_status read_bracket(struct chrome_read_json_reader *reader,
	enum member member, const struct json_member *item,
	struct chrome_read_json *event, struct ctp_error *err)
{
	uint32_t want;

	if (item->value.kind != JSON_OBJECT || member != MEMBER_ARGS)
		return read_other(reader, member, item, event, err);
	want = wanted_args(reader, event);
	if (reader->places && event->phase != 0 &&
		strchr("EMC", event->phase) == NULL) {
		reader->args->are_places = true;
		want |= CHROME_READ_WANT_PLACE;
	}
	if (want == 0)
		return json_scan_skip(reader->scan, err);
	return chrome_read_args_read(reader->args, reader->scan, want, err);
}

static bool read_scalar(struct chrome_read_json_reader *reader,
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
			reader->labels, reader->scan, token, &event->kind);
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

/* Is the member's information only in the member itself? */
static bool is_kept(enum member member)
{
	return member == MEMBER_OTHER || member == MEMBER_THREAD_DUR;
}

/* The meaning of a new member, which its step has from now on. */
static enum member learn_member(
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
		reader->read.is_new ? learn_member(reader, item)
				    : (enum member)reader->meanings[item->step];
	const struct json_token *value = &item->value;

	if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
		return read_bracket(reader, member, item, event, err);
	if (!read_scalar(reader, member, value, event))
		return ctp_no_memory(err);
	if (is_kept(member) && !reader->skip_args) {
		struct json_token key = json_key_cache_key(
			&reader->key_cache, &reader->read, item);

		record_scalar(&reader->members, &key, value);
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
			&reader->key_cache, reader->scan, &reader->read, err);
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
	reset_members(&reader->members);
	json_scan_unpin(reader->scan);
	json_scan_pin(reader->scan, begin);
	status = read_members(reader, event, err);
	if (!event->has_dur && event->has_thread_dur) {
		event->has_dur = true;
		event->dur_ns = event->thread_dur_ns;
	}
	return status;
}

/* The number of a key in the trace's table; STRTAB_NONE if out of memory. */
static uint32_t make_key(struct chrome_read_json_reader *reader,
	const char *where, const char *text, size_t size)
{
	struct buffer *key = &reader->members.key;

	key->used = 0;
	buffer_add_text(key, where);
	buffer_add(key, text, size);
	if (key->failed)
		return STRTAB_NONE;
	return strtab_add(
		reader->args->trace->text, (const char *)key->bytes, key->used);
}

static bool add_other(struct chrome_read_json_reader *reader, const char *where,
	const struct chrome_read_member *item)
{
	const struct json_token all = {
		.at = item->from, .size = (uint32_t)item->nested_size};
	const char *text;
	size_t size;
	uint32_t key;

	if (!chrome_read_args_plain(
		    reader->args, reader->scan, &item->key, &text, &size))
		return false;
	key = make_key(reader, where, text, size);
	if (key == STRTAB_NONE)
		return false;
	if (item->nested_size == 0)
		return chrome_read_args_add_token(
			reader->args, key, reader->scan, &item->value);
	return chrome_read_args_add_nested(
		reader->args, key, reader->scan, &all);
}

/* Adds a member that we interpret, if it exists. */
static bool add_known(struct chrome_read_json_reader *reader, const char *name,
	const struct json_token *value)
{
	uint32_t key;

	if (value->kind == CHROME_READ_JSON_NONE)
		return true;
	key = make_key(reader, TRACE_MEMBER, name, strlen(name));
	return key != STRTAB_NONE && chrome_read_args_add_token(reader->args,
					     key, reader->scan, value);
}

static bool is_text(const struct json_scan *scan,
	const struct json_token *token, const char *text)
{
	return token->kind == JSON_STRING && token->size == strlen(text) &&
	       memcmp(json_scan_text(scan, token), text, token->size) == 0;
}

static bool is_phase(const struct chrome_read_json *event, const char *phases)
{
	return strchr(phases, event->phase) != NULL;
}

/* Will the id be written unchanged? */
static bool is_plain_id(
	const struct json_scan *scan, const struct chrome_read_json *event)
{
	uint64_t id;

	return is_phase(event, "beSFstf") &&
	       (event->id.kind == JSON_NUMBER ||
		       event->id.kind == JSON_STRING) &&
	       json_value_id(
		       json_scan_text(scan, &event->id), event->id.size, &id);
}

/* An arrow ends in the open slice, or without "bp" at the next one. */
static bool add_bind(struct chrome_read_json_reader *reader,
	const struct chrome_read_json *event)
{
	uint32_t key;

	if (event->phase != 'f' || event->bind.kind != CHROME_READ_JSON_NONE)
		return (event->phase == 'f' &&
			       is_text(reader->scan, &event->bind, "e")) ||
		       add_known(reader, "bp", &event->bind);
	key = make_key(reader, TRACE_MEMBER, "bp", 2);
	return key != STRTAB_NONE &&
	       chrome_read_args_add_json(reader->args, key, "null", 4);
}

/* Keeps phases that were converted to instants. Samples stay instants. */
static bool add_phase(
	struct chrome_read_args *args, const struct chrome_read_json *event)
{
	char phase = event->phase;

	if (!is_phase(event, "RnTpNODcvV()="))
		return true;
	/* The steps of ranges that are now written as "b" and "e". */
	if (phase == 'T' || phase == 'p')
		phase = 'n';
	return chrome_read_args_add_text(args, TRACE_MEMBER "ph", &phase, 1);
}

/* A slice with only the standard members, as most are. */
static bool is_usual(const struct chrome_read_members *members,
	const struct chrome_read_json *event)
{
	return event->phase == 'X' && members->count == 0 &&
	       members->missed == 0 &&
	       event->id.kind == CHROME_READ_JSON_NONE &&
	       event->reach.kind == CHROME_READ_JSON_NONE &&
	       event->bind.kind == CHROME_READ_JSON_NONE &&
	       event->scope.kind == CHROME_READ_JSON_NONE;
}

bool chrome_read_json_add_members(struct chrome_read_json_reader *reader,
	const struct chrome_read_json *event)
{
	struct chrome_read_members *members = &reader->members;
	const char *where =
		event->phase == 'E' ? TRACE_MEMBER_OF_END : TRACE_MEMBER;
	bool done = true;

	if (is_usual(members, event))
		return true;
	/* A counter's arguments are its series. */
	if (event->phase == 'C')
		members->missed += members->count +
				   (event->id.kind != CHROME_READ_JSON_NONE);
	trace_lose(reader->args->trace, LOSS_NOT_KEPT, members->missed);
	if (event->phase == 'C')
		return true;
	for (uint32_t i = 0; i < members->count && done; i++)
		done = add_other(reader, where, &members->items[i]);
	if (event->phase == 'E')
		return done;
	if (!is_plain_id(reader->scan, event))
		done = done && add_known(reader, "id", &event->id);
	if (!is_text(reader->scan, &event->reach, "t"))
		done = done && add_known(reader, "s", &event->reach);
	return done && add_bind(reader, event) &&
	       add_phase(reader->args, event) &&
	       add_known(reader, "scope", &event->scope);
}

void chrome_read_json_clear(struct chrome_read_json_reader *reader)
{
	buffer_clear(&reader->members.key);
}
