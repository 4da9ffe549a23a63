/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include "base/memory.h"

void buffer_clear(struct buffer *buffer)
{
	memory_free(buffer->bytes);
	*buffer = (struct buffer)BUFFER_INIT;
}

bool buffer_grow(struct buffer *buffer, size_t more)
{
	size_t room = buffer->room == 0 ? 256 : buffer->room;
	uint8_t *bytes;

	while (room - buffer->used < more) {
		if (room > SIZE_MAX / 2) {
			buffer->failed = true;
			return false;
		}
		room *= 2;
	}
	bytes = memory_resize(buffer->bytes, room);
	if (bytes == NULL) {
		buffer->failed = true;
		return false;
	}
	buffer->bytes = bytes;
	buffer->room = room;
	return true;
}

void buffer_add_byte(struct buffer *buffer, uint8_t byte)
{
	buffer_add(buffer, &byte, 1);
}

void buffer_add_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}
