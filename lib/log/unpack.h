/* SPDX-License-Identifier: MIT */
/*
 * Reads MessagePack from untrusted bytes: without recursion, allocation or
 * trust in any count. Each function returns false, leaving the cursor in an
 * unspecified place, if the next value has another type.
 * Source: the MessagePack specification, 2017-08.
 */
#ifndef UNPACK_H
#define UNPACK_H

#include "base/cursor.h"

enum unpack_type {
	UNPACK_NONE, /* no bytes left, or a reserved byte */
	UNPACK_NIL,
	UNPACK_BOOL,
	UNPACK_INT,
	UNPACK_FLOAT,
	UNPACK_TEXT, /* str or bin */
	UNPACK_ARRAY,
	UNPACK_MAP,
	UNPACK_EXT,
};

/* The type of the next value, without reading it. */
enum unpack_type unpack_peek(const struct cursor *cursor);

/* Reads an integer in any form that fits. */
bool unpack_int(struct cursor *cursor, int64_t *out);
bool unpack_uint(struct cursor *cursor, uint64_t *out);

/* The same, at most `most`. */
bool unpack_u32(struct cursor *cursor, uint32_t most, uint32_t *out);

bool unpack_float(struct cursor *cursor, double *out);

/* Borrowed from the input. */
bool unpack_text(struct cursor *cursor, const char **text, size_t *size);

/* An extension, likewise borrowed. */
bool unpack_ext(
	struct cursor *cursor, int8_t *type, const char **bytes, size_t *size);

/* Reads the number of elements (pairs) that follow; never more than the bytes
 * left. */
bool unpack_array(struct cursor *cursor, uint32_t *count);
bool unpack_map(struct cursor *cursor, uint32_t *count);

/* Skip one value, or several, of any type and depth. */
bool unpack_skip(struct cursor *cursor);
bool unpack_skip_values(struct cursor *cursor, uint64_t values);

/* Reads an array of integers into a caller's room for `most`. */
bool unpack_u32s(
	struct cursor *cursor, uint32_t *out, uint32_t most, uint32_t *count);
bool unpack_ints(
	struct cursor *cursor, int64_t *out, uint32_t most, uint32_t *count);

#endif
