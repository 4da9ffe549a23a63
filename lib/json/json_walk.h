/* SPDX-License-Identifier: MIT */
/*
 * Walks JSON text in memory, to validate or to skip it, without recursion: the
 * rules are constants, and each user gets its own copy of the code.
 */
#ifndef JSON_WALK_H
#define JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "json/json_value.h"

#define JSON_BYTES_ROOM 96

/*
 * Find the ends of the parts of a JSON text from its bytes alone. They may read
 * JSON_BYTES_ROOM arbitrary bytes after `end`: a result beyond `end` means that
 * the part is incomplete.
 */

/* JSON white space. */
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

/* The closing quote of the string with this text; `end` if there is none. */
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

/* One bit for each of the next 16 bytes that is a digit. */
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

/* The number of digits at the beginning of the next 16 bytes. */
static inline unsigned json_bytes_run(const uint8_t *text)
{
	return (unsigned)__builtin_ctz(
		~json_bytes_digits(text) | UINT32_C(1) << 16);
}

/* Can a number or word end before this byte? Before any other byte the text is
 * invalid. */
static inline bool json_bytes_ends(uint8_t byte)
{
	return byte == ',' || byte == '}' || byte == ']' ||
	       json_bytes_is_blank(byte);
}

/* The position after a number of digits, perhaps with a point and more digits,
 * about 30 in all. NULL for any other number or text, or without an end. */
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

/* The end of the number or word, in whatever form. */
static inline const uint8_t *json_bytes_word(
	const uint8_t *text, const uint8_t *end)
{
	while (text < end && !json_bytes_ends(*text) && *text != '{' &&
		*text != '[' && *text != ':' && *text != '"')
		text++;
	return text;
}

/* The position after a number or word, and its kind. NULL if it is invalid, or
 * its end is not in memory. */
const uint8_t *json_bytes_odd(
	const uint8_t *text, const uint8_t *end, uint8_t *kind);

static inline const uint8_t *json_bytes_scalar(
	const uint8_t *text, const uint8_t *end, uint8_t *kind)
{
	const uint8_t *behind = json_bytes_number(text);

	*kind = JSON_NUMBER;
	return behind != NULL ? behind : json_bytes_odd(text, end, kind);
}

/* Is it printable ASCII, not a quote or a backslash? */
static inline bool json_bytes_is_plain(uint8_t byte)
{
	return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

/* The first byte that is not plain. Zeros must follow the text. */
static inline const uint8_t *json_bytes_plain(const uint8_t *text)
{
#ifdef __SSE2__
	for (;; text += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)text);
		/* Signed comparison: bytes from 0x80 on are less too. */
		__m128i found = _mm_or_si128(
			_mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)),
			_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
				_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
		int bits = _mm_movemask_epi8(found);

		if (bits != 0)
			return text + __builtin_ctz((unsigned)bits);
	}
#else
	while (json_bytes_is_plain(*text))
		text++;
	return text;
#endif
}

/* Deepest nesting of brackets. */
#define JSON_WALK_DEPTH_MAX 1024

/* Rules, or'ed. Without any, strings may contain any bytes. */
#define JSON_WALK_STRICT 1u /* Source: RFC 8259 */
/* No numbers beyond a double, no unpaired surrogates, and half the depth, for
 * other parsers. Source: RFC 8259, sections 6, 8.2 and 9. */
#define JSON_WALK_SAFE 2u
/* No byte after the end can be read; without this, JSON_BYTES_ROOM can, and
 * zeros come sooner or later. */
#define JSON_WALK_BOUNDED 4u

/* The open brackets, and the position between two items or members, or before
 * the first. */
struct json_walk {
	const uint8_t *text; /* JSON_WALK_STRICT: the error, or the end */
	const uint8_t *end;
	void *user; /* for the hook */
	uint32_t depth;
	bool is_first;
	uint64_t arrays[JSON_WALK_DEPTH_MAX / 64]; /* one bit per bracket */
};

