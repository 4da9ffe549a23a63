/* SPDX-License-Identifier: MIT */
/*
 * libdeflate marks the last block of all that it compresses, and does not report
 * its position, which only decoding finds. The bytes behind the codes are not
 * needed, so this takes some percent of the time of compression.
 */
#include "log/deflate_open.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#define CODE_BITS_MAX 15
#define FAST_BITS 10 /* longer codes are rare */
#define SYMBOLS_MAX 320
#define LITERALS_MAX 286
#define DISTANCES_MAX 30
#define LENGTHS 19
#define END_OF_BLOCK 256

struct reader {
	const uint8_t *bytes;
	size_t size;
	size_t at; /* bits */
};

/* A canonical code. */
struct code {
	uint16_t fast[1 << FAST_BITS]; /* symbol << 4 | length; 0: longer */
	uint16_t counts[CODE_BITS_MAX + 1];
	uint16_t symbols[SYMBOLS_MAX]; /* by length */
};

/* At least 48 bits; zeros after the end. */
static uint64_t peek(const struct reader *reader)
{
	size_t at = reader->at / 8;
	size_t left = at < reader->size ? reader->size - at : 0;
	uint64_t bits = 0;

	if (left >= sizeof(bits))
		memcpy(&bits, reader->bytes + at, sizeof(bits));
	else if (left > 0)
		memcpy(&bits, reader->bytes + at, left);
	return le64toh(bits) >> reader->at % 8;
}

static unsigned take(struct reader *reader, unsigned count)
{
	unsigned bits = (unsigned)peek(reader) & ((1U << count) - 1);

	reader->at += count;
	return bits;
}

static bool is_past_end(const struct reader *reader)
{
	return reader->at > reader->size * 8;
}

/* Codes begin with their highest bit, at the lowest one of the stream. */
static unsigned reverse(unsigned code, unsigned length)
{
	unsigned reversed = 0;

	for (unsigned i = 0; i < length; i++)
		reversed |= (code >> i & 1) << (length - 1 - i);
	return reversed;
}

/* False if there are too many codes. Fewer are allowed: a block may have a
 * single distance. */
static bool code_init(struct code *code, const uint8_t *lengths, unsigned count)
{
	uint16_t places[CODE_BITS_MAX + 2] = {0};
	unsigned next[CODE_BITS_MAX + 1] = {0};
	unsigned first = 0;

	memset(code, 0, sizeof(*code));
	for (unsigned i = 0; i < count; i++)
		code->counts[lengths[i]]++;
	code->counts[0] = 0;
	for (unsigned i = 1; i <= CODE_BITS_MAX; i++) {
		first = (first + code->counts[i - 1]) << 1;
		next[i] = first;
		places[i + 1] = (uint16_t)(places[i] + code->counts[i]);
		if (first + code->counts[i] > 1U << i)
			return false;
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned length = lengths[i];
		unsigned bits;

		if (length == 0)
			continue;
		code->symbols[places[length]++] = (uint16_t)i;
		bits = reverse(next[length]++, length);
		for (; length <= FAST_BITS && bits < 1U << FAST_BITS;
			bits += 1U << length)
			code->fast[bits] = (uint16_t)(i << 4 | length);
	}
	return true;
}

/* The symbol of a longer code, bit by bit; negative if no code has these
 * bits. */
static int read_long_symbol(struct reader *reader, const struct code *code)
{
	uint64_t bits = peek(reader);
	unsigned value = 0;
	unsigned first = 0;
	unsigned place = 0;

	for (unsigned i = 1; i <= CODE_BITS_MAX; i++) {
		unsigned count = code->counts[i];

		value |= (unsigned)(bits >> (i - 1)) & 1;
		if (value < first + count) {
			reader->at += i;
			return code->symbols[place + value - first];
		}
		place += count;
		first = (first + count) << 1;
		value <<= 1;
	}
	return -1;
}

static int read_symbol(struct reader *reader, const struct code *code)
{
	unsigned fast = code->fast[peek(reader) & ((1U << FAST_BITS) - 1)];

	if (fast == 0)
		return read_long_symbol(reader, code);
	reader->at += fast & 15;
	return (int)(fast >> 4);
}

/* Skips the rest of a length and its distance. */
static bool skip_match(
	struct reader *reader, unsigned symbol, const struct code *distances)
{
	unsigned place = symbol - END_OF_BLOCK - 1; /* of the length, from 0 */
	int distance;

