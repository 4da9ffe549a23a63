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