/* Begins before a value. */
static inline void json_walk_begin(
	struct json_walk *walk, const void *text, const uint8_t *end)
{
	walk->text = text;
	walk->end = end;
	walk->depth = 0;
	walk->is_first = true;
	walk->arrays[0] = 0;
}

/* Receives the outermost object's members that are not brackets: the positions
 * of the key's quote and of the value, and its end. */
typedef void (*json_walk_hook)(void *user, const uint8_t *key,
	const uint8_t *value, const uint8_t *end);

/* The position after the string of which `text` is left: NULL, setting
 * walk->text, if it is invalid. */
const uint8_t *json_walk_odd_string(
	struct json_walk *walk, const uint8_t *text, unsigned rules);

/* Likewise for a number or a word. */
const uint8_t *json_walk_odd(
	struct json_walk *walk, const uint8_t *text, unsigned rules);

#define JSON_WALK_INLINE static inline __attribute__((always_inline))

JSON_WALK_INLINE uint8_t json_walk_byte(
	const struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	return (rules & JSON_WALK_BOUNDED) != 0 && text >= walk->end ? 0
								     : *text;
}

JSON_WALK_INLINE const uint8_t *json_walk_blanks(
	const struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	if ((rules & JSON_WALK_BOUNDED) == 0)
		return json_bytes_blanks(text, walk->end);
	while (text < walk->end && json_bytes_is_blank(*text))
		text++;
	return text;
}

JSON_WALK_INLINE const uint8_t *json_walk_plain(
	const struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	if ((rules & JSON_WALK_BOUNDED) == 0)
		return json_bytes_plain(text);
	while (text < walk->end && json_bytes_is_plain(*text))
		text++;
	return text;
}

JSON_WALK_INLINE const uint8_t *json_walk_fail(
	struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	if ((rules & JSON_WALK_STRICT) != 0)
		walk->text = text;
	return NULL;
}

/* The position after the string whose quote is at `text`. */
JSON_WALK_INLINE const uint8_t *json_walk_string(
	struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	bool has_escapes;

	if ((rules & JSON_WALK_STRICT) == 0) {
		text = json_bytes_string(text + 1, walk->end, &has_escapes);
		return text < walk->end ? text + 1 : NULL;
	}
	text = json_walk_plain(walk, text + 1, rules);
	return text < walk->end && *text == '"'
		       ? text + 1
		       : json_walk_odd_string(walk, text, rules);
}

/* The position after a key and its colon. */
JSON_WALK_INLINE const uint8_t *json_walk_key(
	struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	if (json_walk_byte(walk, text, rules) != '"')
		return json_walk_fail(walk, text, rules);
	text = json_walk_string(walk, text, rules);
	if (text == NULL)
		return NULL;
	text = json_walk_blanks(walk, text, rules);
	if (json_walk_byte(walk, text, rules) != ':')
		return json_walk_fail(walk, text, rules);
	return json_walk_blanks(walk, text + 1, rules);
}

JSON_WALK_INLINE const uint8_t *json_walk_number(
	struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	uint8_t kind;
	const uint8_t *behind = (rules & JSON_WALK_BOUNDED) != 0
					? NULL
					: json_bytes_number(text);

	if (behind != NULL)
		return behind;
	return (rules & JSON_WALK_STRICT) != 0
		       ? json_walk_odd(walk, text, rules)
		       : json_bytes_odd(text, walk->end, &kind);
}

/* Skips a sequence of items that are all numbers or all strings in the common
 * form. */
JSON_WALK_INLINE const uint8_t *json_walk_alike(
	const uint8_t *text, bool strings)
{
	for (;;) {
		const uint8_t *next = text + 1;

		if (*text != ',')
			return text;
		next += *next == ' ';
		if ((*next == '"') != strings)
			return text;
		if (!strings) {
			next = json_bytes_number(next);
		} else {
			next = json_bytes_plain(next + 1);
			next = *next == '"' ? next + 1 : NULL;
		}
		if (next == NULL)
			return text;
		text = next;
	}
}

