/* SPDX-License-Identifier: MIT */
/*
 * Decompresses a small gzip'd file at once, which takes half the time of doing
 * so piece by piece, and no thread.
 */
#ifndef INFLATE_WHOLE_H
#define INFLATE_WHOLE_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialize. */
struct inflate_whole {
	uint8_t *packed; /* bytes read from the file; NULL: none */
	size_t packed_size;
	uint8_t *text; /* NULL: the file must be read piece by piece */
	size_t text_size;
};

/*
 * Reads and decompresses a regular file of one undamaged member. `head` has the
 * first bytes, already read from `fd`. Any other file has no text, and continues
 * after the bytes of `packed`, or after the head if these are NULL. The memory
 * has a fixed limit, and is not counted.
 */
void inflate_whole_read(struct inflate_whole *whole, int fd, const void *head,
	size_t head_size);
void inflate_whole_clear(struct inflate_whole *whole);

#endif
