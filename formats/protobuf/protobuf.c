/* SPDX-License-Identifier: MIT */
#include "protobuf/protobuf.h"

#include <string.h>

static size_t put_varint(uint8_t *at, uint64_t value)
{
	size_t size = 0;

	while (value >= 0x80) {
		at[size++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	at[size++] = (uint8_t)value;
	return size;
}

/* Room for `size` bytes, mostly without a function call. */
static bool has_room(struct buffer *out, size_t size)
{
	return __builtin_expect(size <= out->room - out->used, 1) ||
	       buffer_reserve(out, size);
}

static void put(struct buffer *out, uint64_t value)
{
	out->used += put_varint(out->bytes + out->used, value);
}

static void put_key(struct buffer *out, uint32_t field, enum protobuf_kind kind)
{
	put(out, (uint64_t)field << 3 | kind);
}

void protobuf_add_varint(struct buffer *out, uint64_t value)
{
	if (has_room(out, PROTOBUF_VARINT_MAX))
		put(out, value);
}

void protobuf_add_uint(struct buffer *out, uint32_t field, uint64_t value)
{
	if (!has_room(out, 2 * PROTOBUF_VARINT_MAX))
		return;
	put_key(out, field, PROTOBUF_VARINT);
	put(out, value);
}

void protobuf_add_int(struct buffer *out, uint32_t field, int64_t value)
{
	protobuf_add_uint(out, field, (uint64_t)value);
}

void protobuf_add_fixed64(struct buffer *out, uint32_t field, uint64_t value)
{
	if (!has_room(out, PROTOBUF_VARINT_MAX + 8))
		return;
	put_key(out, field, PROTOBUF_64);
	for (int i = 0; i < 8; i++)
		out->bytes[out->used++] = (uint8_t)(value >> 8 * i);
}

void protobuf_add_double(struct buffer *out, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	protobuf_add_fixed64(out, field, bits);
}

void protobuf_add_bytes(
	struct buffer *out, uint32_t field, const void *bytes, size_t size)
{
	if (!has_room(out, 2 * PROTOBUF_VARINT_MAX))
		return;
	put_key(out, field, PROTOBUF_BYTES);
	put(out, size);
	buffer_add(out, bytes, size);
}

void protobuf_add_text(struct buffer *out, uint32_t field, const char *text)
{
	protobuf_add_bytes(out, field, text, strlen(text));
}

/* Most messages are short, so one byte is reserved for the size; longer
 * messages are moved. */
size_t protobuf_begin(struct buffer *out, uint32_t field)
{
	if (has_room(out, PROTOBUF_VARINT_MAX + 1)) {
		put_key(out, field, PROTOBUF_BYTES);
		out->bytes[out->used++] = 0;
	}
	return out->used;
}

void protobuf_end(struct buffer *out, size_t begun)
{
	uint8_t size[PROTOBUF_VARINT_MAX];
	size_t count;

	if (out->failed)
		return;
	count = put_varint(size, out->used - begun);
	if (count > 1) {
		if (!buffer_reserve(out, count - 1))
			return;
		memmove(out->bytes + begun + count - 1, out->bytes + begun,
			out->used - begun);
		out->used += count - 1;
	}
	memcpy(out->bytes + begun - 1, size, count);
}

/* Reading. */

#define READ_BYTES ((size_t)64 << 10)

/* 2^29 - 1: a key is at most 32 bits, three of which are the kind. */
#define NUMBER_MAX ((UINT32_C(1) << 29) - 1)

/* Decodes a varint. Bits beyond 64 are dropped, as in all readers. */
static enum protobuf_next read_varint(struct cursor *message, uint64_t *value)
{
	uint64_t found = 0;

	for (size_t i = 0; i < PROTOBUF_VARINT_MAX; i++) {
		if (i == message->left)
			return i == 0 ? PROTOBUF_END : PROTOBUF_SHORT;
		found |= (uint64_t)(message->at[i] & 0x7f) << 7 * i;
		if (message->at[i] >= 0x80)
			continue;
		(void)cursor_bytes(message, i + 1);
		*value = found;
		return PROTOBUF_FIELD;
	}
	return PROTOBUF_BAD;
}

bool protobuf_read_varint(struct cursor *message, uint64_t *value)
{
	return read_varint(message, value) == PROTOBUF_FIELD;
}

static enum protobuf_next read_bytes(
	struct cursor *message, struct protobuf_field *field)
{
	uint64_t size;
	enum protobuf_next next = read_varint(message, &size);

	field->bytes = message->at;
	field->size = 0;
	if (next != PROTOBUF_FIELD)
		return next == PROTOBUF_BAD ? next : PROTOBUF_SHORT;
	if (size > PROTOBUF_FIELD_MAX)
		return PROTOBUF_BAD;
	field->bytes = message->at;
	field->size = size < message->left ? (size_t)size : message->left;
	return cursor_bytes(message, (size_t)size) == NULL ? PROTOBUF_SHORT
							   : PROTOBUF_FIELD;
}

static enum protobuf_next read_value(
	struct cursor *message, struct protobuf_field *field)
{
	enum protobuf_next next;
	uint32_t value;

	switch (field->kind) {
	case PROTOBUF_VARINT:
		next = read_varint(message, &field->value);
		return next == PROTOBUF_END ? PROTOBUF_SHORT : next;
	case PROTOBUF_64:
		return cursor_le64(message, &field->value) ? PROTOBUF_FIELD
							   : PROTOBUF_SHORT;
	case PROTOBUF_32:
		if (!cursor_le32(message, &value))
			return PROTOBUF_SHORT;
		field->value = value;
		return PROTOBUF_FIELD;
	case PROTOBUF_BYTES:
		return read_bytes(message, field);
	}
	return PROTOBUF_BAD;
}

enum protobuf_next protobuf_read_field(
	struct cursor *message, struct protobuf_field *field)
{
	struct cursor at = *message;
	uint64_t key;
	enum protobuf_next next = read_varint(&at, &key);

	*field = (struct protobuf_field){.number = 0};
	if (next != PROTOBUF_FIELD)
		return next;
	if (key >> 3 == 0 || key >> 3 > NUMBER_MAX)
		return PROTOBUF_BAD;
	field->number = (uint32_t)(key >> 3);
	field->kind = (enum protobuf_kind)(key & 7);
	next = read_value(&at, field);
	if (next == PROTOBUF_FIELD)
		*message = at;
	return next;
}

bool protobuf_stream_init(struct protobuf_stream *stream, FILE *in,
	const void *head, size_t head_size)
{
	*stream = (struct protobuf_stream){.in = in, .bytes = BUFFER_INIT};
	buffer_add(&stream->bytes, head, head_size);
	return buffer_reserve(&stream->bytes, READ_BYTES);
}

void protobuf_stream_clear(struct protobuf_stream *stream)
{
	buffer_clear(&stream->bytes);
}

uint64_t protobuf_stream_position(const struct protobuf_stream *stream)
{
	return stream->base + stream->at;
}

/* Reads more after the current partial field, which moves to the front; each
 * time twice as much, so that a long field is scanned only a few times. */
static enum ctp_status fill(
	struct protobuf_stream *stream, struct ctp_error *err)
{
	struct buffer *bytes = &stream->bytes;
	size_t begun = bytes->used - stream->at;
	size_t more = begun < READ_BYTES ? READ_BYTES : begun;
	size_t got;

	if (stream->at > 0)
		memmove(bytes->bytes, bytes->bytes + stream->at, begun);
	stream->base += stream->at;
	stream->at = 0;
	bytes->used = begun;
	if (!buffer_reserve(bytes, more))
		return ctp_no_memory(err);
	got = fread(bytes->bytes + begun, 1, more, stream->in);
	bytes->used += got;
	stream->at_eof = got == 0;
	if (got == 0 && ferror(stream->in))
		return ctp_fail_at(err, CTP_ERR_IO, stream->base + begun,
			"cannot be read");
	return CTP_OK;
}

enum ctp_status protobuf_stream_next(struct protobuf_stream *stream,
	struct protobuf_field *field, struct ctp_error *err)
{
	for (;;) {
		struct cursor left;
		enum protobuf_next next;
		enum ctp_status status;

		cursor_init(&left, stream->bytes.bytes + stream->at,
			stream->bytes.used - stream->at);
		next = protobuf_read_field(&left, field);
		if (next == PROTOBUF_FIELD) {
			stream->at = stream->bytes.used - left.left;
			return CTP_OK;
		}
		if (next == PROTOBUF_BAD)
			return ctp_fail_at(err, CTP_ERR_FORMAT,
				protobuf_stream_position(stream),
				"is not a protocol buffer field");
		if (stream->at_eof && next == PROTOBUF_END)
			return CTP_END;
		if (stream->at_eof)
			return ctp_fail_at(err, CTP_ERR_FORMAT,
				protobuf_stream_position(stream),
				"the input ends within a field");
		status = fill(stream, err);
		if (status != CTP_OK)
			return status;
	}
}
