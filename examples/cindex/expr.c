/* SPDX-License-Identifier: MIT */
/*
 * A recursive-descent parser that computes directly. Source: C17 section
 * 6.10.1: all values are intmax_t or uintmax_t, and names that are not macros
 * are 0. An operand that is not evaluated (1 || 1 / 0) must still parse, so
 * operations compute something harmless instead of failing.
 */
#include "expr.h"

#include <stdint.h>

#include <ctprof.h>

/* Nesting of parentheses, unary operators and ?:. */
#define MAX_DEPTH 200

struct value {
	uint64_t bits;
	bool is_unsigned;
};

struct parser {
	const struct token *at;
	const struct token *end;
	unsigned depth;
	bool failed;
};

static struct value parse_conditional(struct parser *parser);

static bool looking_at(const struct parser *parser, int code)
{
	return parser->at < parser->end && token_is(parser->at, code);
}

static bool accept(struct parser *parser, int code)
{
	bool found = looking_at(parser, code);

	parser->at += found;
	return found;
}

static struct value fail(struct parser *parser)
{
	parser->failed = true;
	parser->at = parser->end;
	return (struct value){0, false};
}

static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c |= 0x20;
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	return 99;
}

/* Parses an integer of any base, with an optional suffix. */
static struct value parse_number(struct parser *parser)
{
	const char *at = parser->at->text;
	const char *end = at + parser->at->length;
	struct value value = {0, false};
	unsigned base = 10;

	parser->at++;
	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x') {
		base = 16;
		at += 2;
	} else if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'b') {
		base = 2;
		at += 2;
	} else if (at[0] == '0') {
		base = 8;
	}
	for (; at < end; at++) {
		if (*at == '\'')
			continue;
		if (digit_value(*at) >= base)
			break;
		value.bits = value.bits * base + digit_value(*at);
	}
	value.is_unsigned = base != 10 && value.bits > INT64_MAX;
	for (; at < end; at++) {
		if ((*at | 0x20) == 'u')
			value.is_unsigned = true;
		else if ((*at | 0x20) != 'l' && (*at | 0x20) != 'z')
			return fail(parser);
	}
	return value;
}

/* Parses the character after a backslash, at `*at`, and advances to its end. */
static uint64_t parse_escape(const char **at, const char *end)
{
	static const char names[] = "n\nt\tr\ra\ab\bf\fv\ve\033";
	uint64_t value = 0;
	char c = *(*at)++;

	if (c == 'x') {
		for (; *at < end && digit_value(**at) < 16; ++*at)
			value = value << 4 | digit_value(**at);
		return value;
	}
	if (digit_value(c) < 8) {
		value = digit_value(c);
		for (int i = 0; i < 2 && *at < end && digit_value(**at) < 8;
			i++)
			value = value << 3 | digit_value(*(*at)++);
		return value;
	}
	for (const char *name = names; *name != '\0'; name += 2)
		if (name[0] == c)
			return (unsigned char)name[1];
	return (unsigned char)c;
}

static struct value parse_character(struct parser *parser)
{
	const char *at = parser->at->text;
	const char *end = at + parser->at->length - 1;
	struct value value = {0, false};

	while (at < end && *at != '\'') /* the prefix */
		at++;
	for (at++; at < end;) {
		char c = *at++;
		uint64_t next = (uint64_t)c;

		if (c == '\\' && at < end)
			next = parse_escape(&at, end);
		value.bits = value.bits << 8 | (next & 0xff);
	}
	parser->at++;
	return value;
}

/* A name is 0, even with any parentheses: it tests for a feature of another
 * compiler. */
static struct value parse_name(struct parser *parser)
{
	struct value value = {token_word(parser->at) == WORD_TRUE, false};
	size_t depth = 0;

	parser->at++;
	if (!looking_at(parser, '('))
		return value;
	do {
		if (looking_at(parser, '('))
			depth++;
		else if (looking_at(parser, ')'))
			depth--;
		parser->at++;
	} while (depth > 0 && parser->at < parser->end);
	return depth == 0 ? value : fail(parser);
}

static struct value parse_primary(struct parser *parser)
{
	struct value value;

	if (parser->at == parser->end)
		return fail(parser);
	if (accept(parser, '(')) {
		value = parse_conditional(parser);
		return accept(parser, ')') ? value : fail(parser);
	}
	switch (parser->at->kind) {
	case TOKEN_NUMBER:
		return parse_number(parser);
	case TOKEN_CHAR:
		return parse_character(parser);
	case TOKEN_NAME:
		return parse_name(parser);
	default:
		return fail(parser);
	}
}

static struct value parse_unary(struct parser *parser)
{
	static const char operators[] = "!~-+";
	struct value value;
	CTP_FUNCTION();

	for (const char *c = operators; *c != '\0'; c++) {
		if (!accept(parser, *c))
			continue;
		if (++parser->depth > MAX_DEPTH)
			return fail(parser);
		value = parse_unary(parser);
		parser->depth--;
		if (*c == '!')
			return (struct value){value.bits == 0, false};
		if (*c == '~')
			value.bits = ~value.bits;
		if (*c == '-')
			value.bits = -value.bits;
		return value;
	}
	return parse_primary(parser);
}

