/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_members.h"

#include <string.h>

#include "json/json_value.h"
#include "base/strtab.h"
#include "chrome_read/chrome_read_json.h"

void chrome_read_members_clear(struct chrome_read_members *members)
{
	buffer_clear(&members->key);
}

void chrome_read_members_reset(struct chrome_read_members *members)
{
	members->count = 0;
	members->missed = 0;
}

static void note(
	struct chrome_read_members *members, struct chrome_read_member member)
{
	if (members->count == CHROME_READ_MEMBERS_MAX)
		members->missed++;
	else
		members->items[members->count++] = member;
}

void chrome_read_members_note(struct chrome_read_members *members,
	const struct json_token *key, const struct json_token *value)
{
	note(members,
		(struct chrome_read_member){.key = *key, .value = *value});
}

void chrome_read_members_note_nested(struct chrome_read_members *members,
	const struct json_scan *scan, const struct json_token *key,
	uint64_t from)
{
	size_t size = (size_t)(json_scan_position(scan) - from);

	note(members, (struct chrome_read_member){
			      .key = *key, .from = from, .nested_size = size});
}

/* The number of a key in the trace's table; STRTAB_NONE if out of memory. */
static uint32_t make_key(struct chrome_read_members *members,
	struct chrome_read_args *args, const char *where, const char *text,
	size_t size)
{
	members->key.used = 0;
	buffer_add_text(&members->key, where);
	buffer_add(&members->key, text, size);
	if (members->key.failed)
		return STRTAB_NONE;
	return strtab_add(args->trace->text, (const char *)members->key.bytes,
		members->key.used);
}

static bool keep_item(struct chrome_read_members *members,
	struct chrome_read_args *args, const struct json_scan *scan,
	const char *where, const struct chrome_read_member *item)
{
	const struct json_token all = {
		.at = item->from, .size = (uint32_t)item->nested_size};
	const char *text;
	size_t size;
	uint32_t key;

	if (!chrome_read_args_plain(args, scan, &item->key, &text, &size))
		return false;
	key = make_key(members, args, where, text, size);
	if (key == STRTAB_NONE)
		return false;
	if (item->nested_size == 0)
		return chrome_read_args_add_token(
			args, key, scan, &item->value);
	return chrome_read_args_add_nested(args, key, scan, &all);
}

/* One that has a meaning for us, if it is there. */
static bool keep_known(struct chrome_read_members *members,
	struct chrome_read_args *args, const struct json_scan *scan,
	const char *name, const struct json_token *value)
{
	uint32_t key;

	if (value->kind == CHROME_READ_JSON_NONE)
		return true;
	key = make_key(members, args, TRACE_MEMBER, name, strlen(name));
	return key != STRTAB_NONE &&
	       chrome_read_args_add_token(args, key, scan, value);
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

/* Is the id written again as it is? */
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

/* An arrow ends in the slice that is open, or without "bp" at the next one. */
static bool keep_bind(struct chrome_read_members *members,
	struct chrome_read_args *args, const struct json_scan *scan,
	const struct chrome_read_json *event)
{
	uint32_t key;

	if (event->phase != 'f' || event->bind.kind != CHROME_READ_JSON_NONE)
		return (event->phase == 'f' &&
			       is_text(scan, &event->bind, "e")) ||
		       keep_known(members, args, scan, "bp", &event->bind);
	key = make_key(members, args, TRACE_MEMBER, "bp", 2);
	return key != STRTAB_NONE &&
	       chrome_read_args_add_json(args, key, "null", 4);
}

/* Phases that have become instants, and are others. Samples are shown. */
static bool keep_phase(
	struct chrome_read_args *args, const struct chrome_read_json *event)
{
	char phase = event->phase;

	if (!is_phase(event, "RnTpNODcvV()="))
		return true;
	/* The steps of what is written as "b" and "e" now. */
	if (phase == 'T' || phase == 'p')
		phase = 'n';
	return chrome_read_args_add_text(args, TRACE_MEMBER "ph", &phase, 1);
}

/* A slice with no members but those that all have: most are that. */
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

bool chrome_read_members_keep(struct chrome_read_members *members,
	struct chrome_read_args *args, const struct json_scan *scan,
	const struct chrome_read_json *event)
{
	const char *where =
		event->phase == 'E' ? TRACE_MEMBER_OF_END : TRACE_MEMBER;
	bool done = true;

	if (is_usual(members, event))
		return true;
	/* Arguments of a counter are its lines. */
	if (event->phase == 'C')
		members->missed += members->count +
				   (event->id.kind != CHROME_READ_JSON_NONE);
	trace_lose(args->trace, LOSS_NOT_SHOWN, members->missed);
	if (event->phase == 'C')
		return true;
	for (uint32_t i = 0; i < members->count && done; i++)
		done = keep_item(
			members, args, scan, where, &members->items[i]);
	if (event->phase == 'E')
		return done;
	if (!is_plain_id(scan, event))
		done = done &&
		       keep_known(members, args, scan, "id", &event->id);
	if (!is_text(scan, &event->reach, "t"))
		done = done &&
		       keep_known(members, args, scan, "s", &event->reach);
	return done && keep_bind(members, args, scan, event) &&
	       keep_phase(args, event) &&
	       keep_known(members, args, scan, "scope", &event->scope);
}
