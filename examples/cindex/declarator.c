/* SPDX-License-Identifier: MIT */
/*
 * Specifiers and declarators. There is no table of types: the first name in a
 * declaration is a type, and so is each name followed by another name or a
 * star. This also handles undefined macros like EXPORT.
 */
#include <ctprof.h>

#include "parse.h"

/* Whether the current name is part of the type, not the declared name. */
static bool is_type_name(
	const struct parser *parser, const struct specifiers *specifiers)
{
	const struct token *next = parser->at + 1;

	if (parser->at->kind != TOKEN_NAME || next == parser->end)
		return false;
	switch (token_word(next)) {
	case WORD_NONE:
		break;
	case WORD_ATTRIBUTE:
		return !specifiers->has_type;
	default:
		return true;
	}
	if (next->kind == TOKEN_NAME || token_is(next, '*'))
		return true;
	if (specifiers->has_type)
		return false;
	/* FOO in "FOO(bar)" is not a type, but "(size_t)" and "(size_t
	 * (*)(int))" contain one: a parenthesis, comma or star follows. */
	if (token_is(next, '('))
		return next + 1 < parser->end && token_is(next + 1, '*');
	return token_is(next, ')') || token_is(next, ',') ||
	       token_is(next, '[') || token_is(next, ':');
}

/* Parses one word. Returns whether it was a specifier. */
static bool parse_specifier(
	struct parser *parser, struct specifiers *specifiers)
{
	switch (parser_word(parser)) {
	case WORD_TYPEDEF:
		specifiers->is_typedef = true;
		break;
	case WORD_EXTERN:
		/* extern "C" { leaves its braces to the file level. */
		if (parser->at + 1 < parser->end &&
			parser->at[1].kind == TOKEN_STRING)
			parser->at++;
		break;
	case WORD_SPECIFIER:
		break;
	case WORD_TYPEOF:
		specifiers->has_type = true;
		parser->at++;
		if (parser_is(parser, '('))
			parser_skip_group(parser);
		return true;
	case WORD_STRUCT:
	case WORD_UNION:
		specifiers->has_type = true;
		parse_record(parser);
		return true;
	case WORD_ENUM:
		specifiers->has_type = true;
		parse_enum(parser);
		return true;
	case WORD_TYPE:
		specifiers->has_type = true;
		break;
	default:
		if (!is_type_name(parser, specifiers))
			return false;
		specifiers->has_type = true;
		break;
	}
	parser->at++;
	return true;
}

void parse_specifiers(struct parser *parser, struct specifiers *specifiers)
{
	CTP_FUNCTION();

	parser_skip_attributes(parser);
	while (parser->at < parser->end && parse_specifier(parser, specifiers))
		parser_skip_attributes(parser);
}

static bool parse_parameter(struct parser *parser)
{
	struct specifiers specifiers = {0};
	struct declarator declarator = {0};
	CTP_FUNCTION();

	if (parser_accept(parser, ELLIPSIS))
		return true;
	parse_specifiers(parser, &specifiers);
	return parse_declarator(parser, &declarator);
}

/* Parses "(int a, ...)". Parameters are not indexed, so one that cannot be
 * parsed is skipped. */
static void parse_parameters(struct parser *parser)
{
	const struct token *open = parser->at;
	CTP_FUNCTION();

	parser->at++;
	if (parser_accept(parser, ')'))
		return;
	if (++parser->depth <= PARSE_MAX_DEPTH) {
		while (parse_parameter(parser) && parser_accept(parser, ','))
			;
	}
	parser->depth--;
	if (parser_accept(parser, ')'))
		return;
	parser->at = open;
	parser_skip_group(parser);
}

/* Whether a parenthesis at the start of a declarator holds another one, and
 * not the parameters of a function without a name. */
static bool is_nested(const struct parser *parser)
{
	const struct token *next = parser->at + 1;

	if (next == parser->end || token_is(next, ')'))
		return false;
	switch (token_word(next)) {
	case WORD_NONE:
	case WORD_ATTRIBUTE:
		return next->kind == TOKEN_NAME || token_is(next, '*') ||
		       token_is(next, '^') || token_is(next, '(') ||
		       next->kind == TOKEN_NAME;
	default:
		return false;
	}
}

/* Parses "[10]" and "(int)" after a name. */
static void parse_suffixes(
	struct parser *parser, struct declarator *declarator, bool is_first)
{
	for (;; is_first = false) {
		parser_skip_attributes(parser);
		if (parser_is(parser, '[')) {
			parser_skip_group(parser);
		} else if (parser_is(parser, '(')) {
			if (is_first)
				declarator->is_function = true;
			parse_parameters(parser);
		} else {
			return;
		}
	}
}

bool parse_declarator(struct parser *parser, struct declarator *declarator)
{
	bool is_nested_pointer = false;
	CTP_FUNCTION();

	parser_skip_attributes(parser);
	while (parser_is(parser, '*') || parser_is(parser, '^') ||
		parser_word(parser) == WORD_SPECIFIER) {
		declarator->is_pointer |= !(parser->at->kind == TOKEN_NAME);
		parser->at++;
		parser_skip_attributes(parser);
	}
	if (parser_is(parser, '(') && is_nested(parser)) {
		struct declarator inner = {0};
		bool closed;

		if (++parser->depth > PARSE_MAX_DEPTH) {
			parser->depth--;
			return false;
		}
		parser->at++;
		closed = parse_declarator(parser, &inner) &&
			 parser_accept(parser, ')');
		parser->depth--;
		if (!closed)
			return false;
		is_nested_pointer = inner.is_pointer;
		declarator->name = inner.name;
		declarator->is_function = inner.is_function;
	} else if (parser->at < parser->end && parser->at->kind == TOKEN_NAME &&
		   parser_word(parser) == WORD_NONE) {
		declarator->name = parser->at++;
	}
	parse_suffixes(parser, declarator,
		!is_nested_pointer && !declarator->is_function);
	return true;
}
