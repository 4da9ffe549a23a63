/* SPDX-License-Identifier: MIT */
#include "log/huffman_block.h"

#include <stdbool.h>
#include <string.h>

/* All excesses are in 2^-16 of the entropy. Codes are used again if theirs is at
 * most 2^-5 larger than it was. Chance alone makes about 0.5 % in 10,000 bytes, and
 * 2 % in a few hundred repetitions. */
#define SLACK (65536 >> 5)
/* Codes with more are made for their block only: for those of few or very unequal
 * symbols, no entropy shows how long the best ones are. */
#define EXCESS_MAX (65536 >> 6)
/* A block of few symbols may be longer by this in addition, in bits. Making codes
 * for a few hundred bytes takes several times as long as packing these. Most
 * blocks of a process with thousands of threads are so small. */
#define FEW_SYMBOLS 1024
#define FEW_BITS 256
/* Other codes have all symbols, since these may occur in later blocks: made from
 * counts times SCALE, and a count of 1. */
#define SCALE 8
#define FULL_MAX (HUFFMAN_COUNT_MAX / SCALE - HUFFMAN_SYMBOLS)

/* Units: 2^-16. Between two powers of 2 it is linear, and up to 0.09 too small:
 * that makes all excesses smaller, and only these are compared. */
static uint64_t log2_of(uint32_t value)
{
	const unsigned whole = 31U - (unsigned)__builtin_clz(value | 1);

	return ((uint64_t)value << 16 >> whole) + ((uint64_t)whole << 16) -
	       65536;
}

struct length {
	uint64_t bits;    /* of all symbols, and */
	uint64_t entropy; /* the least that any code could have: in 2^-16 */
	uint64_t total;
	bool valid; /* all that occur have a code */
};

static struct length length_of(const struct huffman_code *code,
	const uint32_t *counts, unsigned symbols)
{
	struct length length = {.valid = true};
	uint64_t total = 0;
	uint64_t logs = 0;

	for (unsigned i = 0; i < symbols; i++) {
		const uint32_t bits = code->symbols[i] & 0xff;

		total += counts[i];
		length.bits += (uint64_t)counts[i] * bits;
		logs += counts[i] * log2_of(counts[i]);
		length.valid &= counts[i] == 0 || bits != 0;
	}
	length.bits <<= 16;
	length.total = total;
	length.entropy = total == 0 ? 0 : total * log2_of((uint32_t)total);
	length.entropy -= logs < length.entropy ? logs : length.entropy;
	return length;
}

static struct length block_length(const struct huffman_block *block,
	const uint32_t *symbols, const uint32_t *distances)
{
	struct length length =
		length_of(&block->symbols, symbols, block->symbol_count);

	if (distances != NULL) {
		const struct length more = length_of(
			&block->distances, distances, HUFFMAN_DISTANCES);

		length.bits += more.bits;
		length.entropy += more.entropy;
		length.total += more.total;
		length.valid &= more.valid;
	}
	return length;
}

static uint64_t excess_of(struct length length)
{
	const uint64_t least =
		length.entropy +
		(length.total <= FEW_SYMBOLS ? (uint64_t)FEW_BITS << 16 : 0);

	if (length.bits <= least)
		return 0;
	return (length.bits - least) / (length.entropy / 65536 + 1);
}

static bool fits(const struct huffman_block *block, const uint32_t *symbols,
	const uint32_t *distances)
{
	const struct length length = block_length(block, symbols, distances);

	return length.valid && block->excess <= EXCESS_MAX &&
	       excess_of(length) <= block->excess + SLACK;
}

static uint64_t total_of(const uint32_t *counts, unsigned symbols)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < symbols; i++)
		total += counts[i];
	return total;
}

/* Makes a code in which all symbols occur, if the counts are not too large. */
static void make_full_code(
	struct huffman_code *code, const uint32_t *counts, unsigned symbols)
{
	uint32_t scaled[HUFFMAN_SYMBOLS];

	for (unsigned i = 0; i < symbols; i++)
		scaled[i] = counts[i] == 0 ? 1 : counts[i] * SCALE;
	if (total_of(counts, symbols) <= FULL_MAX)
		counts = scaled;
	huffman_code_make(code, counts, symbols);
}

typedef void code_maker(
	struct huffman_code *code, const uint32_t *counts, unsigned symbols);

static void make_codes(struct huffman_block *block, code_maker *make_code,
	const uint32_t *symbols, const uint32_t *distances)
{
	make_code(&block->symbols, symbols, block->symbol_count);
	if (distances != NULL)
		make_code(&block->distances, distances, HUFFMAN_DISTANCES);
	block->excess = excess_of(block_length(block, symbols, distances));
}

static void make(struct huffman_block *block, const uint32_t *symbols,
	unsigned symbol_count, const uint32_t *distances)
{
	block->symbol_count = symbol_count;
	make_codes(block, make_full_code, symbols, distances);
	if (block->excess > EXCESS_MAX)
		make_codes(block, huffman_code_make, symbols, distances);
	block->end = (struct huffman_bits){.at = block->header};
	huffman_put_header(&block->end, &block->symbols, symbol_count,
		distances == NULL ? NULL : &block->distances);
}

void huffman_block_begin(struct huffman_block *block, const uint32_t *symbols,
	unsigned symbol_count, const uint32_t *distances,
	struct huffman_bits *out)
{
	size_t size;

	if (block->symbol_count != symbol_count ||
		!fits(block, symbols, distances))
		make(block, symbols, symbol_count, distances);
	size = (size_t)(block->end.at - block->header);
	memcpy(out->at, block->header, size);
	out->at += size;
	out->bits = block->end.bits;
	out->used = block->end.used;
}
