/* SPDX-License-Identifier: MIT */
/*
 * Code lengths are from Huffman's algorithm with two queues, of symbols in
 * rising order of their counts and of the nodes that join two (J. van Leeuwen,
 * "On the Construction of Huffman Trees", 1976). Lengths over the limit are
 * reduced to it, and others increased until the code is valid again.
 *
 * Each block of a log has two or three codes, so that making one counts as much
 * as a few thousand bytes: hence no branches on the order of counts, which is
 * practically random.
 */
#include "log/huffman_code.h"

#include <stdbool.h>

#define LENGTHS 19 /* symbols of the code of code lengths */
#define LENGTH_BITS 7
#define SMALL 256 /* counts below it are sorted by one pass */
#define SYMBOL_BITS 9

/* Sorted by count, then by symbol: count << SYMBOL_BITS | symbol. */
struct sorted {
	uint32_t entries[HUFFMAN_SYMBOLS];
	unsigned count;
};

/* Few counts are large, unless all are. */
static void sort_large(uint32_t *entries, unsigned count)
{
	for (unsigned i = 1; i < count; i++) {
		const uint32_t entry = entries[i];
		unsigned at = i;

		for (; at > 0 && entries[at - 1] > entry; at--)
			entries[at] = entries[at - 1];
		entries[at] = entry;
	}
}

static unsigned bucket_of(uint32_t count)
{
	return count < SMALL ? count : SMALL;
}

static void sort_counts(
	struct sorted *sorted, const uint32_t *counts, unsigned symbols)
{
	uint16_t ends[SMALL + 1] = {0};
	uint16_t end = 0;

	for (unsigned i = 0; i < symbols; i++)
		ends[bucket_of(counts[i])]++;
	ends[0] = 0;
	for (unsigned i = 1; i <= SMALL; i++) {
		const uint16_t begin = end;

		end = (uint16_t)(end + ends[i]);
		ends[i] = begin;
	}
	for (unsigned i = 0; i < symbols; i++)
		if (counts[i] != 0)
			sorted->entries[ends[bucket_of(counts[i])]++] =
				counts[i] << SYMBOL_BITS | i;
	sorted->count = end;
	sort_large(sorted->entries + ends[SMALL - 1], end - ends[SMALL - 1]);
}

/* Completes a code of fewer than two symbols. */
static void add_missing(struct sorted *sorted, const uint32_t *counts)
{
	for (unsigned i = 0; sorted->count < 2; i++)
		if (counts[i] == 0)
			sorted->entries[sorted->count++] = 1 << SYMBOL_BITS | i;
}

/* Sets how many symbols have each length up to `most`; longer ones are counted
 * with these. */
static void count_lengths(
	const struct sorted *sorted, unsigned most, unsigned *of_length)
{
	uint32_t leaves[HUFFMAN_SYMBOLS + 1];
	uint32_t nodes[HUFFMAN_SYMBOLS + 1];
	uint16_t parents[HUFFMAN_SYMBOLS + 1];   /* later, depths */
	const unsigned last = sorted->count - 2; /* the root */
	unsigned leaf = 0;
	unsigned node = 0;

	for (unsigned i = 0; i < sorted->count; i++)
		leaves[i] = sorted->entries[i] >> SYMBOL_BITS;
	leaves[sorted->count] = UINT32_MAX;
	for (unsigned i = 0; i <= last; i++) {
		uint32_t weight = 0;

		nodes[i] = UINT32_MAX;
		for (int child = 0; child < 2; child++) {
			const bool is_node = nodes[node] < leaves[leaf];

			weight += is_node ? nodes[node] : leaves[leaf];
			/* Overwritten until the node is taken. */
			parents[node] = (uint16_t)i;
			node += is_node;
			leaf += !is_node;
		}
		nodes[i] = weight;
	}
	memset(of_length, 0, (most + 1) * sizeof(*of_length));
	parents[last] = 0;
	of_length[1] = 2;
	/* A node takes the place of a symbol, and has two a level below. */
	for (unsigned i = last; i-- > 0;) {
		const unsigned depth = parents[parents[i]] + 1U;
		const unsigned at = depth < most ? depth : most;

		parents[i] = (uint16_t)depth;
		of_length[at]--;
		of_length[at < most ? at + 1 : most] += 2;
	}
}

/* Makes codes valid that were shortened to `most` bits. */
static void limit_lengths(unsigned most, unsigned *of_length)
{
	uint32_t total = 0;

	for (unsigned i = 1; i <= most; i++)
		total += of_length[i] << (most - i);
	for (; total > UINT32_C(1) << most; total--) {
		unsigned i = most - 1;

		while (of_length[i] == 0)
			i--;
		of_length[most]--;
		of_length[i]--;
		of_length[i + 1] += 2;
	}
}

/* The code after this one of the same length: adds 1 at the other end. */
static uint32_t next_code(uint32_t code, unsigned length)
{
	const uint32_t zeros = ~code & ((UINT32_C(1) << length) - 1);
	uint32_t top;

	if (zeros == 0)
		return 0; /* it was the last */
	top = UINT32_C(1) << (31 - __builtin_clz(zeros));
	return (code & (top - 1)) | top;
}

/* Section 3.2.2: codes of one length are consecutive, in symbol order, and
 * those of the next begin at twice the end. */
