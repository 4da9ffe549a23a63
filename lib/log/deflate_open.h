/* SPDX-License-Identifier: MIT */
/* Makes streams of deflate continue with others: their last block is not marked
 * as last. */
#ifndef DEFLATE_OPEN_H
#define DEFLATE_OPEN_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that it adds at most. */
#define DEFLATE_OPEN_BYTES 5

/*
 * Opens the end of a whole stream, in place, and fills its last byte with an
 * empty block. `room` is for all bytes. Returns the new size.
 *
 * Errors: 0 if the bytes are not exactly one stream, or the room is too small;
 * they are as they were.
 *
 * Source: RFC 1951, section 3.2; the empty block is zlib's Z_SYNC_FLUSH.
 */
size_t deflate_open(uint8_t *bytes, size_t size, size_t room);

#endif
