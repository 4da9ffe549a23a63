/* SPDX-License-Identifier: MIT */
#include "log/unpack.h"

#include <string.h>

enum unpack_type unpack_peek(const struct cursor *cursor)
{
	uint8_t byte;

	if (cursor->left == 0)
		return UNPACK_NONE;
	byte = cursor->at[0];
	if (byte <= 0x7f || byte >= 0xe0 || (byte >= 0xcc && byte <= 0xd3))
		return UNPACK_INT;
	if (byte <= 0x8f || byte == 0xde || byte == 0xdf)
		return UNPACK_MAP;
	if (byte <= 0x9f || byte == 0xdc || byte == 0xdd)
		return UNPACK_ARRAY;
	if (byte <= 0xbf || (byte >= 0xd9 && byte <= 0xdb) ||
		(byte >= 0xc4 && byte <= 0xc6))
		return UNPACK_TEXT;
	if (byte == 0xc0)
		return UNPACK_NIL;
	if (byte == 0xc2 || byte == 0xc3)
		return UNPACK_BOOL;
	if (byte == 0xca || byte == 0xcb)
		return UNPACK_FLOAT;
	return byte == 0xc1 ? UNPACK_NONE : UNPACK_EXT;
}

/* Reads the bits of an integer, sign-extended, and whether its form is
 * signed. */
static bool read_int(struct cursor *cursor, uint64_t *bits, bool *is_signed)
{
	uint8_t byte;
	size_t size;
	unsigned unused;

	if (!cursor_u8(cursor, &byte))
		return false;
	*is_signed = byte >= 0xd0;
	if (byte <= 0x7f || byte >= 0xe0) {
		*bits = (uint64_t)(int64_t)(int8_t)byte;
		return true;
	}
	if (byte < 0xcc || byte > 0xd3)
		return false;
	size = (size_t)1 << (byte & 3);
	if (!cursor_be(cursor, size, bits))
		return false;
	unused = 64 - 8 * (unsigned)size;
	if (*is_signed)
		*bits = (uint64_t)((int64_t)(*bits << unused) >> unused);
	return true;
}

bool unpack_int(struct cursor *cursor, int64_t *out)
{
	uint64_t bits;
	bool is_signed;

	if (!read_int(cursor, &bits, &is_signed) ||
		(!is_signed && bits > INT64_MAX))
		return false;
	*out = (int64_t)bits;
	return true;
}

bool unpack_uint(struct cursor *cursor, uint64_t *out)
{
	bool is_signed;

	return read_int(cursor, out, &is_signed) &&
	       !(is_signed && (int64_t)*out < 0);
}

bool unpack_u32(struct cursor *cursor, uint32_t most, uint32_t *out)
{
	uint64_t value;

	if (!unpack_uint(cursor, &value) || value > most)
		return false;
	*out = (uint32_t)value;
	return true;
}

bool unpack_float(struct cursor *cursor, double *out)
{
	uint8_t byte;
	uint64_t bits;

	if (!cursor_u8(cursor, &byte))
		return false;
	if (byte == 0xcb && cursor_be(cursor, 8, &bits)) {
		memcpy(out, &bits, sizeof(*out));
		return true;
	}
	if (byte == 0xca && cursor_be(cursor, 4, &bits)) {
		uint32_t small = (uint32_t)bits;
		float value;

		memcpy(&value, &small, sizeof(value));
		*out = (double)value;
		return true;
	}
	return false;
}

/* Reads the size after a str, bin or ext header byte. */
static bool read_size(struct cursor *cursor, uint8_t byte, uint64_t *size)
{
	if (byte >= 0xa0 && byte <= 0xbf) {
		*size = byte & 0x1f;
		return true;
	}
	if (byte >= 0xc4 && byte <= 0xc6)
		return cursor_be(cursor, (size_t)1 << (byte - 0xc4), size);
	if (byte >= 0xd9 && byte <= 0xdb)
		return cursor_be(cursor, (size_t)1 << (byte - 0xd9), size);
	return false;
}

bool unpack_text(struct cursor *cursor, const char **text, size_t *size)
{
	uint8_t byte;
	uint64_t bytes;

	if (!cursor_u8(cursor, &byte) || !read_size(cursor, byte, &bytes))
		return false;
	*text = cursor_bytes(cursor, (size_t)bytes);
	*size = (size_t)bytes;
	return *text != NULL;
}

/* Reads a count of elements of at least `least` bytes each. */
static bool read_count(struct cursor *cursor, uint8_t fix, uint8_t first,
	uint64_t least, uint32_t *out)
{
	uint8_t byte;
	uint64_t count;

	if (!cursor_u8(cursor, &byte))
		return false;
	if (byte >= fix && byte <= fix + 15)
		count = byte & 15;
	else if ((byte != first && byte != first + 1) ||
		 !cursor_be(cursor, byte == first ? 2 : 4, &count))
		return false;
	if (count * least > cursor->left)
		return false;
	*out = (uint32_t)count;
	return true;
}

