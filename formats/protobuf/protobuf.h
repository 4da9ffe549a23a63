/* SPDX-License-Identifier: MIT */
/*
 * Writes messages of protocol buffers into memory, field by field: a message is
 * its fields in any order. Source:
 * https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROTOBUF_H
#define PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/* Wire types. */
enum protobuf_kind {
	PROTOBUF_VARINT = 0,
	PROTOBUF_64 = 1,
	PROTOBUF_BYTES = 2,
	PROTOBUF_32 = 5,
};

/* 64 bits, 7 per byte. */
#define PROTOBUF_VARINT_MAX 10

/* As for buffer_add(), a failure sets the buffer's `failed`. */

/* A number without a field, as in packed fields. */
void protobuf_add_varint(struct buffer *out, uint64_t value);

/* Fields of the types int64 (two's complement), uint64, bool and enum. */
void protobuf_add_uint(struct buffer *out, uint32_t field, uint64_t value);
void protobuf_add_int(struct buffer *out, uint32_t field, int64_t value);
void protobuf_add_fixed64(struct buffer *out, uint32_t field, uint64_t value);
void protobuf_add_double(struct buffer *out, uint32_t field, double value);

/* Fields of the types bytes and string; a string must be UTF-8. */
void protobuf_add_bytes(
	struct buffer *out, uint32_t field, const void *bytes, size_t size);
void protobuf_add_text(struct buffer *out, uint32_t field, const char *text);

/* A field with a message or packed numbers, which are added between the two
 * calls. They nest; protobuf_end() takes the result of protobuf_begin(). */
size_t protobuf_begin(struct buffer *out, uint32_t field);
void protobuf_end(struct buffer *out, size_t begun);

#endif
