/* SPDX-License-Identifier: MIT */
/*
 * Texts and arguments are most of a log made from another tool's trace: room for
 * all of an event's is reserved at once. Keys are few: the latest ones are kept
 * in encoded form.
 */
#include "log/encoder_state.h"

#include <string.h>

#include "base/memory.h"
#include "log/log_write.h"

struct log_encoder_track *log_encoder_track(
	struct log_encoder *encoder, uint32_t number)
{
	if (!array_ensure_index(&encoder->tracks, number, &encoder->track_room,
		    sizeof(struct log_encoder_track *)))
		return NULL;
	if (encoder->tracks[number] == NULL)
		encoder->tracks[number] =
			memory_new_zeroed(1, sizeof(struct log_encoder_track));
	return encoder->tracks[number];
}

enum ctp_status log_encoder_write_block(
	struct log_encoder *encoder, enum log_block kind, struct ctp_error *err)
{
	return log_block_write(encoder->writer, kind, &encoder->bytes, err);
}

/* Limit of an event's arguments, far below that of a block. */
#define EVENT_ARGS_BYTES_MAX (2 * LOG_ENCODER_TEXT_MAX)

#define CHARACTER_MAX 4 /* bytes of UTF-8 */

/* The size of an argument without its texts. */
#define ARG_ROOM (MSGPACK_OUT_HEAD_MAX + MSGPACK_OUT_INT_MAX)

/* The size of a text in the log. */
static size_t cut(struct log_encoder *encoder, const char *text, size_t size)
{
	size_t valid;

	if (size <= LOG_ENCODER_TEXT_MAX)
		return size;
	trace_lose(encoder->trace, LOSS_CUT_TEXT, 1);
	/* Do not split a character; text that is not UTF-8 may be cut
	 * anywhere. */
	valid = utf8_valid_prefix(text, LOG_ENCODER_TEXT_MAX);
	return valid + CHARACTER_MAX > LOG_ENCODER_TEXT_MAX
		       ? valid
		       : LOG_ENCODER_TEXT_MAX;
}

struct log_text log_encoder_text(struct log_encoder *encoder, uint32_t number)
{
	struct log_text text;

	text.bytes = strtab_text(encoder->trace->text, number, &text.size);
	text.size = cut(encoder, text.bytes, text.size);
	return text;
}

void log_encoder_string(
	struct log_encoder *encoder, msgpack_packer *packer, uint32_t number)
{
	struct log_text text = log_encoder_text(encoder, number);

	msgpack_out_text(packer, text.bytes, text.size);
}

/* Can a log hold the value? Text can be cut, JSON cannot. */
static bool has_room(const struct event_arg *arg)
{
	return arg->kind != ARG_JSON ||
	       arg->value.text.size <= LOG_ENCODER_TEXT_MAX;
}

static size_t text_size(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT || arg->kind == ARG_JSON
		       ? arg->value.text.size
		       : 0;
}

static uint8_t *put_value(
	struct log_encoder *encoder, uint8_t *at, const struct event_arg *arg)
{
	const char *text = arg->value.text.bytes;

	switch (arg->kind) {
	case ARG_INT:
		return msgpack_out_int(at, arg->value.integer);
	case ARG_FLOAT:
		return msgpack_out_double(at, arg->value.real);
	case ARG_TEXT:
		return msgpack_out_put_text(
			at, text, cut(encoder, text, arg->value.text.size));
	case ARG_JSON:
		at = msgpack_out_ext(at, arg->value.text.size, LOG_EXT_JSON);
		if (arg->value.text.size > 0)
			memcpy(at, text, arg->value.text.size);
		return at + arg->value.text.size;
	}
	return at;
}

/* Stores a key; there must be room for it and LOG_ENCODER_KEY_BYTES more. */
static uint8_t *put_key(
	struct log_encoder *encoder, uint8_t *at, uint32_t number)
{
	struct log_encoder_key *key = &encoder->keys[number % LOG_ENCODER_KEYS];
	const char *text;
	uint8_t *end;
	size_t size;

	if (key->size != 0 && key->number == number) {
		memcpy(at, key->bytes, sizeof(key->bytes));
		return at + key->size;
	}
	text = strtab_text(encoder->trace->text, number, &size);
	end = msgpack_out_put_text(at, text, cut(encoder, text, size));
	size = (size_t)(end - at);
	if (size <= sizeof(key->bytes)) {
		memcpy(key->bytes, at, size);
		key->number = number;
		key->size = (uint8_t)size;
	}
	return end;
}

bool log_encoder_value(struct log_encoder *encoder, struct buffer *bytes,
	const struct event_arg *arg)
{
	uint8_t *at;

	if (!has_room(arg)) {
		trace_lose(encoder->trace, LOSS_NOT_SHOWN, 1);
		return false;
	}
	if (!buffer_reserve(bytes, text_size(arg) + ARG_ROOM))
		return true;
	at = bytes->bytes + bytes->used;
	bytes->used += (size_t)(put_value(encoder, at, arg) - at);
	return true;
}

/* The number of arguments that fit; `*bytes`: upper bound of their text. */
static uint32_t count_args(const struct log_encoder *encoder,
	const struct event_arg *args, uint32_t count, size_t *bytes)
{
	uint32_t kept = 0;

	*bytes = 0;
	for (uint32_t i = 0; i < count; i++) {
		size_t size;

		(void)strtab_text(encoder->trace->text, args[i].key, &size);
		*bytes += size + text_size(&args[i]);
		if (*bytes > EVENT_ARGS_BYTES_MAX || kept == LOG_ARGS_MAX)
			break;
		kept += has_room(&args[i]);
	}
	return kept;
}

void log_encoder_args(struct log_encoder *encoder, struct buffer *bytes,
	const struct event_arg *args, uint32_t count)
{
	size_t size;
	uint32_t kept = count_args(encoder, args, count, &size);
	uint8_t *at;

	trace_lose(encoder->trace, LOSS_NOT_SHOWN, count - kept);
	if (!buffer_reserve(bytes, MSGPACK_OUT_HEAD_MAX + size +
					   kept * ARG_ROOM +
					   LOG_ENCODER_KEY_BYTES))
		return;
	at = msgpack_out_map(bytes->bytes + bytes->used, kept);
	for (; kept > 0; args++) {
		if (!has_room(args))
			continue;
		at = put_key(encoder, at, args->key);
		at = put_value(encoder, at, args);
		kept--;
	}
	bytes->used = (size_t)(at - bytes->bytes);
}
