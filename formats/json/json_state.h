/* SPDX-License-Identifier: MIT */
/*
 * How far a scanner has come, and how it goes on where all is as usual and
 * there. For json_scan.c and json_key_cache.c only.
 */
#ifndef JSON_STATE_H
#define JSON_STATE_H

#include "json/json_bytes.h"
#include "json/json_scan.h"
#include "base/memory.h"

/* Which brackets are open: a stack of bits. */
struct json_brackets {
	uint32_t depth;
	uint64_t *arrays; /* a bit for each: is it of an array? */
	size_t words;
};

/* Is there room for one more without memory for it? */
static inline bool json_brackets_has_room(const struct json_brackets *open)
{
	return open->depth / 64 < open->words;
}

/* CTP_ERR_LIMIT if they are JSON_SCAN_DEPTH_MAX; CTP_ERR_NOMEM. */
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

/* Is the innermost one of an array? */
static inline bool json_brackets_in_array(const struct json_brackets *open)
{
	uint32_t last = open->depth - 1;

	return (open->arrays[last / 64] >> last % 64 & 1) != 0;
}

/* What may come next. */
enum state {
	STATE_WRONG, /* nothing: the token must not stand here */
	STATE_VALUE,
	STATE_FIRST_ITEM, /* of an array, or its end */
	STATE_FIRST_KEY,  /* of an object, or its end */
	STATE_KEY,
	STATE_COLON,
	STATE_MEMBER,   /* a member's value */
	STATE_IN_ARRAY, /* a comma, or the end */
	STATE_IN_OBJECT,
	STATE_DONE,
	/* After brackets the state depends on which are open. */
	STATE_OPEN_OBJECT,
	STATE_OPEN_ARRAY,
	STATE_CLOSE,
	STATES
};

struct json_scan {
	struct json_window window;
	enum state state;
	struct json_brackets open;
	bool is_cut_off;
	uint64_t words_end;     /* of the last word that was taken for a text */
	struct ctp_error error; /* the first; status CTP_OK: none */
};

/* What may come after a value, by what is open. */
static inline enum state json_state_after(const struct json_scan *scan)
{
	if (scan->open.depth == 0)
		return STATE_DONE;
	return json_brackets_in_array(&scan->open) ? STATE_IN_ARRAY
						   : STATE_IN_OBJECT;
}

/* What is open is closed by the bracket that comes next. */
static inline void json_state_close(
	struct json_scan *scan, struct json_token *token)
{
	*token = (struct json_token){
		.kind = JSON_END, .at = json_scan_position(scan), .size = 1};
	scan->window.at++;
	scan->open.depth--;
	scan->state = json_state_after(scan);
}

/* The same of the bracket there; false if it is not there. */
static inline bool json_state_usual_close(
	struct json_scan *scan, const uint8_t *text, struct json_token *token)
{
	struct json_window *window = &scan->window;

	if (text >= window->bytes + window->used)
		return false;
	window->at = (size_t)(text - window->bytes);
	json_state_close(scan, token);
	return true;
}

/* What is before the next item or member, behind a comma if it is not the
 * first. NULL if it is not so. */
static inline const uint8_t *json_state_usual_begin(
	const struct json_scan *scan, enum state first, const uint8_t *text,
	const uint8_t *end)
{
	if (scan->state == first)
		return text;
	return *text == ',' ? json_bytes_blanks(text + 1, end) : NULL;
}

/* What is in memory, at hand. */
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

/* What is behind the value that begins there; NULL if it is to be read as a
 * token. */
static inline __attribute__((always_inline)) const uint8_t *
json_state_usual_value(const struct json_text *all, const uint8_t *text,
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

/* Is it an object or array that has begun? */
static inline bool json_state_is_nested(const struct json_token *value)
{
	return value->kind == JSON_OBJECT || value->kind == JSON_ARRAY;
}

/* The object or array is open; false if it cannot be, or not at once. */
static inline bool json_state_open(
	struct json_scan *scan, const struct json_token *value)
{
	bool array = value->kind == JSON_ARRAY;

	if (!json_brackets_has_room(&scan->open) ||
		json_brackets_push(&scan->open, array) != CTP_OK)
		return false;
	scan->state = array ? STATE_FIRST_ITEM : STATE_FIRST_KEY;
	return true;
}

/* Goes on behind a value; false if that is not there, or cannot be. */
static inline bool json_state_usual_end(struct json_scan *scan,
	const uint8_t *behind, const struct json_token *value, enum state next)
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

/* The next token, whatever it is. Errors: as json_scan_next(). */
enum ctp_status json_state_next(struct json_scan *scan,
	struct json_token *token, struct ctp_error *err);

#endif
