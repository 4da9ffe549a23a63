/* SPDX-License-Identifier: MIT */
/* Bounds-checked reading of untrusted bytes; the only place that does it. */
#ifndef CURSOR_H
#define CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *at;
	size_t left;
};

void cursor_init(struct cursor *cursor, const void *bytes, size_t size);

/* Takes `size` bytes as a borrowed pointer; NULL, taking nothing, if too few.
 * `size` may come straight from the input: it cannot overflow anything here. */
const void *cursor_bytes(struct cursor *cursor, size_t size);

/* Take one little-endian number; false, taking nothing, if too few bytes. */
bool cursor_u8(struct cursor *cursor, uint8_t *out);
bool cursor_le16(struct cursor *cursor, uint16_t *out);
bool cursor_le32(struct cursor *cursor, uint32_t *out);
bool cursor_le64(struct cursor *cursor, uint64_t *out);

/* Take one big-endian number of `size` bytes (1, 2, 4 or 8). */
bool cursor_be(struct cursor *cursor, size_t size, uint64_t *out);

#endif
