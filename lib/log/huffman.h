/* SPDX-License-Identifier: MIT */
/*
 * Deflate blocks of literals only, for columns of times: these have hardly any
 * repetitions, and this takes a fifth of the time of a search for the same
 * size.
 */
#ifndef HUFFMAN_H
#define HUFFMAN_H

#include <stddef.h>

struct huffman_block;

/*
 * Packs bytes as one deflate block that is not the last, followed by an empty
 * stored block, so that the output ends at a byte boundary and another stream
 * may follow. Uses the codes of `block` if they fit; NULL: always the best ones.
 * Returns its size; 0 if `room` is too small.
 *
 * Source: RFC 1951, sections 3.2.4, 3.2.7.
 */
size_t huffman_pack(struct huffman_block *block, const void *bytes, size_t size,
	void *out, size_t room);

/* Upper bound of huffman_pack()'s output. */
size_t huffman_bound(size_t size);

#endif
