/* SPDX-License-Identifier: MIT */
/*
 * gprof2dot's JSON, with samples of stacks, the innermost function first. If
 * there are several costs, the first is used. Its unit counts if it is a time
 * and comes before the samples; otherwise one unit is 1 ns. Source: gprof2dot's
 * JsonParser, and its schema. Members may come in any order, so samples wait
 * until all functions are known.
 *
 * "gprof2dot" alone stands for the best format to give to it, see
 * bin/input/format_names.c.
 */
#include "format.h"

#include <string.h>

#include "json/json_members.h"
#include "json/json_value.h"
#include "base/memory.h"
#include "profiles/profile_source.h"
#include "profiles/stacks.h"
#include "io/unit.h"
#include "base/utf8.h"

enum key {
	KEY_CALLCHAIN,
	KEY_COST,
	KEY_COSTS,
	KEY_DESCRIPTION,
	KEY_EVENTS,
	KEY_FUNCTIONS,
	KEY_MODULE,
	KEY_NAME,
	KEY_UNIT,
	KEY_OTHER,
};

static const char *const key_names[KEY_OTHER] = {
	[KEY_CALLCHAIN] = "callchain",
	[KEY_COST] = "cost",
	[KEY_COSTS] = "costs",
	[KEY_DESCRIPTION] = "description",
	[KEY_EVENTS] = "events",
	[KEY_FUNCTIONS] = "functions",
	[KEY_MODULE] = "module",
	[KEY_NAME] = "name",
	[KEY_UNIT] = "unit",
};

/* A sample: its functions begin at `first`, and end where the next one's do. */
struct sample {
	size_t first;
	int64_t time_ns;
};

struct reader {
	struct profile_source *from;
	struct json_scan *scan;
	struct json_members members;
	uint32_t *functions; /* in the profile, by their number in the file */
	size_t function_count, function_room;
	struct sample *samples;
	size_t sample_count, sample_room;
	uint32_t *frames;
	size_t frame_count, frame_room;
	int power; /* the unit of the cost in use, as a power of ten of a
		    * nanosecond */
	unsigned cost_count;
	/* The item being read. */
	struct buffer text; /* of a string, unescaped */
	struct buffer name;
	struct buffer module;
	bool has_cost;
	bool is_bad;
	int64_t time_ns;
};

static void count_bad(struct reader *reader)
{
	trace_lose(reader->from->source.trace, LOSS_BAD_EVENTS, 1);
}

/* False if out of memory. */
static bool read_text(struct reader *reader, const struct json_token *token,
	struct buffer *out)
{
	out->used = 0;
	reader->text.used = 0;
	if (token->kind == JSON_STRING &&
		!json_value_unescape(json_scan_text(reader->scan, token),
			token->size, &reader->text))
		return false;
	utf8_add_nonzero(
		out, (const char *)reader->text.bytes, reader->text.used);
	buffer_add_byte(out, '\0');
	return !out->failed;
}

/* Called before an object, because these members are optional. False if out of
 * memory. */
static bool empty_texts(struct reader *reader)
{
	reader->name.used = 0;
	reader->module.used = 0;
	buffer_add_byte(&reader->name, '\0');
	buffer_add_byte(&reader->module, '\0');
	return !reader->name.failed && !reader->module.failed;
}

static enum ctp_status add_function_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;

	if ((key == KEY_NAME && !read_text(reader, value, &reader->name)) ||
		(key == KEY_MODULE &&
			!read_text(reader, value, &reader->module)))
		return ctp_no_memory(err);
	return json_members_skip(&reader->members, value, err);
}

