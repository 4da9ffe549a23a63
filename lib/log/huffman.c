/* SPDX-License-Identifier: MIT */
/*
 * zlib has such a code, too, with Z_HUFFMAN_ONLY. On 64 KiB of varint deltas
 * this file packs 738 to 885 MB/s, zlib 110 to 155, and the sizes differ by one
 * byte in 58,934 (tests/bench/bench_huffman.c; doc/benchmarks/2026-11-23.md).
 */
#include "log/huffman.h"

#include <stdint.h>
#include <string.h>

#include "log/huffman_block.h"

#define LITERALS (HUFFMAN_END_OF_BLOCK + 1)
#define BLOCK_EXTRA 512 /* bound for header, end and stored block */

static void count_bytes(const uint8_t *bytes, size_t size, uint32_t *counts)
{
	uint32_t parts[4][256];
	size_t i = 0;

	memset(parts, 0, sizeof(parts));
	for (; i + 4 <= size; i += 4) {
		parts[0][bytes[i]]++;
		parts[1][bytes[i + 1]]++;
		parts[2][bytes[i + 2]]++;
		parts[3][bytes[i + 3]]++;
	}
	for (; i < size; i++)
		parts[0][bytes[i]]++;
	for (int symbol = 0; symbol < 256; symbol++)
		counts[symbol] = parts[0][symbol] + parts[1][symbol] +
				 parts[2][symbol] + parts[3][symbol];
}

size_t huffman_bound(size_t size)
{
	/* No code is longer than two bytes, and eight bytes are stored at
	 * once. */
	return 2 * size + BLOCK_EXTRA;
}

size_t huffman_pack(struct huffman_block *block, const void *bytes, size_t size,
	void *out, size_t room)
{
	struct huffman_bits bits = {.at = out};
	uint32_t counts[LITERALS];
	struct huffman_code best;
	const struct huffman_code *code =
		block == NULL ? &best : &block->symbols;

	if (room < huffman_bound(size) || size >= HUFFMAN_COUNT_MAX)
		return 0;
	count_bytes(bytes, size, counts);
	counts[HUFFMAN_END_OF_BLOCK] = 1;
	if (block != NULL) {
		huffman_block_begin(block, counts, LITERALS, NULL, &bits);
	} else {
		huffman_code_make(&best, counts, LITERALS);
		huffman_put_header(&bits, &best, LITERALS, NULL);
	}
	huffman_put_literals(&bits, code, bytes, size);
	huffman_put_end(&bits, code);
	return (size_t)(bits.at - (uint8_t *)out);
}