bool unpack_array(struct cursor *cursor, uint32_t *count)
{
	return read_count(cursor, 0x90, 0xdc, 1, count);
}

bool unpack_map(struct cursor *cursor, uint32_t *count)
{
	return read_count(cursor, 0x80, 0xde, 2, count);
}

/* Reads the size of the extension that this byte begins, without its type. */
static bool read_ext(struct cursor *cursor, uint8_t byte, uint64_t *size)
{
	if (byte >= 0xd4 && byte <= 0xd8) {
		*size = UINT64_C(1) << (byte - 0xd4);
		return true;
	}
	return byte >= 0xc7 && byte <= 0xc9 &&
	       cursor_be(cursor, (size_t)1 << (byte - 0xc7), size);
}

bool unpack_ext(
	struct cursor *cursor, int8_t *type, const char **bytes, size_t *size)
{
	uint8_t byte;
	uint8_t kind;
	uint64_t left;

	if (!cursor_u8(cursor, &byte) || !read_ext(cursor, byte, &left) ||
		!cursor_u8(cursor, &kind))
		return false;
	*bytes = cursor_bytes(cursor, (size_t)left);
	*type = (int8_t)kind;
	*size = (size_t)left;
	return *bytes != NULL;
}

/* Skips an extension, a float, nil or a boolean. */
static bool skip_other(struct cursor *cursor)
{
	const char *bytes;
	int8_t type;
	size_t size;
	uint8_t byte = cursor->at[0];

	if (byte >= 0xc7 && (byte <= 0xc9 || byte >= 0xd4))
		return unpack_ext(cursor, &type, &bytes, &size);
	if (byte == 0xca || byte == 0xcb)
		return cursor_bytes(cursor, byte == 0xca ? 5 : 9) != NULL;
	return cursor_bytes(cursor, 1) != NULL;
}

bool unpack_skip(struct cursor *cursor)
{
	return unpack_skip_values(cursor, 1);
}

bool unpack_skip_values(struct cursor *cursor, uint64_t values)
{
	/* Each takes at least a byte. */
	while (values > 0) {
		const char *text;
		uint64_t bits;
		size_t size;
		uint32_t count = 0;
		bool is_signed;
		bool good;

		values--;
		switch (unpack_peek(cursor)) {
		case UNPACK_INT:
			good = read_int(cursor, &bits, &is_signed);
			break;
		case UNPACK_TEXT:
			good = unpack_text(cursor, &text, &size);
			break;
		case UNPACK_ARRAY:
			good = unpack_array(cursor, &count);
			values += count;
			break;
		case UNPACK_MAP:
			good = unpack_map(cursor, &count);
			values += 2 * (uint64_t)count;
			break;
		case UNPACK_NONE:
			good = false;
			break;
		default:
			good = skip_other(cursor);
		}
		if (!good || values > cursor->left)
			return false;
	}
	return true;
}

bool unpack_u32s(
	struct cursor *cursor, uint32_t *out, uint32_t most, uint32_t *count)
{
	uint32_t left;

	if (!unpack_array(cursor, &left) || left > most)
		return false;
	*count = left;
	while (left > 0) {
		/* unpack_array() ensured a byte for each, but longer numbers
		 * may have used them up. */
		const uint8_t *at = cursor->at;
		size_t run = left < cursor->left ? left : cursor->left;
		size_t i = 0;

		for (; i < run && at[i] <= 0x7f; i++)
			*out++ = at[i];
		cursor->at += i;
		cursor->left -= i;
		left -= (uint32_t)i;
		if (left > 0 && !unpack_u32(cursor, UINT32_MAX, out++))
			return false;
		left -= left > 0;
	}
	return true;
}

bool unpack_ints(
	struct cursor *cursor, int64_t *out, uint32_t most, uint32_t *count)
{
	const uint8_t *at;
	const uint8_t *end;
	uint32_t left;

	if (!unpack_array(cursor, &left) || left > most)
		return false;
	*count = left;
	at = cursor->at;
	end = at + cursor->left;
	for (; left > 0; left--, out++) {
		/* Most deltas are one byte, or two after a type byte. */
		if (end - at >= 1 && at[0] <= 0x7f) {
			*out = *at++;
		} else if (end - at >= 2 && at[0] == 0xcc) {
			*out = at[1];
			at += 2;
		} else if (end - at >= 3 && at[0] == 0xcd) {
			*out = at[1] << 8 | at[2];
			at += 3;
		} else {
			*cursor = (struct cursor){at, (size_t)(end - at)};
			if (!unpack_int(cursor, out))
				return false;
			at = cursor->at;
		}
	}
	*cursor = (struct cursor){at, (size_t)(end - at)};
	return true;
}
