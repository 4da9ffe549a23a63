/* SPDX-License-Identifier: MIT */
#include "json_repair/repair_literal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/json_value.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Removes the blanks around it. */
static void trim(const char **text, size_t *size)
{
	while (*size > 0 && is_blank(**text)) {
		++*text;
		--*size;
	}
	while (*size > 0 && is_blank((*text)[*size - 1]))
		--*size;
}

/* A number in a looser grammar: any sign, no digits before or after the point,
 * leading zeros. */
static bool add_decimal(struct buffer *out, const char *text, size_t size)
{
	size_t from = out->used;
	size_t at = text[0] == '+' || text[0] == '-';
	size_t digits = 0;
	enum json_kind kind;

	if (text[0] == '-')
		buffer_add_byte(out, '-');
	while (at + 1 < size && text[at] == '0' &&
		(unsigned char)(text[at + 1] - '0') < 10)
		at++;
	for (; at < size && (unsigned char)(text[at] - '0') < 10; at++) {
		buffer_add_byte(out, (uint8_t)text[at]);
		digits++;
	}
	if (digits == 0)
		buffer_add_byte(out, '0');
	if (at < size && text[at] == '.') {
		buffer_add_byte(out, '.');
		at++;
		if (at == size || (unsigned char)(text[at] - '0') > 9)
			buffer_add_byte(out, '0');
		else
			digits++;
	}
	buffer_add(out, text + at, size - at);
	if (digits > 0 && !out->failed &&
		json_value_kind((const char *)out->bytes + from,
			out->used - from, &kind) &&
		kind == JSON_NUMBER &&
		json_value_is_finite(
			(const char *)out->bytes + from, out->used - from))
		return true;
	out->used = from;
	return false;
}

bool repair_literal_is_time(const char *text, size_t size)
{
	struct buffer out = BUFFER_INIT;
	bool is_time;

	trim(&text, &size);
	if (size == 0 || size > JSON_VALUE_SMALL)
		return false;
	is_time = add_decimal(&out, text, size);
	buffer_clear(&out);
	return is_time;
}

static bool add_hex(struct buffer *out, const char *text, size_t size)
{
	char digits[24];
	uint64_t value = 0;
	bool negative = text[0] == '-';
	size_t at = text[0] == '+' || negative;

	if (size - at < 3 || size - at > 18 || text[at] != '0' ||
		(text[at + 1] | 0x20) != 'x')
		return false;
	for (at += 2; at < size; at++) {
		unsigned digit = (unsigned char)(text[at] - '0');

		if (digit > 9)
			digit = (unsigned char)((text[at] | 0x20) - 'a') + 10U;
		if (digit > 15)
			return false;
		value = value << 4 | digit;
	}
	(void)snprintf(digits, sizeof(digits), "%s%" PRIu64,
		negative ? "-" : "", value);
	buffer_add_text(out, digits);
	return true;
}

/* NaN and infinity as in protobuf's JSON, from any spelling. */
static void add_no_number(struct buffer *out, const char *text, size_t size)
{
	size_t sign = text[0] == '-' || text[0] == '+';
	const char *word = text + sign;
	bool infinite = (word[0] | 0x20) == 'i' ||
			(size - sign > 5 && memcmp(word, "1.#INF", 6) == 0);

	if (!infinite)
		buffer_add_text(out, "\"NaN\"");
	else
		buffer_add_text(
			out, text[0] == '-' ? "\"-Infinity\"" : "\"Infinity\"");
}

bool repair_literal_add(
	struct buffer *out, const char *text, size_t size, enum repair_fix *fix)
{
	static const struct {
		const char *word;
		const char *json;
		enum repair_fix fix;
	} words[] = {
		{"true", "true", REPAIR_FIXES},
		{"false", "false", REPAIR_FIXES},
		{"null", "null", REPAIR_FIXES},
		{"True", "true", REPAIR_WORDS},
		{"False", "false", REPAIR_WORDS},
		{"None", "null", REPAIR_WORDS},
		{"undefined", "null", REPAIR_WORDS},
	};
	enum json_kind kind;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) != size ||
			memcmp(words[i].word, text, size) != 0)
			continue;
		buffer_add_text(out, words[i].json);
		*fix = words[i].fix;
		return true;
	}
	*fix = REPAIR_NAN;
	if (size > 0 && json_value_no_number(text, size) == size) {
		add_no_number(out, text, size);
		return true;
	}
	*fix = REPAIR_FIXES;
	if (json_value_kind(text, size, &kind) &&
		json_value_is_finite(text, size)) {
		buffer_add(out, text, size);
		return true;
	}
	*fix = REPAIR_NUMBERS;
	return add_decimal(out, text, size) || add_hex(out, text, size);
}
