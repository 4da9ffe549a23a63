/* SPDX-License-Identifier: MIT */
/*
 * The codes and the header of a deflate block. Making them takes as long as
 * packing some thousand bytes, and the blocks of a log are alike: later ones use
 * them again while they fit, for which a block is kept.
 */
#ifndef HUFFMAN_BLOCK_H
#define HUFFMAN_BLOCK_H

#include <stdint.h>

#include "log/huffman_code.h"

/* Initialised to zeros. */
struct huffman_block {
	struct huffman_code symbols;
	struct huffman_code distances;
	unsigned symbol_count; /* 0: there are no codes yet */
	/* By how much the codes are longer than the entropy of the counts that
	 * they were made for, in 2^-16 of it. */
	uint64_t excess;
	uint8_t header[HUFFMAN_HEADER_BYTES];
	struct huffman_bits end; /* of the header: its remaining bits */
};

/*
 * Writes a header whose codes fit these counts; of HUFFMAN_DISTANCES distances,
 * or NULL. The output is at a byte boundary.
 */
void huffman_block_begin(struct huffman_block *block, const uint32_t *symbols,
	unsigned symbol_count, const uint32_t *distances,
	struct huffman_bits *out);

#endif
