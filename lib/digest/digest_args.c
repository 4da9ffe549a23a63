/* SPDX-License-Identifier: MIT */
#include "digest/digest_args.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strtab.h"

#define OMITTED "\"...\":\"more are not shown\""
#define OMITTED_SIZE (sizeof(OMITTED) - 1)
#define EXACT_MAX (INT64_C(1) << 53) /* of a number in JavaScript */

/* Length of a text that is clipped between two characters. */
static size_t clip(const char *text, size_t size)
{
	if (size <= DIGEST_ARG_BYTES)
		return size;
	size = DIGEST_ARG_BYTES;
	while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
		size--;
	return size;
}

static void put_value(struct json *json, const struct event_arg *arg)
{
	char digits[24];
	struct buffer text = BUFFER_INIT;
	size_t size;

	switch (arg->kind) {
	case ARG_INT:
		if (arg->value.integer >= -EXACT_MAX &&
			arg->value.integer <= EXACT_MAX) {
			json_int(json, arg->value.integer);
			return;
		}
		size = (size_t)snprintf(
			digits, sizeof(digits), "%" PRId64, arg->value.integer);
		json_text_sized(json, digits, size);
		return;
	case ARG_FLOAT:
		json_double(json, arg->value.real);
		return;
	case ARG_JSON:
		if (arg->value.text.size <= DIGEST_ARG_BYTES) {
			json_value(json, arg->value.text.bytes,
				arg->value.text.size);
			return;
		}
		break;
	case ARG_TEXT:
		break;
	}
	size = clip(arg->value.text.bytes, arg->value.text.size);
	buffer_add(&text, arg->value.text.bytes, size);
	if (size < arg->value.text.size)
		buffer_add_text(&text, "\xe2\x80\xa6");
	json_text_sized(json, (const char *)text.bytes, text.used);
	json->failed |= text.failed;
	buffer_clear(&text);
}

static bool is_full(const struct buffer *text, size_t start)
{
	return text->used - start >= OMITTED_SIZE &&
	       memcmp(text->bytes + text->used - OMITTED_SIZE, OMITTED,
		       OMITTED_SIZE) == 0;
}

bool digest_args_add(struct buffer *text, size_t start, struct json *json,
	const struct trace *trace, const struct event *event)
{
	for (uint32_t i = 0; i < event->arg_count; i++) {
		const struct event_arg *arg = &event->args[i];
		const char *key = strtab_text(trace->text, arg->key, NULL);

		json->used = 0;
		json->comma = text->used > start;
		if (is_full(text, start))
			break;
		if (text->used - start + strlen(key) + DIGEST_ARG_BYTES >
			DIGEST_ARGS_BYTES) {
			buffer_add_text(text, text->used > start ? "," : "");
			buffer_add_text(text, OMITTED);
			break;
		}
		json_key(json, key);
		put_value(json, arg);
		buffer_add(text, json->bytes, json->used);
	}
	return !text->failed && !json->failed;
}
