/* SPDX-License-Identifier: MIT */
#include "base/json_check.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

struct check {
	const char *at;
	const char *end;
	uint32_t depth;
	uint8_t is_object[JSON_CHECK_DEPTH / 8];
};

static bool accept(struct check *check, char wanted)
{
	if (check->at == check->end || *check->at != wanted)
		return false;
	check->at++;
	return true;
}

static void skip_blanks(struct check *check)
{
	while (check->at < check->end &&
		(*check->at == ' ' || *check->at == '\t' ||
			*check->at == '\n' || *check->at == '\r'))
		check->at++;
}

static bool check_word(struct check *check, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(check->end - check->at) < size ||
		memcmp(check->at, word, size) != 0)
		return false;
	check->at += size;
	return true;
}

static bool is_digit(const struct check *check)
{
	return check->at < check->end && *check->at >= '0' && *check->at <= '9';
}

static bool skip_digits(struct check *check)
{
	if (!is_digit(check))
		return false;
	while (is_digit(check))
		check->at++;
	return true;
}

static bool check_number(struct check *check)
{
	(void)accept(check, '-');
	if (!accept(check, '0') && !skip_digits(check))
		return false;
	if (accept(check, '.') && !skip_digits(check))
		return false;
	if (!accept(check, 'e') && !accept(check, 'E'))
		return true;
	if (!accept(check, '+'))
		(void)accept(check, '-');
	return skip_digits(check);
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	       (c >= 'A' && c <= 'F');
}

static bool check_escape(struct check *check)
{
	if (check->at == check->end)
		return false;
	if (*check->at != 'u')
		return memchr("\"\\/bfnrt", *check->at++, 8) != NULL;
	check->at++;
	for (int i = 0; i < 4; i++)
		if (check->at == check->end || !is_hex(*check->at++))
			return false;
	return true;
}

/* After the first quote. */
static bool check_string(struct check *check)
{
	while (check->at < check->end) {
		char c = *check->at++;

		if (c == '"')
			return true;
		if ((unsigned char)c < 0x20 ||
			(c == '\\' && !check_escape(check)))
			return false;
	}
	return false;
}

/* A member's key and colon. */
static bool check_key(struct check *check)
{
	skip_blanks(check);
	if (!accept(check, '"') || !check_string(check))
		return false;
	skip_blanks(check);
	return accept(check, ':');
}

static bool in_object(const struct check *check)
{
	uint32_t at = check->depth - 1;

	return (check->is_object[at / 8] >> at % 8 & 1) != 0;
}

/* Opens a bracket; *is_empty is set if it is closed immediately, without a
 * value. */
static bool open_bracket(struct check *check, bool is_object, bool *is_empty)
{
	uint32_t at = check->depth;

	if (at == JSON_CHECK_DEPTH)
		return false;
	check->depth++;
	check->is_object[at / 8] &= (uint8_t) ~(1u << at % 8);
	check->is_object[at / 8] |= (uint8_t)((unsigned)is_object << at % 8);
	skip_blanks(check);
	*is_empty = accept(check, is_object ? '}' : ']');
	if (*is_empty)
		check->depth--;
	return *is_empty || !is_object || check_key(check);
}

/* A value, or the start of one with brackets: then *is_whole is false. */
static bool check_value(struct check *check, bool *is_whole)
{
	skip_blanks(check);
	*is_whole = true;
	if (accept(check, '{'))
		return open_bracket(check, true, is_whole);
	if (accept(check, '['))
		return open_bracket(check, false, is_whole);
	if (accept(check, '"'))
		return check_string(check);
	return check_word(check, "true") || check_word(check, "false") ||
	       check_word(check, "null") || check_number(check);
}

/* Skips from a value to the next one. False if the text between is invalid;
 * depth is 0 if there is no next value. */
static bool close_values(struct check *check)
{
	while (check->depth > 0) {
		bool is_object = in_object(check);

		skip_blanks(check);
		if (accept(check, ','))
			return !is_object || check_key(check);
		if (!accept(check, is_object ? '}' : ']'))
			return false;
		check->depth--;
	}
	return true;
}

bool json_check(const char *text, size_t size)
{
	struct check check = {.at = text, .end = text + size};

	if (utf8_valid_prefix(text, size) != size)
		return false;
	do {
		bool is_whole;

		if (!check_value(&check, &is_whole) ||
			(is_whole && !close_values(&check)))
			return false;
	} while (check.depth > 0);
	skip_blanks(&check);
	return check.at == check.end;
}