/* Is this bracket an array's? The outermost is 0. */
static inline bool json_walk_is_array(
	const struct json_walk *walk, uint32_t level)
{
	return (walk->arrays[level / 64] >> level % 64 & 1) != 0;
}

/* Is the innermost one? */
static inline bool json_walk_in_array(const struct json_walk *walk)
{
	return json_walk_is_array(walk, walk->depth - 1);
}

/* Opens a bracket, within the limit. */
static inline void json_walk_open(struct json_walk *walk, bool array)
{
	uint64_t *word = &walk->arrays[walk->depth / 64];
	uint64_t bit = UINT64_C(1) << walk->depth % 64;

	*word = array ? *word | bit : *word & ~bit;
	walk->depth++;
	walk->is_first = true;
}

/* The position after a value, and in an array after the similar items that
 * follow; or after an opening bracket. */
JSON_WALK_INLINE const uint8_t *json_walk_value(struct json_walk *walk,
	const uint8_t *text, bool in_array, unsigned rules)
{
	uint8_t byte = json_walk_byte(walk, text, rules);
	bool string = byte == '"';

	if (byte != '{' && byte != '[') {
		text = string ? json_walk_string(walk, text, rules)
			      : json_walk_number(walk, text, rules);
		walk->is_first &= text == NULL;
		return text != NULL && in_array &&
				       (rules & JSON_WALK_BOUNDED) == 0
			       ? json_walk_alike(text, string)
			       : text;
	}
	if (walk->depth == (rules & JSON_WALK_SAFE ? JSON_WALK_DEPTH_MAX / 2
						   : JSON_WALK_DEPTH_MAX))
		return json_walk_fail(walk, text, rules);
	json_walk_open(walk, byte == '[');
	return text + 1;
}

/* Advances past the next item or member, an opening bracket, or a closing one.
 * NULL otherwise. */
JSON_WALK_INLINE const uint8_t *json_walk_next(struct json_walk *walk,
	const uint8_t *text, unsigned rules, json_walk_hook hook)
{
	bool array = json_walk_in_array(walk);
	uint8_t byte = json_walk_byte(walk, text, rules);
	const uint8_t *key;
	const uint8_t *value;

	if (byte == (array ? ']' : '}')) {
		walk->depth--;
		walk->is_first = false;
		return text + 1;
	}
	if (!walk->is_first) {
		if (byte != ',')
			return json_walk_fail(walk, text, rules);
		text = json_walk_blanks(walk, text + 1, rules);
	}
	if (array)
		return json_walk_value(walk, text, true, rules);
	key = text;
	value = json_walk_key(walk, text, rules);
	if (value == NULL)
		return NULL;
	text = json_walk_value(walk, value, false, rules);
	if (hook != NULL && text != NULL && walk->depth == 1)
		hook(walk->user, key, value, text);
	return text;
}

/*
 * Advances past the closing bracket of the outermost level, where depth is 0;
 * or to the first item or member that is incomplete, invalid, or nested too
 * deep: then false.
 */
JSON_WALK_INLINE bool json_walk_to_end(
	struct json_walk *walk, unsigned rules, json_walk_hook hook)
{
	while (walk->depth > 0) {
		const uint8_t *text = json_walk_next(walk,
			json_walk_blanks(walk, walk->text, rules), rules, hook);

		if (text == NULL)
			return false;
		walk->text = text;
	}
	return true;
}

/* Advances past the value at walk->text, with walk->depth 0. */
JSON_WALK_INLINE bool json_walk_whole(
	struct json_walk *walk, unsigned rules, json_walk_hook hook)
{
	const uint8_t *text = json_walk_value(
		walk, json_walk_blanks(walk, walk->text, rules), false, rules);

	if (text == NULL)
		return false;
	walk->text = text;
	return json_walk_to_end(walk, rules, hook);
}

#endif
