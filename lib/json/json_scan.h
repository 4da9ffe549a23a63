/* SPDX-License-Identifier: MIT */
/*
 * Reads JSON of any size token by token in bounded memory. Skipped text is
 * validated too: matching brackets, commas and colons in place, valid numbers
 * and words. NaN, -Infinity and the like are read as texts. It never recurses.
 * Strings may contain any bytes, because trace producers write unchecked text;
 * text is returned unchanged, with its escapes.
 */
#ifndef JSON_SCAN_H
#define JSON_SCAN_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "json/json_walk.h"

/* Most open brackets. */
#define JSON_SCAN_DEPTH_MAX (UINT32_C(1) << 20)

struct json_token {
	uint64_t at;      /* the text's offset in the input */
	uint32_t size;    /* the window is smaller */
	uint8_t kind;     /* enum json_kind */
	bool has_escapes; /* JSON_KEY, JSON_STRING */
};

/* ---- the scanner's state, for json_scan.c and json_key_cache.c ---- */

/* The part of the input in memory. */
struct json_window {
	FILE *in;
	uint8_t *bytes; /* JSON_BYTES_ROOM zeros follow those used */
	size_t room;
	size_t max; /* of `room` */
	size_t used;
	size_t at;     /* read position */
	uint64_t base; /* the input's offset of bytes[0] */
	uint64_t kept; /* offset of pinned text, or NOT_KEPT */
	bool at_eof;
};

/* False if out of memory; call json_window_clear() in either case. `head` was
 * already read from `in`. */
bool json_window_init(struct json_window *window, FILE *in, const void *head,
	size_t head_size, size_t max);
void json_window_clear(struct json_window *window);

/*
 * Reads more; bytes that were read and are not pinned may be dropped. CTP_END:
 * end of the input.
 *
 * Errors: CTP_ERR_IO, CTP_ERR_NOMEM; CTP_ERR_LIMIT if the bytes to keep reach
 * the maximum.
 */
enum ctp_status json_window_fill(
	struct json_window *window, struct ctp_error *err);

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

/* ---- tokens ---- */

/*
 * Reads from `in`, after `head`, which was already read from it. NULL if out of
 * memory. Ownership: `in` is borrowed; `head` is copied.
 */
struct json_scan *json_scan_new(FILE *in, const void *head, size_t head_size);

/* The size of a UTF-8 byte order mark at the beginning, as Windows programs
 * write it; json_scan_new() skips it. Source: RFC 8259, section 8.1. */
size_t json_scan_mark(const void *head, size_t size);
void json_scan_free(struct json_scan *scan);

/*
 * The next token; CTP_END after the input's single value.
 *
 * Errors: CTP_ERR_FORMAT, with the offset of the invalid byte; CTP_ERR_IO;
 * CTP_ERR_LIMIT if brackets nest too deep, or if pinned text or a single token
 * is over 64 MiB; CTP_ERR_NOMEM. Later calls return the same error.
 */
enum ctp_status json_scan_next(struct json_scan *scan, struct json_token *token,
	struct ctp_error *err);

/* Likewise, with the table of transitions only, for json_key_cache.c. */
enum ctp_status json_scan_next_any(struct json_scan *scan,
	struct json_token *token, struct ctp_error *err);

/* Skips the rest of the innermost open object or array, including its end.
 * Errors: as json_scan_next(). */
enum ctp_status json_scan_skip(struct json_scan *scan, struct ctp_error *err);

/* The number of open brackets. */
uint32_t json_scan_depth(const struct json_scan *scan);

/* Has all of the input been read? */
bool json_scan_is_at_end(const struct json_scan *scan);

/* Did it fail because the input is truncated? */
bool json_scan_is_cut_off(const struct json_scan *scan);

/* Was a word at or after this offset read as a text? Then the text of brackets
 * contains such words; json_value_sanitize() makes them strings. */
bool json_scan_has_words(const struct json_scan *scan, uint64_t from);

/* The end of the last token, including its quote or bracket; the end of pinned
 * text. */
static inline uint64_t json_scan_position(const struct json_scan *scan)
{
	const struct json_window *window = &scan->window;

	return window->base + window->at;
}

static inline const char *json_scan_bytes(
	const struct json_scan *scan, uint64_t from)
{
	const struct json_window *window = &scan->window;

	return (const char *)window->bytes + (from - window->base);
}

/* A token's text; borrowed until the next call, or while pinned. */
static inline const char *json_scan_text(
	const struct json_scan *scan, const struct json_token *token)
{
	/* The token of a missing member has no position. */
	return token->size == 0 ? "" : json_scan_bytes(scan, token->at);
}

/* Pins the text from the last token on, until it is unpinned. */
void json_scan_pin(struct json_scan *scan, const struct json_token *token);
void json_scan_unpin(struct json_scan *scan);

/* Longer texts compare as different. */
#define JSON_SMALLSTR_BYTES 24

/* A short token's text as a few numbers, for fast comparison. */
struct json_smallstr {
	uint64_t begin; /* up to eight first and last bytes, ... */
	uint64_t end;
	uint64_t middle; /* ... and those after the first, if longer */
	uint32_t size;
	uint8_t kind; /* enum json_kind */
	bool has_escapes;
};

/* The scanner's buffer is followed by more than a word of room. */
static inline uint64_t json_smallstr_load(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return le64toh(word);
}

static inline struct json_smallstr json_smallstr(
	const struct json_scan *scan, const struct json_token *token)
{
	const char *text = json_scan_text(scan, token);
	struct json_smallstr this = {.size = token->size,
		.kind = token->kind,
		.has_escapes = token->has_escapes};

	if (token->size >= 8) {
		this.begin = json_smallstr_load(text);
		this.end = json_smallstr_load(text + token->size - 8);
	} else if (token->size > 0) {
		this.begin = json_smallstr_load(text) << (64 - 8 * token->size);
	}
	if (token->size > 16)
		this.middle = json_smallstr_load(text + 8);
	return this;
}

static inline bool json_smallstr_is(
	const struct json_smallstr *a, const struct json_smallstr *b)
{
	return a->size <= JSON_SMALLSTR_BYTES && a->size == b->size &&
	       a->kind == b->kind && a->has_escapes == b->has_escapes &&
	       a->begin == b->begin && a->end == b->end &&
	       a->middle == b->middle;
}

/* A hash table index below `count`; equal texts have the same. */
static inline size_t json_smallstr_place(uint64_t sum, size_t count)
{
	return (size_t)(sum * UINT64_C(0x9e3779b97f4a7c15) >> 32) % count;
}

/* ---- the fast path for common forms, for json_scan.c and json_key_cache.c ---- */

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