/* Precedence of a binary operator; 0 if the token is not one. */
static unsigned precedence(const struct parser *parser)
{
	if (parser->at == parser->end || parser->at->kind != TOKEN_PUNCTUATOR)
		return 0;
	switch (parser->at->code) {
	case '*':
	case '/':
	case '%':
		return 10;
	case '+':
	case '-':
		return 9;
	case PAIR('<', '<'):
	case PAIR('>', '>'):
		return 8;
	case '<':
	case '>':
	case PAIR('<', '='):
	case PAIR('>', '='):
		return 7;
	case PAIR('=', '='):
	case PAIR('!', '='):
		return 6;
	case '&':
		return 5;
	case '^':
		return 4;
	case '|':
		return 3;
	case PAIR('&', '&'):
		return 2;
	case PAIR('|', '|'):
		return 1;
	default:
		return 0;
	}
}

static uint64_t divide(
	struct value left, struct value right, bool is_unsigned, bool remainder)
{
	if (right.bits == 0)
		return 0;
	if (is_unsigned)
		return remainder ? left.bits % right.bits
				 : left.bits / right.bits;
	if (right.bits == UINT64_MAX) /* INT64_MIN / -1 would trap */
		return remainder ? 0 : -left.bits;
	return (uint64_t)(remainder ? (int64_t)left.bits % (int64_t)right.bits
				    : (int64_t)left.bits / (int64_t)right.bits);
}

static uint64_t shift(struct value left, uint64_t by, bool to_right)
{
	uint64_t fill =
		!left.is_unsigned && (int64_t)left.bits < 0 ? UINT64_MAX : 0;

	if (!to_right)
		return by < 64 ? left.bits << by : 0;
	if (by == 0)
		return left.bits;
	return by < 64 ? left.bits >> by | (fill << (64 - by)) : fill;
}

static bool less(struct value left, struct value right, bool is_unsigned)
{
	if (is_unsigned)
		return left.bits < right.bits;
	return (int64_t)left.bits < (int64_t)right.bits;
}

/* The operators whose result is 0 or 1. */
static bool test(int code, struct value left, struct value right)
{
	bool is_unsigned = left.is_unsigned || right.is_unsigned;

	switch (code) {
	case '<':
		return less(left, right, is_unsigned);
	case '>':
		return less(right, left, is_unsigned);
	case PAIR('<', '='):
		return !less(right, left, is_unsigned);
	case PAIR('>', '='):
		return !less(left, right, is_unsigned);
	case PAIR('=', '='):
		return left.bits == right.bits;
	case PAIR('!', '='):
		return left.bits != right.bits;
	case PAIR('&', '&'):
		return left.bits != 0 && right.bits != 0;
	default:
		return left.bits != 0 || right.bits != 0;
	}
}

static struct value compute(int code, struct value left, struct value right)
{
	bool is_unsigned = left.is_unsigned || right.is_unsigned;

	switch (code) {
	case '*':
		return (struct value){left.bits * right.bits, is_unsigned};
	case '/':
	case '%':
		return (struct value){
			divide(left, right, is_unsigned, code == '%'),
			is_unsigned};
	case '+':
		return (struct value){left.bits + right.bits, is_unsigned};
	case '-':
		return (struct value){left.bits - right.bits, is_unsigned};
	case PAIR('<', '<'):
	case PAIR('>', '>'):
		return (struct value){
			shift(left, right.bits, code == PAIR('>', '>')),
			left.is_unsigned};
	case '&':
		return (struct value){left.bits & right.bits, is_unsigned};
	case '^':
		return (struct value){left.bits ^ right.bits, is_unsigned};
	case '|':
		return (struct value){left.bits | right.bits, is_unsigned};
	default:
		return (struct value){test(code, left, right), false};
	}
}

static struct value parse_binary(struct parser *parser, unsigned lowest)
{
	struct value left;
	CTP_FUNCTION();

	left = parse_unary(parser);
	for (;;) {
		unsigned binds = precedence(parser);
		int code;

		if (binds == 0 || binds < lowest)
			return left;
		code = parser->at->code;
		parser->at++;
		left = compute(code, left, parse_binary(parser, binds + 1));
	}
}

static struct value parse_conditional(struct parser *parser)
{
	struct value value;
	struct value yes;
	struct value no;
	CTP_FUNCTION();

	if (++parser->depth > MAX_DEPTH)
		return fail(parser);
	value = parse_binary(parser, 1);
	if (accept(parser, '?')) {
		yes = parse_conditional(parser);
		if (!accept(parser, ':'))
			return fail(parser);
		no = parse_conditional(parser);
		value = value.bits != 0 ? yes : no;
		value.is_unsigned = yes.is_unsigned || no.is_unsigned;
	}
	parser->depth--;
	return value;
}

bool expr_evaluate(const struct token *tokens, size_t count, bool *value)
{
	struct parser parser = {.at = tokens};
	CTP_FUNCTION();

	if (count == 0)
		return false;
	parser.end = tokens + count;
	*value = parse_conditional(&parser).bits != 0;
	return !parser.failed && parser.at == parser.end;
}
