/* SPDX-License-Identifier: MIT */
/*
 * Repetitions are found by a table of the last occurrence of each sequence of
 * eight bytes. The calls of a function are some tens of ids, so what is shorter
 * is rare, and not worth a search. A repetition is longer to both sides.
 *
 * Codes are of whole blocks: the repetitions are kept, and written when the
 * counts of all symbols are known. A block ends when there is no more room for
 * them, which bounds the stack.
 */
#include "log/repeats.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "log/huffman_block.h"

#define SEQUENCE_BYTES sizeof(uint64_t)
#define PLACES_BITS 12
#define REPEATS_MAX 1024 /* of a block */
#define DISTANCE_MAX 32768
#define LENGTH_MIN 3
#define LENGTH_MAX 258
#define BLOCK_EXTRA 512 /* bound for header, end and stored block */

/* Literals, and then a repetition, or of length 0 the block's end. */
struct repeat {
	uint16_t literals;
	uint16_t length;
	uint16_t distance; /* less 1 */
};

struct search {
	const uint8_t *bytes;
	size_t size;
	size_t at;                         /* where the search goes on */
	size_t done;                       /* up to here, all is in a block */
	uint16_t places[1 << PLACES_BITS]; /* of sequences, by their hash */
	struct repeat repeats[REPEATS_MAX];
	unsigned count;
	uint32_t symbols[HUFFMAN_SYMBOLS];
	uint32_t more_symbols[256]; /* literals, in turn with `symbols` */
	uint32_t distances[HUFFMAN_DISTANCES];
};

/* A symbol and the bits after it: section 3.2.5. */
struct symbol {
	unsigned number;
	unsigned extra;
	uint32_t bits;
};

static unsigned log2_of(uint32_t value)
{
	return 31U - (unsigned)__builtin_clz(value);
}

static inline struct symbol length_symbol(size_t length)
{
	const uint32_t value = (uint32_t)length - LENGTH_MIN;
	unsigned extra;

	if (length == LENGTH_MAX)
		return (struct symbol){285, 0, 0};
	if (value < 8)
		return (struct symbol){257 + value, 0, 0};
	extra = log2_of(value) - 2;
	return (struct symbol){257 + 4 * extra + (value >> extra), extra,
		value & ((UINT32_C(1) << extra) - 1)};
}

static inline struct symbol distance_symbol(uint32_t value)
{
	unsigned extra;

	if (value < 4)
		return (struct symbol){value, 0, 0};
	extra = log2_of(value) - 1;
	return (struct symbol){2 * extra + (value >> extra), extra,
		value & ((UINT32_C(1) << extra) - 1)};
}

/* The first length of a repetition that is too long for one symbol. None that
 * is left is too short. */
static size_t part_of(size_t length)
{
	if (length <= LENGTH_MAX)
		return length;
	return length >= LENGTH_MAX + LENGTH_MIN ? LENGTH_MAX
						 : length - LENGTH_MIN;
}

static uint64_t sequence_at(const uint8_t *bytes)
{
	uint64_t sequence;

	memcpy(&sequence, bytes, sizeof(sequence));
	return sequence;
}

static size_t hash_of(uint64_t sequence, unsigned bits)
{
	return (size_t)(htole64(sequence) * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - bits));
}

#define SAMPLE_BITS 10
#define PROBES 512
#define REPEATS_MIN 64

/* Counted are the sequences in the middle that occur before it at a multiple of
 * their size. */
bool repeats_expected(const void *start, size_t size)
{
	uint64_t table[1 << SAMPLE_BITS] = {0};
	const uint8_t *bytes = start;
	const size_t middle = size / 2;
	unsigned repeats = 0;

	if (size < 4 * PROBES)
		return true;
	for (size_t i = 0; i + SEQUENCE_BYTES <= middle; i += SEQUENCE_BYTES) {
		const uint64_t sequence = sequence_at(bytes + i);

		table[hash_of(sequence, SAMPLE_BITS)] = sequence;
	}
	for (size_t i = middle; i < middle + PROBES; i++) {
		const uint64_t sequence = sequence_at(bytes + i);

		repeats += table[hash_of(sequence, SAMPLE_BITS)] == sequence;
	}
	return repeats >= REPEATS_MIN;
}

/* How many bytes from `at` on repeat those from `from` on. */
static size_t length_of(
	const uint8_t *bytes, size_t size, size_t from, size_t at)
{
	size_t length = 0;

	while (at + length + SEQUENCE_BYTES <= size) {
		const uint64_t difference =
			htole64(sequence_at(bytes + at + length) ^
				sequence_at(bytes + from + length));

		if (difference != 0)
			return length + (size_t)__builtin_ctzll(difference) / 8;
		length += SEQUENCE_BYTES;
	}
	while (at + length < size && bytes[at + length] == bytes[from + length])
		length++;
	return length;
}

