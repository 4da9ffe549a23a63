/* SPDX-License-Identifier: MIT */
#include "chrome_args.h"

#include <string.h>

#include "json_arg.h"
#include "memory.h"
#include "trace_members.h"

/* What a member's text begins with that stands beside the arguments. */
#define MEMBER "\"" TRACE_MEMBER
#define MEMBER_SIZE (sizeof(MEMBER) - 1)

struct chrome_arg {
	uint32_t key; /* in chrome_text.keys */
	size_t start; /* in chrome_args.text */
	size_t size;
};

void chrome_args_clear(struct chrome_args *args)
{
	memory_free(args->items);
	buffer_clear(&args->text);
	*args = (struct chrome_args)CHROME_ARGS_INIT;
}

void chrome_args_reset(struct chrome_args *args)
{
	args->count = 0;
	args->text.used = 0;
}

bool chrome_args_has(const struct chrome_args *args, uint32_t key)
{
	for (uint32_t i = 0; i < args->count; i++)
		if (args->items[i].key == key)
			return true;
	return false;
}

/* Takes the text of this key out, so that a key that is set again and again
 * does not take more and more memory. */
static void drop(struct chrome_args *args, uint32_t key)
{
	struct chrome_arg *items = args->items;
	uint8_t *bytes = args->text.bytes;
	uint32_t at = 0;
	size_t end;
	size_t size;

	while (at < args->count && items[at].key != key)
		at++;
	if (at == args->count)
		return;
	size = items[at].size;
	end = items[at].start + size;
	memmove(bytes + end - size, bytes + end, args->text.used - end);
	args->text.used -= size;
	args->count--;
	for (; at < args->count; at++) {
		items[at] = items[at + 1];
		items[at].start -= size;
	}
}

/* Sets a key to text that is a whole JSON member. */
static bool set(struct chrome_args *args, uint32_t key, const struct json *json)
{
	size_t start;

	if (json->failed)
		return false;
	drop(args, key);
	if (!memory_grow32(&args->items, args->count, &args->room,
		    sizeof(*args->items)))
		return false;
	start = args->text.used;
	buffer_add(&args->text, json->bytes, json->used);
	args->items[args->count++] =
		(struct chrome_arg){key, start, json->used};
	return !args->text.failed;
}

static struct json *begin_member(struct chrome_text *text, uint32_t key)
{
	struct json *json = chrome_text_scratch(text);
	size_t size;
	const char *bytes = strtab_text(text->keys, key, &size);

	json_raw(json, bytes, size);
	return json;
}

bool chrome_args_add(struct chrome_args *args, struct chrome_text *text,
	const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++) {
		uint32_t key = chrome_text_key(text, event->args[i].key);
		struct json *json;

		if (key == 0)
			return false;
		json = begin_member(text, key);
		json_arg(json, &event->args[i]);
		if (!set(args, key, json))
			return false;
	}
	return true;
}

bool chrome_args_add_int(struct chrome_args *args, struct chrome_text *text,
	uint32_t key, int64_t value)
{
	struct json *json = begin_member(text, key);

	json_int(json, value);
	return set(args, key, json);
}

bool chrome_args_add_double(struct chrome_args *args, struct chrome_text *text,
	uint32_t key, double value)
{
	struct json *json = begin_member(text, key);

	json_double(json, value);
	return set(args, key, json);
}

bool chrome_args_add_category(
	struct chrome_args *args, struct chrome_text *text, uint32_t site)
{
	uint32_t category = text->trace->sites[site].category;
	struct json *json;
	size_t size;
	const char *bytes = strtab_text(text->trace->text, category, &size);

	if (category == 0)
		return true;
	json = begin_member(text, CHROME_KEY_CATEGORY);
	json_text_sized(json, bytes, size);
	return set(args, CHROME_KEY_CATEGORY, json);
}

bool chrome_args_add_open(struct chrome_args *args, struct chrome_text *text)
{
	struct json *json;

	if (chrome_args_has(args, CHROME_KEY_OPEN))
		return true;
	json = begin_member(text, CHROME_KEY_OPEN);
	json_bool(json, true);
	return set(args, CHROME_KEY_OPEN, json);
}

char chrome_args_take_phase(struct chrome_args *args)
{
	static const char phase[] = MEMBER "ph\":\"?\"";
	const size_t at = sizeof(phase) - sizeof("?\"");

	for (uint32_t i = 0; i < args->count; i++) {
		const struct chrome_arg *item = &args->items[i];
		char letter;

		if (item->key != CHROME_KEY_MEMBER_PHASE ||
			item->size != sizeof(phase) - 1)
			continue;
		letter = (char)args->text.bytes[item->start + at];
		if (strchr("RnNODcvV", letter) == NULL)
			continue;
		drop(args, CHROME_KEY_MEMBER_PHASE);
		return letter;
	}
	return 0;
}

/* Is it one of the event's own, and none that an event has anyway? */
static bool is_member(const char *text, size_t size)
{
	static const char *const taken[] = {
		"ph", "ts", "dur", "pid", "tid", "name", "cat", "args"};
	const char *name = text + MEMBER_SIZE;
	const char *end;

	if (size < MEMBER_SIZE || memcmp(text, MEMBER, MEMBER_SIZE) != 0)
		return false;
	end = memchr(name, '"', size - MEMBER_SIZE);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (strlen(taken[i]) == (size_t)(end - name) &&
			memcmp(name, taken[i], strlen(taken[i])) == 0)
			return false;
	return true;
}

static void write_member(struct json *json, const char *text, size_t size)
{
	if (size > 5 && memcmp(text + size - 5, ":null", 5) == 0)
		return;
	json_raw_text(json, ",\"");
	json_raw(json, text + MEMBER_SIZE, size - MEMBER_SIZE);
}

/* Writes one member; the first opens the object. */
static void member(
	struct json *json, bool *first, const void *bytes, size_t size)
{
	json_raw_text(json, *first ? ",\"args\":{" : ",");
	*first = false;
	json_raw(json, bytes, size);
}

void chrome_args_write(struct json *json, const struct chrome_site *site,
	const struct chrome_args *args)
{
	bool first = true;
	bool beside = false;

	if (site != NULL && site->file_size > 0 &&
		(args == NULL || !chrome_args_has(args, CHROME_KEY_FILE)))
		member(json, &first, site->bytes + site->file_at,
			site->file_size);
	if (site != NULL && site->line_size > 0 &&
		(args == NULL || !chrome_args_has(args, CHROME_KEY_LINE)))
		member(json, &first, site->bytes + site->line_at,
			site->line_size);
	for (uint32_t i = 0; args != NULL && i < args->count; i++) {
		const struct chrome_arg *item = &args->items[i];
		const char *text = (char *)args->text.bytes + item->start;

		if (is_member(text, item->size))
			beside = true;
		else
			member(json, &first, text, item->size);
	}
	if (!first)
		json_raw_text(json, "}");
	for (uint32_t i = 0; beside && i < args->count; i++) {
		const struct chrome_arg *item = &args->items[i];
		const char *text = (char *)args->text.bytes + item->start;

		if (is_member(text, item->size))
			write_member(json, text, item->size);
	}
}

void chrome_args_write_object(struct json *json, const struct chrome_args *args)
{
	json_begin(json, '{');
	for (uint32_t i = 0; i < args->count; i++)
		json_value(json,
			(char *)args->text.bytes + args->items[i].start,
			args->items[i].size);
	json_end(json, '}');
}