	if (symbol >= LITERALS_MAX)
		return false;
	if (place >= 8 && place < 28)
		reader->at += place / 4 - 1;
	distance = read_symbol(reader, distances);
	if (distance < 0 || distance >= DISTANCES_MAX)
		return false;
	if (distance >= 4)
		reader->at += (unsigned)distance / 2 - 1;
	return true;
}

static bool skip_symbols(struct reader *reader, const struct code *literals,
	const struct code *distances)
{
	for (;;) {
		int symbol = read_symbol(reader, literals);

		if (symbol < 0 || is_past_end(reader))
			return false;
		if (symbol == END_OF_BLOCK)
			return true;
		if (symbol > END_OF_BLOCK &&
			!skip_match(reader, (unsigned)symbol, distances))
			return false;
	}
}

/* Reads the lengths of both codes, which are coded themselves. */
static bool read_lengths(struct reader *reader, const struct code *code,
	uint8_t *lengths, unsigned count)
{
	unsigned done = 0;

	while (done < count) {
		int symbol = read_symbol(reader, code);
		unsigned times = 1;
		uint8_t length = (uint8_t)symbol;

		if (symbol < 0 || is_past_end(reader))
			return false;
		if (symbol == 16) {
			if (done == 0)
				return false;
			length = lengths[done - 1];
			times = 3 + take(reader, 2);
		} else if (symbol > 16) {
			length = 0;
			times = symbol == 17 ? 3 + take(reader, 3)
					     : 11 + take(reader, 7);
		}
		if (times > count - done)
			return false;
		memset(lengths + done, length, times);
		done += times;
	}
	return true;
}

static bool skip_dynamic(struct reader *reader)
{
	static const uint8_t order[LENGTHS] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5,
		11, 4, 12, 3, 13, 2, 14, 1, 15};
	unsigned literal_count = 257 + take(reader, 5);
	unsigned distance_count = 1 + take(reader, 5);
	unsigned count = 4 + take(reader, 4);
	uint8_t lengths[SYMBOLS_MAX] = {0};
	struct code literals;
	struct code distances;

	for (unsigned i = 0; i < count; i++)
		lengths[order[i]] = (uint8_t)take(reader, 3);
	if (!code_init(&literals, lengths, LENGTHS) ||
		!read_lengths(reader, &literals, lengths,
			literal_count + distance_count))
		return false;
	return code_init(&literals, lengths, literal_count) &&
	       code_init(&distances, lengths + literal_count, distance_count) &&
	       skip_symbols(reader, &literals, &distances);
}

static bool skip_fixed(struct reader *reader)
{
	uint8_t lengths[SYMBOLS_MAX];
	struct code literals;
	struct code distances;

	memset(lengths, 8, 144);
	memset(lengths + 144, 9, 112);
	memset(lengths + 256, 7, 24);
	memset(lengths + 280, 8, 8);
	memset(lengths + 288, 5, 32);
	return code_init(&literals, lengths, 288) &&
	       code_init(&distances, lengths + 288, 32) &&
	       skip_symbols(reader, &literals, &distances);
}

static bool skip_stored(struct reader *reader)
{
	unsigned size;

	reader->at = (reader->at + 7) / 8 * 8;
	size = take(reader, 16);
	if (take(reader, 16) != (size ^ 0xffff))
		return false;
	reader->at += (size_t)size * 8;
	return true;
}

static bool skip_block(struct reader *reader, unsigned type)
{
	bool (*const skip[])(struct reader *) = {
		skip_stored, skip_fixed, skip_dynamic};

	return type < sizeof(skip) / sizeof(skip[0]) && skip[type](reader) &&
	       !is_past_end(reader);
}

size_t deflate_open(uint8_t *bytes, size_t size, size_t room)
{
	struct reader reader = {.bytes = bytes, .size = size};
	size_t begin;
	unsigned head;

	do {
		begin = reader.at;
		head = take(&reader, 3);
		if (!skip_block(&reader, head >> 1))
			return 0;
	} while ((head & 1) == 0);
	if ((reader.at + 7) / 8 != size || room < size + DEFLATE_OPEN_BYTES)
		return 0;
	bytes[begin / 8] &= (uint8_t) ~(1U << begin % 8);
	/* The head of the empty block is three zero bits. */
	if (reader.at % 8 == 0 || reader.at % 8 > 5)
		bytes[size++] = 0;
	memcpy(bytes + size, "\0\0\xff\xff", 4);
	return size + 4;
}
