/* SPDX-License-Identifier: MIT */
/*
 * The state of a scanner, json_scan.h: the window of the input in memory, the
 * next valid tokens, and the fast path for common forms. For json_scan.c and
 * json_key_cache.c; others use tokens.
 */
#ifndef JSON_STATE_H
#define JSON_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/error.h"
#include "base/memory.h"
#include "json/json_value.h"

/* Most open brackets. */
#define JSON_SCAN_DEPTH_MAX (UINT32_C(1) << 20)

struct json_token {
	uint64_t at;      /* the text's offset in the input */
	uint32_t size;    /* the window is smaller */
	uint8_t kind;     /* enum json_kind */
	bool has_escapes; /* JSON_KEY, JSON_STRING */
};

#define JSON_BYTES_ROOM 96

/* The part of the input in memory. */
struct json_window {
	FILE *in;
	uint8_t *bytes; /* JSON_BYTES_ROOM zeros follow those used */
	size_t room;
	size_t used;
	size_t at;     /* read position */
	uint64_t base; /* the input's offset of bytes[0] */
	uint64_t kept; /* offset of pinned text, or NOT_KEPT */
	bool at_eof;
};

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

/* The position after a number or word, and its kind; in json_scan.c. NULL if it
 * is invalid, or its end is not in memory. */
const uint8_t *json_bytes_odd(
	const uint8_t *text, const uint8_t *end, uint8_t *kind);

static inline const uint8_t *json_bytes_scalar(
	const uint8_t *text, const uint8_t *end, uint8_t *kind)
{
	const uint8_t *behind = json_bytes_number(text);

	*kind = JSON_NUMBER;
	return behind != NULL ? behind : json_bytes_odd(text, end, kind);
}

/* The open brackets as a stack of bits. */
struct json_brackets {
	uint32_t depth;
	uint64_t *arrays; /* one bit per bracket: 1 for an array */
	size_t words;
};

/* Is there room for one more without allocation? */
static inline bool json_brackets_has_room(const struct json_brackets *open)
{
	return open->depth / 64 < open->words;
}

/* CTP_ERR_LIMIT at JSON_SCAN_DEPTH_MAX; CTP_ERR_NOMEM. */
static inline enum ctp_status json_brackets_push(
	struct json_brackets *open, bool array)
{
	size_t word = open->depth / 64;
	uint64_t bit = UINT64_C(1) << open->depth % 64;

	if (open->depth == JSON_SCAN_DEPTH_MAX)
		return CTP_ERR_LIMIT;
	if (!json_brackets_has_room(open)) {
		size_t words = open->words == 0 ? 1 : 2 * open->words;
		uint64_t *arrays =
			memory_resize(open->arrays, words * sizeof(*arrays));

		if (arrays == NULL)
			return CTP_ERR_NOMEM;
		open->arrays = arrays;
		open->words = words;
	}
	open->arrays[word] =
		array ? open->arrays[word] | bit : open->arrays[word] & ~bit;
	open->depth++;
	return CTP_OK;
}

/* Is the innermost one an array? */
static inline bool json_brackets_in_array(const struct json_brackets *open)
{
	uint32_t last = open->depth - 1;

	return (open->arrays[last / 64] >> last % 64 & 1) != 0;
}

/* The tokens that may come next. */
enum json_state {
	JSON_STATE_WRONG, /* nothing: the token is not allowed here */
	JSON_STATE_VALUE,
	JSON_STATE_FIRST_ITEM, /* first item of an array, or its end */
	JSON_STATE_FIRST_KEY,  /* first key of an object, or its end */
	JSON_STATE_KEY,
	JSON_STATE_COLON,
	JSON_STATE_MEMBER,   /* a member's value */
	JSON_STATE_IN_ARRAY, /* a comma or the end */
	JSON_STATE_IN_OBJECT,
	JSON_STATE_DONE,
	/* After a bracket, the state depends on the open ones. */
	JSON_STATE_OPEN_OBJECT,
	JSON_STATE_OPEN_ARRAY,
	JSON_STATE_CLOSE,
	JSON_STATES
};

