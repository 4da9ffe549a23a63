/* SPDX-License-Identifier: MIT */
/*
 * Where the pieces of a JSON text end, by its bytes alone. JSON_BYTES_ROOM bytes
 * behind `end` may be read, and can be anything: what is found to reach beyond
 * `end` is not there. For the scanner, and for the tokens that it has found.
 */
#ifndef JSON_BYTES_H
#define JSON_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json/json_scan.h"

#define JSON_BYTES_ROOM 96

/* White space as JSON has it. */
static inline bool json_bytes_is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* The first byte that is not blank. */
static inline const uint8_t *json_bytes_blanks(
	const uint8_t *text, const uint8_t *end)
{
	if (*text > ' ')
		return text;
	if (*text == ' ' && text[1] > ' ')
		return text + 1;
#ifdef __SSE2__
	for (; text < end; text += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)text);
		__m128i spaces = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
		__m128i lines = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
		__m128i others =
			_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')),
				_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')));
		__m128i blanks =
			_mm_or_si128(_mm_or_si128(spaces, lines), others);
		unsigned left = (unsigned)_mm_movemask_epi8(blanks) ^ 0xffff;

		if (left != 0)
			return text + __builtin_ctz(left);
	}
#else
	while (text < end && json_bytes_is_blank(*text))
		text++;
#endif
	return text;
}

/* The quote that ends the string whose text this is; `end` if none does. */
static inline const uint8_t *json_bytes_string(
	const uint8_t *text, const uint8_t *end, bool *has_escapes)
{
	*has_escapes = false;
	while (text < end) {
#ifdef __SSE2__
		__m128i bytes = _mm_loadu_si128((const __m128i *)text);
		__m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
		__m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
		unsigned both = (unsigned)_mm_movemask_epi8(
			_mm_or_si128(quotes, slashes));

		if (both == 0) {
			text += 16;
			continue;
		}
		text += __builtin_ctz(both);
#endif
		if (*text == '"')
			return text;
		if (*text == '\\')
			*has_escapes = true;
		text += *text == '\\' ? 2 : 1;
	}
	return end;
}

/* A bit for each of the next 16 bytes: is it a digit? */
static inline uint32_t json_bytes_digits(const uint8_t *text)
{
#ifdef __SSE2__
	__m128i bytes = _mm_sub_epi8(
		_mm_loadu_si128((const __m128i *)text), _mm_set1_epi8('0'));
	__m128i are =
		_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(9)), bytes);

	return (uint32_t)_mm_movemask_epi8(are);
#else
	uint32_t digits = 0;

	for (unsigned i = 0; i < 16; i++)
		digits |= (uint32_t)((uint8_t)(text[i] - '0') < 10) << i;
	return digits;
#endif
}

/* How many of the next 16 bytes are digits before one is none. */
static inline unsigned json_bytes_run(const uint8_t *text)
{
	return (unsigned)__builtin_ctz(
		~json_bytes_digits(text) | UINT32_C(1) << 16);
}

/* The number that up to eight digits are; false if they are not all digits.
 * Eight bytes may be read. */
static inline bool json_bytes_eight(
	const char *text, size_t count, uint64_t *value)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	/* The first digit is the lowest byte; behind it zeros take the place of
	 * those that are not there. */
	word = le64toh(word) ^ ones * '0';
	word = count == 0 ? 0 : word << (64 - 8 * count);
	if (((word | (word + ones * 6)) & ones * 0xf0) != 0)
		return false;
	/* Pairs of digits, of pairs, and of those. */
	word = word * 10 + (word >> 8);
	word = ((word & UINT64_C(0xff000000ff)) *
			       (100 + (UINT64_C(1000000) << 32)) +
		       (word >> 16 & UINT64_C(0xff000000ff)) *
			       (1 + (UINT64_C(10000) << 32))) >>
	       32;
	*value = (uint32_t)word;
	return true;
}

/* The same of up to sixteen. */
static inline bool json_bytes_sixteen(
	const char *text, size_t count, uint64_t *value)
{
	uint64_t high;

	if (count <= 8)
		return json_bytes_eight(text, count, value);
	if (!json_bytes_eight(text, count - 8, &high) ||
		!json_bytes_eight(text + count - 8, 8, value))
		return false;
	*value += high * 100000000;
	return true;
}

/* May a number or word end before this byte? If it is another one, it may as
 * well, but something is wrong. */
static inline bool json_bytes_ends(uint8_t byte)
{
	return byte == ',' || byte == '}' || byte == ']' ||
	       json_bytes_is_blank(byte);
}

/* What is behind the number: digits, and perhaps more of them behind a point,
 * some 30 in all. NULL if it is any other, or none, or nothing ends it. */
static inline const uint8_t *json_bytes_number(const uint8_t *text)
{
	unsigned size;

	text += *text == '-';
	size = json_bytes_run(text);
	if (size == 0 || (size > 1 && *text == '0'))
		return NULL;
	text += size;
	if (size == 16)
		text += json_bytes_run(text);
	if (*text == '.') {
		size = json_bytes_run(text + 1);
		if (size == 0)
			return NULL;
		text += 1 + size;
	}
	return json_bytes_ends(*text) ? text : NULL;
}

/* What is behind the number or word, and which it is; NULL if it is none, or
 * what ends it is not there. */
const uint8_t *json_bytes_odd(
	const uint8_t *text, const uint8_t *end, uint8_t *kind);

static inline const uint8_t *json_bytes_scalar(
	const uint8_t *text, const uint8_t *end, uint8_t *kind)
{
	const uint8_t *behind = json_bytes_number(text);

	*kind = JSON_NUMBER;
	return behind != NULL ? behind : json_bytes_odd(text, end, kind);
}

#endif
