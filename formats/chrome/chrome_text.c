/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_text.h"

#include <assert.h>
#include <string.h>

#include "chrome/chrome_args.h"
#include "chrome/chrome_facts.h"
#include "base/memory.h"
#include "chrome/trace_members.h"

/* Is it one of the event's own, and none that an event has anyway? */
static bool is_beside(const char *key, size_t size)
{
	static const char *const taken[] = {
		"ph", "ts", "dur", "pid", "tid", "name", "cat", "args"};
	const char *name = key + CHROME_MEMBER_SIZE;
	const char *end;

	if (size < CHROME_MEMBER_SIZE ||
		memcmp(key, CHROME_MEMBER, CHROME_MEMBER_SIZE) != 0)
		return false;
	end = memchr(name, '"', size - CHROME_MEMBER_SIZE);
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (strlen(taken[i]) == (size_t)(end - name) &&
			memcmp(name, taken[i], strlen(taken[i])) == 0)
			return false;
	return true;
}

/* Adds `"key":` to the keys; its number there, 0 if out of memory. */
static uint32_t add_key(
	struct chrome_text *text, const char *bytes, size_t size)
{
	uint32_t number = strtab_add(text->keys, bytes, size);

	if (number == STRTAB_NONE ||
		!memory_reach(&text->made, number, &text->made_room,
			sizeof(*text->made)))
		return 0;
	text->made[number] = (struct chrome_key){
		.bytes = strtab_text(text->keys, number, NULL),
		.size = size,
		.number = number,
		.is_beside = is_beside(bytes, size)};
	return number;
}

bool chrome_text_init(struct chrome_text *text, const struct trace *trace)
{
	static const char *const own[] = {
		[CHROME_KEY_FILE] = "\"file\":",
		[CHROME_KEY_LINE] = "\"line\":",
		[CHROME_KEY_OPEN] = "\"open\":",
		[CHROME_KEY_EXTERNAL_ID] = "\"External id\":",
		[CHROME_KEY_CORRELATION] = "\"correlation\":",
		[CHROME_KEY_CATEGORY] = "\"category\":",
		[CHROME_KEY_DEVICE] = "\"device\":",
		[CHROME_KEY_CONTEXT] = "\"context\":",
		[CHROME_KEY_STREAM] = "\"stream\":",
		[CHROME_KEY_BYTES] = "\"bytes\":",
		[CHROME_KEY_BANDWIDTH] = "\"memory bandwidth (GB/s)\":",
		[CHROME_KEY_QUEUED] = "\"queued\":",
		[CHROME_KEY_BLOCKS] = "\"blocks per SM\":",
		[CHROME_KEY_WARPS] = "\"warps per SM\":",
		[CHROME_KEY_OCCUPANCY] = "\"est. achieved occupancy %\":",
		[CHROME_KEY_ID] = "\"id\":",
		[CHROME_KEY_PID] = "\"pid\":",
		[CHROME_KEY_MEMBER_PHASE] = "\"event.ph\":",
		[CHROME_KEY_MEMBER_ID] = "\"event.id\":",
		[CHROME_KEY_MEMBER_ID2] = "\"event.id2\":",
		[CHROME_KEY_MEMBER_SCOPE] = "\"event.scope\":",
		[CHROME_KEY_MEMBER_REACH] = "\"event.s\":",
		[CHROME_KEY_MEMBER_BIND] = "\"event.bp\":",
	};

	*text = (struct chrome_text){.trace = trace};
	text->keys = strtab_new();
	if (text->keys == NULL || !json_init(&text->scratch, NULL))
		return false;
	for (uint32_t i = CHROME_KEY_FILE; i < CHROME_KEYS; i++)
		if (add_key(text, own[i], strlen(own[i])) != i)
			return false;
	text->runtime_category = strtab_add(trace->text, "cuda_runtime", 12);
	text->driver_category = strtab_add(trace->text, "cuda_driver", 11);
	return text->runtime_category != STRTAB_NONE &&
	       text->driver_category != STRTAB_NONE;
}

