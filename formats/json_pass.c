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

/* What is before the next item's or member's value; NULL if it is not so. */
static inline const uint8_t *pass_to_value(
	const struct json_place *place, const uint8_t *text, const uint8_t *end)
{
	if (!place->is_first) {
		if (*text != ',')
			return NULL;
		text = json_bytes_blanks(text + 1, end);
	}
	return (place->arrays & 1) != 0 ? text : pass_key(text, end);
}

static inline const uint8_t *pass_scalar(
	const uint8_t *text, const uint8_t *end)
{
	enum json_kind kind;
	bool has_escapes;

	if (*text == '"')
		return json_bytes_string(text + 1, end, &has_escapes) + 1;
	return json_bytes_scalar(text, end, &kind);
}

void json_pass(struct json_place *place, const uint8_t *end)
{
	struct json_place next = *place;

	for (;;) {
		const uint8_t *text = json_bytes_blanks(next.text, end);

		if (*text == ((next.arrays & 1) != 0 ? ']' : '}')) {
			text++;
			next.arrays >>= 1;
			next.depth--;
			next.is_first = false;
		} else {
			text = pass_to_value(&next, text, end);
			if (text == NULL)
				return;
			next.is_first = *text == '{' || *text == '[';
			if (!next.is_first) {
				text = pass_scalar(text, end);
			} else if (next.depth == DEPTH_MAX) {
				return;
			} else {
				next.arrays =
					next.arrays << 1 | (*text++ == '[');
				next.depth++;
			}
		}
		if (text == NULL || text > end)
			return;
		next.text = text;
		*place = next;
		if (next.depth == 0)
			return;
	}
}
