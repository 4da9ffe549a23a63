/* SPDX-License-Identifier: MIT */
/* msgpack-c's packer on a struct buffer, with additions: text that may not be
 * UTF-8, and fast integers. */
#ifndef MSGPACK_OUT_H
#define MSGPACK_OUT_H

#include <endian.h>
#include <string.h>

#include <msgpack/pack.h>

#include "base/buffer.h"
#include "base/utf8.h"

static inline int msgpack_out_write(void *data, const char *bytes, size_t size)
{
	struct buffer *buffer = data;

	buffer_add(buffer, bytes, size);
	return buffer->failed ? -1 : 0;
}

static inline msgpack_packer msgpack_out(struct buffer *buffer)
{
	msgpack_packer packer;

	msgpack_packer_init(&packer, buffer, msgpack_out_write);
	return packer;
}

/* str if it is valid UTF-8, else bin. */
static inline void msgpack_out_text(
	msgpack_packer *packer, const char *text, size_t size)
{
	if (utf8_valid_prefix(text, size) == size) {
		(void)msgpack_pack_str(packer, size);
		(void)msgpack_pack_str_body(packer, text, size);
	} else {
		(void)msgpack_pack_bin(packer, size);
		(void)msgpack_pack_bin_body(packer, text, size);
	}
}

static inline void msgpack_out_key(msgpack_packer *packer, const char *key)
{
	msgpack_out_text(packer, key, strlen(key));
}

/* Pairs of a map. */
static inline void msgpack_out_pair(
	msgpack_packer *packer, const char *key, const char *value)
{
	msgpack_out_key(packer, key);
	msgpack_out_key(packer, value);
}

static inline void msgpack_out_pair_uint(
	msgpack_packer *packer, const char *key, uint64_t value)
{
	msgpack_out_key(packer, key);
	(void)msgpack_pack_uint64(packer, value);
}

static inline void msgpack_out_pair_int(
	msgpack_packer *packer, const char *key, int64_t value)
{
	msgpack_out_key(packer, key);
	(void)msgpack_pack_int64(packer, value);
}

#define MSGPACK_OUT_INT_MAX 9 /* bytes of the longest integer */

/* Stores an integer in its shortest form; returns the byte after it. May write
 * up to MSGPACK_OUT_INT_MAX bytes. An event block has two of these per
 * event. */
static inline uint8_t *msgpack_out_int(uint8_t *at, int64_t value)
{
	uint64_t bits = (uint64_t)value;
	unsigned size;

	if (value >= -32 && value <= 127) {
		*at = (uint8_t)bits;
		return at + 1;
	}
	if (value >= 0) {
		size = bits <= UINT8_MAX    ? 0
		       : bits <= UINT16_MAX ? 1
		       : bits <= UINT32_MAX ? 2
					    : 3;
		*at++ = (uint8_t)(0xcc + size);
	} else {
		size = value >= INT8_MIN    ? 0
		       : value >= INT16_MIN ? 1
		       : value >= INT32_MIN ? 2
					    : 3;
		*at++ = (uint8_t)(0xd0 + size);
	}
	bits = htobe64(bits << (64 - (8u << size)));
	memcpy(at, &bits, sizeof(bits));
	return at + (1u << size);
}

static inline uint8_t *msgpack_out_uint(uint8_t *at, uint64_t value)
{
	const uint64_t bits = htobe64(value);

	if (value <= INT64_MAX)
		return msgpack_out_int(at, (int64_t)value);
	*at = 0xcf;
	memcpy(at + 1, &bits, sizeof(bits));
	return at + 9;
}

/* The same for values below 65,536, without a branch, because the form is
 * practically random. May write up to four bytes. */
static inline uint8_t *msgpack_out_short(uint8_t *at, uint32_t value)
{
	uint32_t two = value > UINT8_MAX;
	uint32_t more = (value > 127) + two; /* bytes after the first */
	uint32_t tail = two ? (value >> 8 | (value & 0xff) << 8) : value;
	uint32_t word = htole32(more == 0 ? value : (0xcb + more) | tail << 8);

	memcpy(at, &word, sizeof(word));
	return at + 1 + more;
}

#define MSGPACK_OUT_HEAD_MAX \
	6 /* bytes of the longest head, a text's or map's */

/* Stores a head. The forms for sizes of one, two and four bytes begin with
 * consecutive bytes, from `first`. */
static inline uint8_t *msgpack_out_size(uint8_t *at, uint8_t first, size_t size)
{
	const uint32_t big = htobe32((uint32_t)size);
	unsigned bytes = size <= UINT8_MAX ? 1 : size <= UINT16_MAX ? 2 : 4;

	*at = (uint8_t)(first + bytes / 2);
	memcpy(at + 1, (const char *)&big + sizeof(big) - bytes, bytes);
	return at + 1 + bytes;
}

/* The same as msgpack_out_text(), for a buffer with enough room. */
static inline uint8_t *msgpack_out_put_text(
	uint8_t *at, const char *text, size_t size)
{
	if (utf8_valid_prefix(text, size) != size)
		at = msgpack_out_size(at, 0xc4, size);
	else if (size <= 31)
		*at++ = (uint8_t)(0xa0 + size);
	else
		at = msgpack_out_size(at, 0xd9, size);
	if (size > 0)
		memcpy(at, text, size);
	return at + size;
}

/* The head of a map of `count` pairs. */
static inline uint8_t *msgpack_out_map(uint8_t *at, uint32_t count)
{
	uint32_t big = htobe32(count);

	if (count <= 15) {
		*at = (uint8_t)(0x80 + count);
		return at + 1;
	}
	if (count > UINT16_MAX) {
		*at = 0xdf;
		memcpy(at + 1, &big, 4);
		return at + 5;
	}
	*at = 0xde;
	memcpy(at + 1, (const char *)&big + 2, 2);
	return at + 3;
}

static inline uint8_t *msgpack_out_double(uint8_t *at, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = htobe64(bits);
	*at = 0xcb;
	memcpy(at + 1, &bits, sizeof(bits));
	return at + 9;
}

/* The head of an extension's bytes. */
static inline uint8_t *msgpack_out_ext(uint8_t *at, size_t size, int8_t type)
{
	if (size > 0 && size <= 16 && (size & (size - 1)) == 0)
		*at++ = (uint8_t)(0xd4 + __builtin_ctzl(size));
	else
		at = msgpack_out_size(at, 0xc7, size);
	*at = (uint8_t)type;
	return at + 1;
}

#endif
