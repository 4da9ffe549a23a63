/* SPDX-License-Identifier: MIT */
/* A growing run of bytes in memory. */
#ifndef BUFFER_H
#define BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buffer {
	uint8_t *bytes;
	size_t used;
	size_t room;
	bool failed; /* an allocation failed: the content is incomplete */
};

#define BUFFER_INIT \
	{ \
		0 \
	}

/* Frees the bytes; the buffer is empty and usable again. */
void buffer_clear(struct buffer *buffer);

/* The slow path of buffer_reserve(). */
bool buffer_grow(struct buffer *buffer, size_t more);

/* Makes room for `more` bytes after `used`; false (and `failed`) if there is
 * no memory. */
static inline bool buffer_reserve(struct buffer *buffer, size_t more)
{
	return more <= buffer->room - buffer->used || buffer_grow(buffer, more);
}

/* Append; on failure nothing is appended and `failed` is set, so that a
 * sequence of adds needs one check at its end. */
static inline void buffer_add(
	struct buffer *buffer, const void *bytes, size_t size)
{
	if (size == 0 || !buffer_reserve(buffer, size))
		return;
	memcpy(buffer->bytes + buffer->used, bytes, size);
	buffer->used += size;
}

void buffer_add_byte(struct buffer *buffer, uint8_t byte);
void buffer_add_text(struct buffer *buffer, const char *text);

#endif
