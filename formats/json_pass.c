/* SPDX-License-Identifier: MIT */
#include "json_pass.h"

#include <stddef.h>

#include "json_bytes.h"

/* Brackets that are open are the bits of a word. */
#define DEPTH_MAX 64

/* A key and its colon, up to the value; NULL if there is none. */
static inline const uint8_t *pass_key(const uint8_t *text, const uint8_t *end)
{
	bool has_escapes;

	if (*text != '"')
		return NULL;
	text = json_bytes_string(text + 1, end, &has_escapes);
	text = json_bytes_blanks(text + 1, end);
	return *text == ':' ? json_bytes_blanks(text + 1, end) : NULL;
}

static inline const uint8_t *pass_scalar(
	const uint8_t *text, const uint8_t *end)
{
	uint8_t kind;
	bool has_escapes;

	if (*text == '"')
		return json_bytes_string(text + 1, end, &has_escapes) + 1;
	return json_bytes_scalar(text, end, &kind);
}

/* Goes on behind the items that are numbers and follow each other as usual. */
static inline const uint8_t *pass_numbers(const uint8_t *text)
{
	for (;;) {
		const uint8_t *next = text + 1;

		if (*text != ',')
			return text;
		next += *next == ' ';
		next = json_bytes_number(next);
		if (next == NULL)
			return text;
		text = next;
	}
}

/* Goes on behind the next item or member, or its beginning, or a bracket that
 * closes. NULL if it is not so. */
static inline const uint8_t *pass_next(
	struct json_place *next, const uint8_t *text, const uint8_t *end)
{
	bool array = (next->arrays & 1) != 0;

	if (*text == (array ? ']' : '}')) {
		next->arrays >>= 1;
		next->depth--;
		next->is_first = false;
		return text + 1;
	}
	if (!next->is_first) {
		if (*text != ',')
			return NULL;
		text = json_bytes_blanks(text + 1, end);
	}
	if (!array)
		text = pass_key(text, end);
	if (text == NULL)
		return NULL;
	next->is_first = *text == '{' || *text == '[';
	if (!next->is_first) {
		text = pass_scalar(text, end);
		return text != NULL && array && text < end ? pass_numbers(text)
							   : text;
	}
	if (next->depth == DEPTH_MAX)
		return NULL;
	next->arrays = next->arrays << 1 | (*text == '[');
	next->depth++;
	return text + 1;
}

void json_pass(struct json_place *place, const uint8_t *end)
{
	struct json_place next = *place;

	while (next.depth > 0) {
		const uint8_t *text = json_bytes_blanks(next.text, end);

		text = pass_next(&next, text, end);
		if (text == NULL || text > end)
			return;
		next.text = text;
		*place = next;
	}
}
