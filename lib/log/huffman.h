/* SPDX-License-Identifier: MIT */
/*
 * Deflate blocks of literals only, for columns of times: these have hardly any
 * repetitions, and this takes a fifth of the time of a search for the same
 * size.
 */
#ifndef HUFFMAN_H
#define HUFFMAN_H

#include <stddef.h>

#include "log/deflate.h"

/*
 * Packs bytes as one deflate block that is not the last, followed by an empty
 * stored block, so that the output ends at a byte boundary and another stream
 * may follow. Returns its size; 0 if `room` is too small.
 *
 * Source: RFC 1951, sections 3.2.4, 3.2.7.
 */
size_t huffman_pack(const void *bytes, size_t size, void *out, size_t room);

/* Upper bound of huffman_pack()'s output. */
size_t huffman_bound(size_t size);

/* Packs leading parts of literals, and moves `parts` past them; one part is
 * left for a library to end the stream with. Returns the packed size. */
size_t huffman_pack_parts(const struct deflate_part **parts, size_t *count,
	void *out, size_t room);

#endif