void chrome_text_clear(struct chrome_text *text)
{
	for (uint32_t i = 0; i < text->site_count; i++)
		memory_free(text->sites[i].bytes);
	memory_free(text->sites);
	memory_free(text->key_of_text);
	memory_free(text->made);
	chrome_args_free_spare(text);
	strtab_free(text->keys);
	json_clear(&text->scratch);
}

bool chrome_text_is_call(const struct chrome_text *text, uint32_t site)
{
	uint32_t category = text->trace->sites[site].category;

	return category == text->runtime_category ||
	       category == text->driver_category;
}

struct json *chrome_text_scratch(struct chrome_text *text)
{
	text->scratch.used = 0;
	text->scratch.comma = false;
	text->scratch.failed = false;
	return &text->scratch;
}

static void raw_string(
	struct json *json, const struct strtab *table, uint32_t number)
{
	size_t size;
	const char *bytes = strtab_text(table, number, &size);

	json_raw_string(json, bytes, size);
}

/* Both, even if one is not known: alone, "file" is an argument like others to
 * trace_args.c. */
static void write_place(struct chrome_text *text, struct chrome_site *made,
	const struct trace_site *site)
{
	struct json *json = &text->scratch;
	bool has_place = site->file != 0 || site->line != 0;

	json_raw_text(json, ",\"args\":{");
	made->file_at = json->used;
	if (has_place) {
		json_raw_text(json, "\"file\":");
		raw_string(json, text->trace->text, site->file);
	}
	made->file_size = json->used - made->file_at;
	if (has_place)
		json_raw_text(json, ",");
	made->line_at = json->used;
	if (has_place) {
		json_raw_text(json, "\"line\":");
		json_uint(json, site->line);
	}
	if (has_place && site->call_line != 0)
		json_raw_text(json, ",");
	if (site->call_line != 0) {
		json_raw_text(json, "\"call_line\":");
		/* The one that the line has left for an item after it. */
		json->comma = false;
		json_uint(json, site->call_line);
	}
	made->line_size = json->used - made->line_at;
}

/* Makes the entry in the scratch, then copies it to where it stays. */
static bool make_site(struct chrome_text *text, uint32_t number)
{
	struct chrome_site *made = &text->sites[number];
	struct json *json = chrome_text_scratch(text);
	struct trace_site site;

	assert(number < text->trace->site_count);
	site = text->trace->sites[number];
	json_raw_text(json, ",\"name\":");
	raw_string(json, text->trace->text, site.name);
	made->name_size = json->used;
	json_raw_text(json, ",\"cat\":");
	if (site.category == 0)
		json_raw_text(json, "\"" CHROME_NO_CATEGORY "\"");
	else
		raw_string(json, text->trace->text, site.category);
	made->cat_size = json->used;
	if (site.file != 0 || site.line != 0 || site.call_line != 0)
		write_place(text, made, &site);
	if (json->failed)
		return false;
	made->bytes = memory_new(json->used);
	if (made->bytes == NULL)
		return false;
	memcpy(made->bytes, json->bytes, json->used);
	made->size = json->used;
	return true;
}

const struct chrome_site *chrome_text_make_site(
	struct chrome_text *text, uint32_t site)
{
	if (!memory_reach(&text->sites, site, &text->site_count,
		    sizeof(*text->sites)))
		return NULL;
	if (text->sites[site].bytes == NULL && !make_site(text, site))
		return NULL;
	return &text->sites[site];
}

const struct chrome_key *chrome_text_make_key(
	struct chrome_text *text, uint32_t number)
{
	struct json *json;
	uint32_t key;

	if (!memory_reach(&text->key_of_text, number, &text->key_room,
		    sizeof(*text->key_of_text)))
		return NULL;
	json = chrome_text_scratch(text);
	raw_string(json, text->trace->text, number);
	json_raw_text(json, ":");
	if (json->failed)
		return NULL;
	key = add_key(text, json->bytes, json->used);
	if (key == 0)
		return NULL;
	text->key_of_text[number] = key;
	return &text->made[key];
}
