/* SPDX-License-Identifier: MIT */
/*
 * What the text of a JSON value says. Decimal numbers are read as such, never
 * through a double: 1712345678901234.567 microseconds are so many nanoseconds
 * exactly.
 */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "json/json_scan.h"

/* Is it a number (RFC 8259, section 6), true, false or null; and which? */
bool json_value_kind(const char *text, size_t size, enum json_kind *kind);

/*
 * How many bytes at the beginning are what is written where a number is none, 0
 * if they are not. JSON has no such numbers, but producers write them.
 * Source: Python's json.dumps(), allow_nan: NaN, -Infinity; C's printf(), "%f":
 * nan, -nan, inf, in capitals as well; Microsoft's: -nan(ind), and before 2015
 * 1.#INF00, -1.#IND00, 1.#QNAN0, or fewer of these letters, rounded.
 */
size_t json_value_no_number(const char *text, size_t size);

/*
 * The number times 10^power, rounded to the nearest integer, halves away from
 * zero. False if it is no number, or too large; white space around it and a
 * plus sign are allowed, since some write numbers as strings.
 */
bool json_value_scaled(
	const char *text, size_t size, int power, int64_t *value);

/*
 * Appends the text of a string as UTF-8, without its escapes; surrogates that
 * are no pair, and escapes that are none, stand as they are. False if out of
 * memory.
 */
bool json_value_unescape(const char *text, size_t size, struct buffer *out);

/* The number that the id of an arrow or the like is, decimal or, after "0x",
 * hexadecimal; false if it is any other text. */
bool json_value_id(const char *text, size_t size, uint64_t *id);

#endif
