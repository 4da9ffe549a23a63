/* SPDX-License-Identifier: MIT */
/*
 * The value of a JSON text. Decimal numbers are converted exactly, never
 * through a double: 1712345678901234.567 microseconds stay exact in
 * nanoseconds.
 */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

enum json_kind {
	JSON_OBJECT, /* begin; the end is JSON_END */
	JSON_ARRAY,  /* likewise */
	JSON_END,
	JSON_KEY,    /* key of a member; its value comes next */
	JSON_STRING, /* the text between the quotes */
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

/* The size of the number (RFC 8259, section 6), true, false or null at the
 * beginning, and which it is; 0 if there is none. */
size_t json_value_begin(const char *text, size_t size, enum json_kind *kind);

/* Is the whole text one of these? */
static inline bool json_value_kind(
	const char *text, size_t size, enum json_kind *kind)
{
	return size > 0 && json_value_begin(text, size, kind) == size;
}

/* Longer numbers with an exponent do not count as finite. */
#define JSON_VALUE_SMALL 300

/* Is the JSON number finite as a double? */
bool json_value_is_finite(const char *text, size_t size);

/*
 * The size of a NaN or infinity at the beginning, 0 if there is none. JSON has
 * no such numbers, but producers write them. Source: Python's json.dumps(),
 * allow_nan: NaN, -Infinity; C's "%f": nan, -nan, inf, in capitals as well;
 * Microsoft's: -nan(ind), and before 2015 1.#INF00, -1.#IND00, 1.#QNAN0, or
 * fewer of these letters, rounded.
 */
size_t json_value_no_number(const char *text, size_t size);

/*
 * The number times 10^power, rounded to the nearest integer, halves away from
 * zero. False if it is not a number, or too large; white space around it and a
 * plus sign are allowed, because some producers write numbers as strings.
 */
bool json_value_scaled(
	const char *text, size_t size, int power, int64_t *value);

static inline bool json_value_is_word(char byte)
{
	return (unsigned char)(byte - '0') < 10 ||
	       (unsigned char)((byte | 0x20) - 'a') < 26;
}

/* The value of a hexadecimal digit, or negative. */
int json_value_hex(uint8_t digit);

/* The size of the escape at a backslash, and its character; 0: not an escape.
 * A surrogate pair is one escape, and an unpaired one its own character. */
size_t json_value_escape(const char *at, size_t left, uint32_t *code);

static inline bool json_value_is_surrogate(uint32_t code)
{
	return code >= 0xd800 && code <= 0xdfff;
}

/*
 * Appends the text of a string as UTF-8, unescaped; unpaired surrogates and
 * invalid escapes stay unchanged. False if out of memory.
 */
bool json_value_unescape(const char *text, size_t size, struct buffer *out);

/* The value of up to eight digits; false if they are not all digits. May read
 * eight bytes. */
static inline bool json_value_eight_digits(
	const char *text, size_t count, uint64_t *value)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	/* The first digit is the lowest byte; zeros replace missing digits. */
	word = le64toh(word) ^ ones * '0';
	word = count == 0 ? 0 : word << (64 - 8 * count);
	if (((word | (word + ones * 6)) & ones * 0xf0) != 0)
		return false;
	/* Combines pairs of digits, then pairs of these, and so on. */
	word = word * 10 + (word >> 8);
	word = ((word & UINT64_C(0xff000000ff)) *
			       (100 + (UINT64_C(1000000) << 32)) +
		       (word >> 16 & UINT64_C(0xff000000ff)) *
			       (1 + (UINT64_C(10000) << 32))) >>
	       32;
	*value = (uint32_t)word;
	return true;
}

/* Likewise for up to sixteen. */
static inline bool json_value_sixteen_digits(
	const char *text, size_t count, uint64_t *value)
{
	uint64_t high;

	if (count <= 8)
		return json_value_eight_digits(text, count, value);
	if (!json_value_eight_digits(text, count - 8, &high) ||
		!json_value_eight_digits(text + count - 8, 8, value))
		return false;
	*value += high * 100000000;
	return true;
}

/* The value of an id of an arrow or the like, decimal or, after "0x",
 * hexadecimal; false for any other text. */
bool json_value_id(const char *text, size_t size, uint64_t *id);

/*
 * For JSON with correct brackets and commas but invalid strings or numbers, as
 * some trace producers write it. Could its strings need repair? Checks each
 * byte. The scanner finds invalid numbers: json_scan_has_words().
 */
bool json_value_needs_sanitizing(const char *text, size_t size);

/*
 * Appends the text with all strings rewritten: control characters escaped,
 * stray backslashes doubled, invalid UTF-8 replaced; NaN, -Infinity and the
 * like become strings. False if out of memory.
 */
bool json_value_sanitize(const char *text, size_t size, struct buffer *out);

#endif
