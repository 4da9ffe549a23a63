/* SPDX-License-Identifier: MIT */
/*
 * Messages of protocol buffers, written into memory and read, field by field: a
 * message is its fields in any order. Groups, which are obsolete, are invalid.
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
#ifndef PROTOBUF_H
#define PROTOBUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/error.h"

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

/* Reading. */

/* Longer fields are damage: the size in the file may be anything. */
#define PROTOBUF_FIELD_MAX ((size_t)64 << 20)

struct protobuf_field {
	uint32_t number;
	enum protobuf_kind kind;
	uint64_t value;       /* of numbers */
	const uint8_t *bytes; /* PROTOBUF_BYTES; borrowed from the message */
	size_t size;
};

/* Kinds of what comes next in a message. */
enum protobuf_next {
	PROTOBUF_FIELD,
	PROTOBUF_END,   /* there are none */
	PROTOBUF_SHORT, /* a truncated field */
	PROTOBUF_BAD,
};

/* Consumes a number without a field; false, consuming nothing, if there is
 * none. */
bool protobuf_read_varint(struct cursor *message, uint64_t *value);

/* Consumes a field, if one is next. With PROTOBUF_SHORT, `number` is 0 if it is
 * unknown, and bytes are those available. */
enum protobuf_next protobuf_read_field(
	struct cursor *message, struct protobuf_field *field);

/* A message that is a file. */
struct protobuf_stream {
	FILE *in;
	struct buffer bytes;
	size_t at;     /* offset of the next field in `bytes` */
	uint64_t base; /* the input's offset of bytes[0] */
	bool at_eof;
};

/* Reads from `in`, after `head`, which was already read from it. False if out
 * of memory; call protobuf_stream_clear() in either case. */
bool protobuf_stream_init(struct protobuf_stream *stream, FILE *in,
	const void *head, size_t head_size);
void protobuf_stream_clear(struct protobuf_stream *stream);

/*
 * The next field, borrowed until the next call; CTP_END after the last.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_FORMAT for a field that is
 * invalid, longer than PROTOBUF_FIELD_MAX, or truncated.
 */
enum ctp_status protobuf_stream_next(struct protobuf_stream *stream,
	struct protobuf_field *field, struct ctp_error *err);

/* The position up to which the input was used. */
uint64_t protobuf_stream_position(const struct protobuf_stream *stream);

#endif
