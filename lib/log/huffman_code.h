/* SPDX-License-Identifier: MIT */
/*
 * Huffman codes of deflate blocks, and the bits that they become. Source: RFC
 * 1951, sections 3.1.1, 3.2.2, 3.2.7.
 */
#ifndef HUFFMAN_CODE_H
#define HUFFMAN_CODE_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HUFFMAN_END_OF_BLOCK 256
#define HUFFMAN_SYMBOLS 286 /* literals, end of the block, and lengths */
#define HUFFMAN_DISTANCES 30
#define HUFFMAN_CODE_BITS 14 /* of 15: four codes and a remainder fit in 64 */
/* Bound for a header, with the eight bytes that are stored at once. */
#define HUFFMAN_HEADER_BYTES 352
#define HUFFMAN_COUNT_MAX ((UINT32_C(1) << 23) - 1)

struct huffman_code {
	uint32_t symbols[HUFFMAN_SYMBOLS]; /* bits << 8 | number of bits */
};

/* Makes the best code for the counts of `symbols` symbols, which are together at
 * most HUFFMAN_COUNT_MAX, of at most HUFFMAN_CODE_BITS. At least two get codes, since a code of one symbol is
 * incomplete. */
void huffman_code_make(
	struct huffman_code *code, const uint32_t *counts, unsigned symbols);

/* Bits on their way to bytes; the lowest is the first. */
struct huffman_bits {
	uint8_t *at;
	uint64_t bits;
	unsigned used;
};

/* Appends at most 56 bits less those that remain; `bits` has no others. */
static inline void huffman_bits_add(
	struct huffman_bits *out, uint64_t bits, unsigned count)
{
	out->bits |= bits << out->used;
	out->used += count;
}

static inline void huffman_bits_add_code(
	struct huffman_bits *out, uint32_t symbol)
{
	huffman_bits_add(out, symbol >> 8, symbol & 0xff);
}

/* Stores whole bytes, after which at most 7 bits remain. Writes eight bytes:
 * incomplete ones are overwritten by the next store. */
static inline void huffman_bits_store(struct huffman_bits *out)
{
	const uint64_t word = htole64(out->bits);

	memcpy(out->at, &word, sizeof(word));
	out->at += out->used >> 3;
	out->bits >>= out->used & ~7u;
	out->used &= 7;
}

/* Begins a block that is not the last. Without a code of distances, there is
 * one of one bit, that is never used; `symbols` is then 257. */
void huffman_put_header(struct huffman_bits *out,
	const struct huffman_code *literals, unsigned symbols,
	const struct huffman_code *distances);

void huffman_put_literals(struct huffman_bits *out,
	const struct huffman_code *code, const uint8_t *bytes, size_t size);

/* Ends the block, and appends an empty stored block, so that the output ends at
 * a byte boundary and another stream may follow. */
void huffman_put_end(
	struct huffman_bits *out, const struct huffman_code *literals);

#endif