static void count_literals(struct search *search, size_t end)
{
	const uint8_t *at = search->bytes + search->done;
	const uint8_t *const stop = search->bytes + end;

	for (; stop - at >= 2; at += 2) {
		search->symbols[at[0]]++;
		search->more_symbols[at[1]]++;
	}
	if (at < stop)
		search->symbols[*at]++;
}

/* Adds what is repeated from `from` on, and the literals before it. */
static void add_repeat(
	struct search *search, size_t from, size_t at, size_t length)
{
	const uint32_t distance = (uint32_t)(at - from - 1);
	const unsigned number = distance_symbol(distance).number;

	search->repeats[search->count++] =
		(struct repeat){(uint16_t)(at - search->done), (uint16_t)length,
			(uint16_t)distance};
	count_literals(search, at);
	search->done = at + length;
	do {
		const size_t part = part_of(length);

		search->symbols[length_symbol(part).number]++;
		search->distances[number]++;
		length -= part;
	} while (length > 0);
}

/* Finds the repetitions of a block. */
static void find(struct search *search)
{
	const uint8_t *const bytes = search->bytes;
	const size_t last = search->size - SEQUENCE_BYTES;
	size_t at = search->at;

	while (at <= last && search->count < REPEATS_MAX - 1) {
		const uint64_t sequence = sequence_at(bytes + at);
		uint16_t *place =
			&search->places[hash_of(sequence, PLACES_BITS)];
		size_t from = *place;
		size_t begin = at;
		size_t length;

		*place = (uint16_t)at;
		if (sequence_at(bytes + from) != sequence ||
			at - from > DISTANCE_MAX) {
			at++;
			continue;
		}
		length = length_of(bytes, search->size, from, at);
		at += length;
		while (begin > search->done && from > 0 &&
			bytes[begin - 1] == bytes[from - 1]) {
			begin--;
			from--;
			length++;
		}
		add_repeat(search, from, begin, length);
	}
	search->at = at;
}

static void put_repeat(struct huffman_bits *out,
	const struct huffman_block *block, const struct repeat *repeat)
{
	const struct symbol distance = distance_symbol(repeat->distance);
	size_t length = repeat->length;

	while (length > 0) {
		const size_t part = part_of(length);
		const struct symbol symbol = length_symbol(part);

		/* At most 2 * 14 + 5 + 13 bits, after 7. */
		huffman_bits_add_code(
			out, block->symbols.symbols[symbol.number]);
		huffman_bits_add(out, symbol.bits, symbol.extra);
		huffman_bits_add_code(
			out, block->distances.symbols[distance.number]);
		huffman_bits_add(out, distance.bits, distance.extra);
		huffman_bits_store(out);
		length -= part;
	}
}

/* Writes the block that begins with byte `begin`, and begins the next one. */
static void put_block(struct search *search, size_t begin,
	struct huffman_block *block, struct huffman_bits *out)
{
	const uint8_t *at = search->bytes + begin;

	for (unsigned i = 0; i < HUFFMAN_END_OF_BLOCK; i++)
		search->symbols[i] += search->more_symbols[i];
	search->symbols[HUFFMAN_END_OF_BLOCK] = 1;
	huffman_block_begin(block, search->symbols, HUFFMAN_SYMBOLS,
		search->distances, out);
	for (unsigned i = 0; i < search->count; i++) {
		const struct repeat *repeat = &search->repeats[i];

		huffman_put_literals(
			out, &block->symbols, at, repeat->literals);
		put_repeat(out, block, repeat);
		at += (size_t)repeat->literals + repeat->length;
	}
	huffman_put_end(out, &block->symbols);
}

size_t repeats_bound(size_t size)
{
	/* No code is longer than two bytes, no repetition takes more than its
	 * bytes, and each block but the last has REPEATS_MAX - 1 of them. */
	return 2 * size + BLOCK_EXTRA +
	       size / ((REPEATS_MAX - 1) * SEQUENCE_BYTES) * BLOCK_EXTRA;
}

size_t repeats_pack(struct huffman_block *block, const void *bytes, size_t size,
	void *out, size_t room)
{
	struct huffman_bits bits = {.at = out};
	struct search search;

	if (room < repeats_bound(size) || size > REPEATS_BYTES_MAX ||
		size < SEQUENCE_BYTES)
		return 0;
	search.bytes = bytes;
	search.size = size;
	search.at = 1; /* place 0 is that of unknown sequences */
	search.done = 0;
	memset(search.places, 0, sizeof(search.places));
	do {
		const size_t begin = search.done;

		search.count = 0;
		memset(search.symbols, 0, sizeof(search.symbols));
		memset(search.more_symbols, 0, sizeof(search.more_symbols));
		memset(search.distances, 0, sizeof(search.distances));
		find(&search);
		if (search.at > size - SEQUENCE_BYTES) { /* the rest */
			count_literals(&search, size);
			search.repeats[search.count++] = (struct repeat){
				.literals = (uint16_t)(size - search.done)};
			search.done = size;
		}
		put_block(&search, begin, block, &bits);
	} while (search.done < size);
	return (size_t)(bits.at - (uint8_t *)out);
}