struct json_scan {
	struct json_window window;
	enum json_state state;
	struct json_brackets open;
	bool is_cut_off;
	uint64_t words_end;     /* end of the last word read as a text */
	struct ctp_error error; /* first error; status CTP_OK: none */
};

/* The state after a value, by the bracket that is open. */
static inline enum json_state json_state_after(const struct json_scan *scan)
{
	if (scan->open.depth == 0)
		return JSON_STATE_DONE;
	return json_brackets_in_array(&scan->open) ? JSON_STATE_IN_ARRAY
						   : JSON_STATE_IN_OBJECT;
}

/* Closes the innermost bracket with the next byte. */
static inline void json_state_close(
	struct json_scan *scan, struct json_token *token)
{
	*token = (struct json_token){.kind = JSON_END,
		.at = scan->window.base + scan->window.at,
		.size = 1};
	scan->window.at++;
	scan->open.depth--;
	scan->state = json_state_after(scan);
}

/* Likewise with the bracket at `text`; false if that is not in memory. */
static inline bool json_state_fast_close(
	struct json_scan *scan, const uint8_t *text, struct json_token *token)
{
	struct json_window *window = &scan->window;

	if (text >= window->bytes + window->used)
		return false;
	window->at = (size_t)(text - window->bytes);
	json_state_close(scan, token);
	return true;
}

/* The position of the next item or member, after a comma unless it is the
 * first. NULL if the comma is missing. */
static inline const uint8_t *json_state_fast_begin(const struct json_scan *scan,
	enum json_state first, const uint8_t *text, const uint8_t *end)
{
	if (scan->state == first)
		return text;
	return *text == ',' ? json_bytes_blanks(text + 1, end) : NULL;
}

/* The text that is in memory. */
struct json_text {
	const uint8_t *bytes;
	const uint8_t *end;
	uint64_t base; /* the input's offset of bytes[0] */
};

static inline struct json_text json_state_text(const struct json_scan *scan)
{
	const struct json_window *window = &scan->window;

	return (struct json_text){
		window->bytes, window->bytes + window->used, window->base};
}

static inline uint64_t json_state_offset(
	const struct json_text *all, const uint8_t *text)
{
	return all->base + (uint64_t)(text - all->bytes);
}

/* The position after the value at `text`; NULL if it must be read as a
 * token. */
static inline __attribute__((always_inline)) const uint8_t *
json_state_fast_value(const struct json_text *all, const uint8_t *text,
	struct json_token *value)
{
	const uint8_t *behind;

	value->has_escapes = false;
	if (*text == '"') {
		value->kind = JSON_STRING;
		behind = json_bytes_string(
			++text, all->end, &value->has_escapes);
	} else if (*text == '{' || *text == '[') {
		value->kind = *text == '[' ? JSON_ARRAY : JSON_OBJECT;
		behind = text + 1;
	} else {
		behind = json_bytes_scalar(text, all->end, &value->kind);
	}
	value->at = json_state_offset(all, text);
	value->size = (uint32_t)(behind - text);
	return behind;
}

/* Does the value begin an object or array? */
static inline bool json_state_is_nested(const struct json_token *value)
{
	return value->kind == JSON_OBJECT || value->kind == JSON_ARRAY;
}

/* Opens the object or array; false if that is impossible, or needs memory. */
static inline bool json_state_open(
	struct json_scan *scan, const struct json_token *value)
{
	bool array = value->kind == JSON_ARRAY;

	if (!json_brackets_has_room(&scan->open) ||
		json_brackets_push(&scan->open, array) != CTP_OK)
		return false;
	scan->state = array ? JSON_STATE_FIRST_ITEM : JSON_STATE_FIRST_KEY;
	return true;
}

/* Advances past a value; false if it is incomplete, or cannot be opened. */
static inline bool json_state_fast_end(struct json_scan *scan,
	const uint8_t *behind, const struct json_token *value,
	enum json_state next)
{
	struct json_window *window = &scan->window;

	if (behind == NULL || behind >= window->bytes + window->used)
		return false;
	if (!json_state_is_nested(value)) {
		behind += value->kind == JSON_STRING;
		scan->state = next;
	} else if (!json_state_open(scan, value)) {
		return false;
	}
	window->at = (size_t)(behind - window->bytes);
	return true;
}

#endif