static void assign_codes(struct huffman_code *code, unsigned symbols,
	unsigned most, const unsigned *of_length)
{
	uint32_t next[HUFFMAN_CODE_BITS + 1] = {0};
	uint32_t first = 0;

	for (unsigned i = 1; i <= most; i++) {
		for (unsigned bit = 0; bit < i; bit++)
			next[i] |= (first >> bit & 1) << (i - 1 - bit);
		first = (first + of_length[i]) << 1;
	}
	for (unsigned i = 0; i < symbols; i++) {
		const unsigned length = code->symbols[i];

		if (length == 0)
			continue;
		code->symbols[i] |= next[length] << 8;
		next[length] = next_code(next[length], length);
	}
}

static void make_code(struct huffman_code *code, const uint32_t *counts,
	unsigned symbols, unsigned most)
{
	unsigned of_length[HUFFMAN_CODE_BITS + 1];
	struct sorted sorted;
	unsigned length = most;
	unsigned left;

	sort_counts(&sorted, counts, symbols);
	if (sorted.count < 2)
		add_missing(&sorted, counts);
	count_lengths(&sorted, most, of_length);
	limit_lengths(most, of_length);
	memset(code->symbols, 0, symbols * sizeof(code->symbols[0]));
	/* The rarest symbols, which come first, get the longest codes. */
	left = of_length[length];
	for (unsigned i = 0; i < sorted.count; i++, left--) {
		while (left == 0)
			left = of_length[--length];
		code->symbols[sorted.entries[i] & ((1 << SYMBOL_BITS) - 1)] =
			length;
	}
	assign_codes(code, symbols, most, of_length);
}

void huffman_code_make(
	struct huffman_code *code, const uint32_t *counts, unsigned symbols)
{
	make_code(code, counts, symbols, HUFFMAN_CODE_BITS);
}

/* Appends the code lengths, of at most LENGTH_BITS each. */
static void put_lengths(struct huffman_bits *out,
	const struct huffman_code *lengths, const uint8_t *bytes,
	unsigned count)
{
	unsigned i = 0;

	for (; i + 4 <= count; i += 4) {
		for (unsigned j = 0; j < 4; j++)
			huffman_bits_add_code(
				out, lengths->symbols[bytes[i + j]]);
		huffman_bits_store(out);
	}
	for (; i < count; i++) {
		huffman_bits_add_code(out, lengths->symbols[bytes[i]]);
		huffman_bits_store(out);
	}
}

/* Section 3.2.7: the code lengths, themselves coded, without runs. */
void huffman_put_header(struct huffman_bits *out,
	const struct huffman_code *literals, unsigned symbols,
	const struct huffman_code *distances)
{
	static const uint8_t order[LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5,
		11, 4, 12, 3, 13, 2, 14, 1, 15};
	const unsigned distance_count =
		distances == NULL ? 1 : HUFFMAN_DISTANCES;
	uint8_t bytes[HUFFMAN_SYMBOLS + HUFFMAN_DISTANCES];
	uint32_t counts[LENGTHS] = {0};
	struct huffman_code lengths;

	for (unsigned i = 0; i < symbols; i++)
		bytes[i] = (uint8_t)literals->symbols[i];
	for (unsigned i = 0; i < distance_count; i++)
		bytes[symbols + i] =
			distances == NULL ? 1 : (uint8_t)distances->symbols[i];
	for (unsigned i = 0; i < symbols + distance_count; i++)
		counts[bytes[i]]++;
	make_code(&lengths, counts, LENGTHS, LENGTH_BITS);
	huffman_bits_add(out, 0, 1); /* not the last block */
	huffman_bits_add(out, 2, 2); /* dynamic codes */
	huffman_bits_add(out, symbols - 257, 5);
	huffman_bits_add(out, distance_count - 1, 5);
	huffman_bits_add(out, LENGTHS - 4, 4);
	huffman_bits_store(out);
	for (unsigned i = 0; i < LENGTHS; i++) {
		huffman_bits_add(out, lengths.symbols[order[i]] & 0xff, 3);
		huffman_bits_store(out);
	}
	put_lengths(out, &lengths, bytes, symbols + distance_count);
}

/* Four codes, of at most 56 bits, are appended to at most 7 remaining bits. */
void huffman_put_literals(struct huffman_bits *out,
	const struct huffman_code *code, const uint8_t *bytes, size_t size)
{
	struct huffman_bits to = *out;
	size_t i = 0;

	for (; i + 4 <= size; i += 4) {
		uint32_t a = code->symbols[bytes[i]];
		uint32_t b = code->symbols[bytes[i + 1]];
		uint32_t c = code->symbols[bytes[i + 2]];
		uint32_t d = code->symbols[bytes[i + 3]];
		/* The lowest six bits of a symbol, or of a sum, are a count. */
		uint64_t low = a >> 8 | (uint64_t)(b >> 8) << (a & 63);
		uint64_t high = c >> 8 | (uint64_t)(d >> 8) << (c & 63);

		huffman_bits_add(&to, low | high << ((a + b) & 63),
			(a + b + c + d) & 63);
		huffman_bits_store(&to);
	}
	for (; i < size; i++) {
		huffman_bits_add_code(&to, code->symbols[bytes[i]]);
		huffman_bits_store(&to);
	}
	*out = to;
}

void huffman_put_end(
	struct huffman_bits *out, const struct huffman_code *literals)
{
	huffman_bits_add_code(out, literals->symbols[HUFFMAN_END_OF_BLOCK]);
	huffman_bits_add(out, 0, 3); /* an empty stored block … */
	out->used = (out->used + 7) & ~7u;
	huffman_bits_store(out);
	huffman_bits_add(out, UINT64_C(0xffff0000), 32); /* … and its length */
	huffman_bits_store(out);
}
