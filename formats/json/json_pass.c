/* SPDX-License-Identifier: MIT */
#include "json/json_pass.h"

#include <stddef.h>

#include "json/json_bytes.h"

/* Brackets that are open are the bits of a word. */
#define DEPTH_MAX 64

/* What is behind a string's quote; NULL if it does not end. */
static inline const uint8_t *pass_string(
	const uint8_t *text, const uint8_t *end)
{
	bool has_escapes;
	const uint8_t *quote = json_bytes_string(text + 1, end, &has_escapes);

	return quote < end ? quote + 1 : NULL;
}

/* A key and its colon, up to the value; NULL if there is none. */
static inline const uint8_t *pass_key(const uint8_t *text, const uint8_t *end)
{
	if (*text != '"')
		return NULL;
	text = pass_string(text, end);
	if (text == NULL)
		return NULL;
	text = json_bytes_blanks(text, end);
	return *text == ':' ? json_bytes_blanks(text + 1, end) : NULL;
}

/* Goes on behind the items that are numbers, or strings, and follow each other
 * as usual. */
static inline const uint8_t *pass_alike(
	const uint8_t *text, const uint8_t *end, bool strings)
{
	for (;;) {
		const uint8_t *next = text + 1;

		if (*text != ',')
			return text;
		next += *next == ' ';
		if ((*next == '"') != strings)
			return text;
		next = strings ? pass_string(next, end)
			       : json_bytes_number(next);
		if (next == NULL)
			return text;
		text = next;
	}
}

/* What is behind a value that is neither an object nor an array, and, being an
 * item, behind those that are alike; NULL if it is to be read in another way.
 */
static inline const uint8_t *pass_scalar(
	const uint8_t *text, const uint8_t *end, bool array)
{
	bool string = *text == '"';
	uint8_t kind;

	text = string ? pass_string(text, end)
		      : json_bytes_scalar(text, end, &kind);
	return text != NULL && array ? pass_alike(text, end, string) : text;
}

/* Goes on behind the next item or member, or its beginning, or a bracket that
 * closes. NULL, and nothing is changed, if it is not so. */
static inline const uint8_t *pass_next(
	struct json_place *place, const uint8_t *text, const uint8_t *end)
{
	bool array = (place->arrays & 1) != 0;

	if (*text == (array ? ']' : '}')) {
		place->arrays >>= 1;
		place->depth--;
		place->is_first = false;
		return text + 1;
	}
	if (!place->is_first) {
		if (*text != ',')
			return NULL;
		text = json_bytes_blanks(text + 1, end);
	}
	if (!array)
		text = pass_key(text, end);
	if (text == NULL)
		return NULL;
	if (*text != '{' && *text != '[') {
		text = pass_scalar(text, end, array);
		place->is_first &= text == NULL;
		return text;
	}
	if (place->depth == DEPTH_MAX)
		return NULL;
	place->arrays = place->arrays << 1 | (*text == '[');
	place->depth++;
	place->is_first = true;
	return text + 1;
}

void json_pass(struct json_place *place, const uint8_t *end)
{
	struct json_place next = *place;

	while (next.depth > 0) {
		const uint8_t *text = pass_next(
			&next, json_bytes_blanks(next.text, end), end);

		if (text == NULL)
			break;
		next.text = text;
	}
	*place = next;
}