static enum ctp_status add_function(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	enum ctp_status status = CTP_OK;
	uint32_t function;

	if (!array_reserve(&reader->functions, reader->function_count,
		    &reader->function_room, sizeof(*reader->functions)))
		return ctp_no_memory(err);
	if (!empty_texts(reader))
		return ctp_no_memory(err);
	if (value->kind == JSON_OBJECT)
		status = json_members_object(
			&reader->members, add_function_member, err);
	else
		status = json_members_skip(&reader->members, value, err);
	if (status != CTP_OK)
		return status;
	function = profile_add_function(reader->from->profile,
		(char *)reader->name.bytes, (char *)reader->module.bytes, 0);
	if (function == PROFILE_NONE)
		return ctp_no_memory(err);
	reader->functions[reader->function_count++] = function;
	return CTP_OK;
}

static enum ctp_status add_frame(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	int64_t frame;

	if (!array_reserve(&reader->frames, reader->frame_count,
		    &reader->frame_room, sizeof(*reader->frames)))
		return ctp_no_memory(err);
	if (value->kind == JSON_NUMBER &&
		json_value_scaled(json_scan_text(reader->scan, value),
			value->size, 0, &frame) &&
		frame >= 0 && frame < UINT32_MAX)
		reader->frames[reader->frame_count++] = (uint32_t)frame;
	else
		reader->is_bad = true;
	return json_members_skip(&reader->members, value, err);
}

static enum ctp_status add_cost(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;

	if (!reader->has_cost &&
		(value->kind != JSON_NUMBER ||
			!json_value_scaled(json_scan_text(reader->scan, value),
				value->size, reader->power, &reader->time_ns) ||
			reader->time_ns < 0))
		reader->is_bad = true;
	reader->has_cost = true;
	return json_members_skip(&reader->members, value, err);
}

static enum ctp_status add_event_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;

	if (key == KEY_CALLCHAIN)
		return json_members_array(
			&reader->members, value, add_frame, err);
	if (key == KEY_COST)
		return json_members_array(
			&reader->members, value, add_cost, err);
	return json_members_skip(&reader->members, value, err);
}

static enum ctp_status add_event(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	size_t first = reader->frame_count;
	enum ctp_status status;

	if (!array_reserve(&reader->samples, reader->sample_count,
		    &reader->sample_room, sizeof(*reader->samples)))
		return ctp_no_memory(err);
	reader->has_cost = false;
	reader->is_bad = false;
	status = value->kind == JSON_OBJECT
			 ? json_members_object(
				   &reader->members, add_event_member, err)
			 : json_members_skip(&reader->members, value, err);
	if (status != CTP_OK)
		return status;
	if (reader->is_bad || !reader->has_cost) {
		count_bad(reader);
		reader->frame_count = first;
		return CTP_OK;
	}
	reader->samples[reader->sample_count++] =
		(struct sample){first, reader->time_ns};
	return CTP_OK;
}

static enum ctp_status add_cost_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;

	if (reader->cost_count == 0 &&
		((key == KEY_DESCRIPTION &&
			 !read_text(reader, value, &reader->name)) ||
			(key == KEY_UNIT &&
				!read_text(reader, value, &reader->module))))
		return ctp_no_memory(err);
	return json_members_skip(&reader->members, value, err);
}

/* Sets the fact `cost`, such as "Memory (bytes)". False if out of memory. */
static bool set_cost_fact(struct reader *reader)
{
	const char *unit = (const char *)reader->module.bytes;
	struct buffer *text = &reader->text;

	(void)unit_power(unit, strlen(unit), &reader->power);
	text->used = 0;
	buffer_add_text(text, (const char *)reader->name.bytes);
	if (*unit != '\0') {
		buffer_add_text(text, " (");
		buffer_add_text(text, unit);
		buffer_add_text(text, ")");
	}
	buffer_add_byte(text, '\0');
	if (text->failed)
		return false;
	return text->used == 1 || trace_set_fact(reader->from->source.trace,
					  "cost", (const char *)text->bytes);
}

static enum ctp_status add_cost_kind(
	void *user, const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;
	enum ctp_status status;

	if (!empty_texts(reader))
		return ctp_no_memory(err);
	status = value->kind == JSON_OBJECT
			 ? json_members_object(
				   &reader->members, add_cost_member, err)
			 : json_members_skip(&reader->members, value, err);
	if (status == CTP_OK && reader->cost_count == 0 &&
		!set_cost_fact(reader))
		status = ctp_no_memory(err);
	reader->cost_count++;
	return status;
}

