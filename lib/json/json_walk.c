/* SPDX-License-Identifier: MIT */
#include "json/json_walk.h"

#include <string.h>

#include "base/utf8.h"
#include "json/json.h"

const uint8_t *json_bytes_odd(
	const uint8_t *text, const uint8_t *end, uint8_t *kind)
{
	const uint8_t *behind = json_bytes_word(text, end);
	enum json_kind which;

	if (behind == end || !json_value_kind((const char *)text,
				     (size_t)(behind - text), &which))
		return NULL;
	*kind = (uint8_t)which;
	return behind;
}

/* Does the input end in a number or word? */
static bool is_open(const uint8_t *text, const uint8_t *end)
{
	while (text < end && (json_value_is_word((char)*text) || *text == '+' ||
				     *text == '-' || *text == '.'))
		text++;
	return text == end;
}

const uint8_t *json_walk_odd(
	struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	size_t left = (size_t)(walk->end - text);
	enum json_kind kind;
	size_t size = json_value_begin((const char *)text, left, &kind);

	if ((rules & JSON_WALK_BOUNDED) == 0 && (size == 0 || size == left) &&
		is_open(text, walk->end))
		return json_walk_fail(walk, walk->end, rules);
	if (size == 0 ||
		(kind == JSON_NUMBER && (rules & JSON_WALK_SAFE) != 0 &&
			!json_value_is_finite((const char *)text, size)))
		return json_walk_fail(walk, text, rules);
	return text + size;
}

/* Could it be an escape or a character of which the end is missing? */
static bool is_half(const uint8_t *at, size_t left)
{
	static const char pattern[] = "\\uxxxx\\uxxxx";

	if (left >= sizeof(pattern) - 1)
		return false;
	for (size_t i = 1; i < left; i++) {
		bool fits = pattern[i] == 'x' ? json_value_hex(at[i]) >= 0
					      : at[i] == (uint8_t)pattern[i];

		if (at[0] != '\\')
			fits = (at[i] & 0xc0) == 0x80;
		if (!fits)
			return false;
	}
	return true;
}

/* The size of the character at `text`, which is not plain; 0 if it is
 * invalid. */
static size_t odd_size(const uint8_t *text, size_t left, unsigned rules)
{
	uint32_t code;

	if (*text >= 0x80)
		return utf8_size((const char *)text, left);
	if (*text != '\\')
		return 0;
	left = json_value_escape((const char *)text, left, &code);
	return (rules & JSON_WALK_SAFE) != 0 && json_value_is_surrogate(code)
		       ? 0
		       : left;
}

const uint8_t *json_walk_odd_string(
	struct json_walk *walk, const uint8_t *text, unsigned rules)
{
	for (; text < walk->end && *text != '"';
		text = json_walk_plain(walk, text, rules)) {
		size_t left = (size_t)(walk->end - text);
		size_t size = odd_size(text, left, rules);

		if (size == 0)
			return json_walk_fail(walk,
				*text >= 0x20 && is_half(text, left) ? walk->end
								     : text,
				rules);
		text += size;
	}
	return text < walk->end ? text + 1 : json_walk_fail(walk, text, rules);
}

bool json_check(const char *text, size_t size)
{
	enum { RULES = JSON_WALK_STRICT | JSON_WALK_BOUNDED };
	struct json_walk walk;

	json_walk_begin(&walk, text, (const uint8_t *)text + size);
	return json_walk_whole(&walk, RULES, NULL) &&
	       json_walk_blanks(&walk, walk.text, RULES) == walk.end;
}
