/* SPDX-License-Identifier: MIT */
#include "base/cursor.h"

#include <assert.h>

void cursor_init(struct cursor *cursor, const void *bytes, size_t size)
{
	cursor->at = bytes;
	cursor->left = size;
}

const void *cursor_bytes(struct cursor *cursor, size_t size)
{
	const void *bytes = cursor->at;

	if (size > cursor->left)
		return NULL;
	cursor->at += size;
	cursor->left -= size;
	return bytes;
}

static bool little_endian(struct cursor *cursor, size_t size, uint64_t *out)
{
	const uint8_t *bytes = cursor_bytes(cursor, size);
	uint64_t value = 0;

	if (bytes == NULL)
		return false;
	while (size-- > 0)
		value = value << 8 | bytes[size];
	*out = value;
	return true;
}

bool cursor_u8(struct cursor *cursor, uint8_t *out)
{
	uint64_t value;

	if (!little_endian(cursor, 1, &value))
		return false;
	*out = (uint8_t)value;
	return true;
}

bool cursor_le16(struct cursor *cursor, uint16_t *out)
{
	uint64_t value;

	if (!little_endian(cursor, 2, &value))
		return false;
	*out = (uint16_t)value;
	return true;
}

bool cursor_le32(struct cursor *cursor, uint32_t *out)
{
	uint64_t value;

	if (!little_endian(cursor, 4, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

bool cursor_le64(struct cursor *cursor, uint64_t *out)
{
	return little_endian(cursor, 8, out);
}

bool cursor_be(struct cursor *cursor, size_t size, uint64_t *out)
{
	const uint8_t *bytes;
	uint64_t value = 0;

	assert(size >= 1 && size <= 8);
	bytes = cursor_bytes(cursor, size);
	if (bytes == NULL)
		return false;
	for (size_t i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	*out = value;
	return true;
}