static enum ctp_status add_member(void *user, unsigned key,
	const struct json_token *value, struct ctp_error *err)
{
	struct reader *reader = user;

	switch (key) {
	case KEY_COSTS:
		return json_members_array(
			&reader->members, value, add_cost_kind, err);
	case KEY_FUNCTIONS:
		return json_members_array(
			&reader->members, value, add_function, err);
	case KEY_EVENTS:
		return json_members_array(
			&reader->members, value, add_event, err);
	default:
		return json_members_skip(&reader->members, value, err);
	}
}

/* A sample's functions, the outermost first; false if one of them is
 * unknown. */
static bool has_functions(
	const struct reader *reader, const struct sample *sample, size_t end)
{
	for (size_t i = sample->first; i < end; i++)
		if (reader->frames[i] >= reader->function_count)
			return false;
	return end > sample->first;
}

static enum ctp_status add_samples(struct reader *reader, struct ctp_error *err)
{
	struct stacks stacks;
	bool ok = true;

	stacks_init(&stacks, reader->from->profile);
	for (size_t i = 0; i < reader->sample_count && ok; i++) {
		const struct sample *sample = &reader->samples[i];
		size_t at = i + 1 < reader->sample_count ? sample[1].first
							 : reader->frame_count;

		if (!has_functions(reader, sample, at) ||
			!stacks_has_room(&stacks, (uint64_t)sample->time_ns)) {
			count_bad(reader);
			continue;
		}
		while (at > sample->first && ok)
			ok = stacks_push(&stacks,
				reader->functions[reader->frames[--at]]);
		ok = ok && stacks_end(&stacks, (uint64_t)sample->time_ns);
	}
	stacks_clear(&stacks);
	return ok ? CTP_OK : ctp_no_memory(err);
}

static enum ctp_status read_profile(
	struct profile_source *from, struct ctp_error *err)
{
	struct reader reader = {.from = from};
	enum ctp_status added = CTP_OK;
	enum ctp_status status;

	reader.scan =
		json_scan_new(from->in, from->head.bytes, from->head.used);
	if (reader.scan == NULL)
		return ctp_no_memory(err);
	reader.members = (struct json_members){
		reader.scan, from->source.trace, key_names, KEY_OTHER, &reader};
	status = json_members_text(&reader.members, add_member, err);
	from->position = json_scan_position(reader.scan);
	/* Use what was read before the damage. */
	if (status == CTP_END || status == CTP_ERR_FORMAT)
		added = add_samples(&reader, status == CTP_END ? err : NULL);
	json_scan_free(reader.scan);
	memory_free(reader.functions);
	memory_free(reader.samples);
	memory_free(reader.frames);
	buffer_clear(&reader.text);
	buffer_clear(&reader.name);
	buffer_clear(&reader.module);
	if (added != CTP_OK)
		return added;
	return status == CTP_END ? CTP_OK : status;
}

static bool has(const void *bytes, size_t size, const char *text)
{
	return memmem(bytes, size, text, strlen(text)) != NULL;
}

static unsigned probe(const void *bytes, size_t size)
{
	const char *text = bytes;
	size_t blank = json_scan_mark(bytes, size);

	while (blank < size && text[blank] != '\0' &&
		strchr(" \t\r\n", text[blank]) != NULL)
		blank++;
	if (blank == size || text[blank] != '{' ||
		!has(bytes, size, "\"functions\""))
		return 0;
	return (has(bytes, size, "\"costs\"") ? 50u : 0u) +
	       (has(bytes, size, "\"callchain\"") ? 70u : 0u);
}

const struct format gprof2dot_format = {
	.name = "gprof2dot-json",
	.summary = "gprof2dot's own JSON, with samples of stacks",
	.probe = probe,
	.read_profile = read_profile,
};
