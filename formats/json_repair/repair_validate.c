/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_validate.h"

#include <string.h>

#include "base/utf8.h"
#include "json/json_walk.h"
#include "json_repair/repair_literal.h"

#define RULES (JSON_WALK_STRICT | JSON_WALK_SAFE)

struct validation {
	const uint8_t *bytes;
	struct repair_event *event;
};

enum repair_key_kind repair_validate_member(const uint8_t *key)
{
	if (memcmp(key, "\"ph\"", 4) == 0)
		return REPAIR_PHASE;
	if (memcmp(key, "\"ts\"", 4) == 0)
		return REPAIR_TIME;
	if (memcmp(key, "\"dur\"", 5) == 0)
		return REPAIR_DUR;
	if (memcmp(key, "\"tts\"", 5) == 0 || memcmp(key, "\"tdur\"", 6) == 0)
		return REPAIR_THREAD_TIME;
	return REPAIR_OTHER;
}

bool repair_validate_is_timeless(const struct repair_event *event)
{
	if (!event->zero_time || event->phase == 0)
		return false;
	if (event->phase == 'X')
		return event->zero_dur;
	return strchr("stf", event->phase) != NULL;
}

bool repair_validate_is_zero(const uint8_t *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] != '0' && text[i] != '.')
			return false;
	return true;
}

/* Records a member of an event. */
static void on_member(void *user, const uint8_t *key, const uint8_t *value,
	const uint8_t *end)
{
	const struct validation *validation = user;
	struct repair_event *event = validation->event;
	size_t size = (size_t)(end - value);
	enum repair_key_kind kind = repair_validate_member(key);

	if (kind == REPAIR_OTHER || *value == '{' || *value == '[')
		return;
	if (kind == REPAIR_PHASE) {
		if (size == 3 && value[0] == '"')
			event->phase = (char)value[1];
		return;
	}
	if (value[0] == '"' &&
		repair_literal_is_time((const char *)value + 1, size - 2))
		event->text_time = true;
	if (kind == REPAIR_DUR) {
		event->has_dur = true;
		event->zero_dur = repair_validate_is_zero(value, size);
	} else if (kind == REPAIR_TIME) {
		event->has_time = true;
		event->zero_time = repair_validate_is_zero(value, size);
		event->time_at = (size_t)(value - validation->bytes);
		event->time_size = size;
	}
}

static enum repair_outcome end_walk(const struct json_walk *walk, bool done,
	const uint8_t *bytes, size_t *at)
{
	*at = (size_t)(walk->text - bytes);
	if (done)
		return REPAIR_DONE;
	return walk->text >= walk->end ? REPAIR_MORE : REPAIR_WRONG;
}

enum repair_outcome repair_validate_text(
	const uint8_t *bytes, size_t *at, size_t end)
{
	struct json_walk walk;
	const uint8_t *behind;

	json_walk_begin(&walk, bytes + *at, bytes + end);
	behind = json_walk_string(&walk, bytes + *at - 1, RULES);
	if (behind != NULL)
		walk.text = behind;
	return end_walk(&walk, behind != NULL, bytes, at);
}

enum repair_outcome repair_validate_value(const uint8_t *bytes, size_t *at,
	size_t end, struct repair_event *event)
{
	struct repair_event none;
	struct validation validation = {bytes, event == NULL ? &none : event};
	struct json_walk walk;
	bool done;

	json_walk_begin(&walk, bytes + *at, bytes + end);
	walk.user = &validation;
	done = json_walk_whole(&walk, RULES, on_member);
	return end_walk(&walk, done, bytes, at);
}

size_t repair_validate_plain(const uint8_t *bytes, size_t at, size_t end)
{
	return (size_t)(json_bytes_plain(bytes + at, bytes + end) - bytes);
}

size_t repair_validate_escape(const uint8_t *at, size_t left)
{
	uint32_t code;
	size_t size = json_value_escape((const char *)at, left, &code);

	return size > 0 && json_value_is_surrogate(code) ? 0 : size;
}

size_t repair_validate_sequence(const uint8_t *at, size_t left)
{
	return utf8_size((const char *)at, left);
}
