/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_times.h"

#include <string.h>

#include "json_repair/repair_word.h"

void repair_times_add(struct repair_times *times, enum repair_key_kind member,
	size_t at, size_t size)
{
	if (times->count == REPAIR_TIMES_MAX)
		return;
	times->all[times->count].member = member;
	times->all[times->count].at = at;
	times->all[times->count].size = size;
	times->count++;
}

void repair_times_replace(struct buffer *out, size_t at, size_t size,
	const void *bytes, size_t new_size)
{
	if (new_size > size && !buffer_reserve(out, new_size - size))
		return;
	memmove(out->bytes + at + new_size, out->bytes + at + size,
		out->used - at - size);
	memcpy(out->bytes + at, bytes, new_size);
	out->used = out->used - size + new_size;
}

/* Another text for one of them, which moves those behind. */
static void rewrite(struct repair_times *times, unsigned which,
	struct repair_value *value, const char *text)
{
	size_t old_size = times->all[which].size;
	size_t size = strlen(text);

	repair_times_replace(
		value->out, times->all[which].at, old_size, text, size);
	for (unsigned i = which + 1; i < times->count; i++)
		times->all[i].at = times->all[i].at - old_size + size;
	times->all[which].size = size;
}

/* The number in a string. */
static void make_number(struct repair_times *times, unsigned which,
	struct repair_value *value, uint64_t offset)
{
	const char *text =
		(const char *)value->out->bytes + times->all[which].at + 1;
	size_t size = times->all[which].size - 2;
	struct buffer number = BUFFER_INIT;
	enum repair_fix fix;

	while (size > 0 && repair_strict_is_blank((uint8_t)text[0])) {
		text++;
		size--;
	}
	while (size > 0 && repair_strict_is_blank((uint8_t)text[size - 1]))
		size--;
	if (repair_word_add(&number, text, size, &fix))
		buffer_add_byte(&number, '\0');
	if (number.used > 0 && !number.failed) {
		rewrite(times, which, value, (const char *)number.bytes);
		repair_fix_add(&value->fixes, REPAIR_TEXT_TIMES, offset);
	}
	buffer_clear(&number);
}

void repair_times_finish(
	struct repair_times *times, struct repair_value *value, uint64_t offset)
{
	struct repair_event *event = &value->event;
	unsigned time = REPAIR_TIMES_MAX;

	for (unsigned i = 0; i < times->count; i++) {
		size_t at = times->all[i].at;

		if (value->out->failed)
			return;
		if (value->out->bytes[at] == '"')
			make_number(times, i, value, offset);
		if (times->all[i].member == REPAIR_TIME) {
			time = i;
			event->zero_time = repair_strict_is_zero(
				value->out->bytes + at, times->all[i].size);
		} else if (times->all[i].member == REPAIR_DUR) {
			event->zero_dur = repair_strict_is_zero(
				value->out->bytes + at, times->all[i].size);
		}
	}
	if (time == REPAIR_TIMES_MAX)
		return;
	if (value->last_time != NULL && repair_strict_is_timeless(event)) {
		rewrite(times, time, value, value->last_time);
		repair_fix_add(&value->fixes, REPAIR_ZERO_TIMES, offset);
	}
	event->time_at = times->all[time].at;
	event->time_size = times->all[time].size;
}
