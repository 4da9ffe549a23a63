/* SPDX-License-Identifier: MIT */
/*
 * struct, union and enum, with their members.
 */
#include <ctprof.h>

#include "parse.h"

/* Parses "int a, b:3, (*c)(void);". Returns whether it understood them. */
static bool parse_member(struct parser *parser)
{
	struct specifiers specifiers = {0};
	CTP_FUNCTION();

	parse_specifiers(parser, &specifiers);
	if (parser_accept(parser, ';')) /* an anonymous struct */
		return true;
	do {
		struct declarator declarator = {0};

		if (!parse_declarator(parser, &declarator))
			return false;
		if (parser_accept(parser, ':') || parser_accept(parser, '='))
			parser_skip_value(parser);
		parser_skip_attributes(parser);
		if (!parser_is(parser, ',') && !parser_is(parser, ';') &&
			!parser_is(parser, '}'))
			return false;
		if (declarator.name != NULL)
			parser_found(parser, INDEX_MEMBER, declarator.name);
	} while (parser_accept(parser, ','));
	return parser_accept(parser, ';') || parser_is(parser, '}');
}

static void parse_members(struct parser *parser)
{
	CTP_FUNCTION();

	parser->at++; /* the brace */
	while (parser->at < parser->end && !parser_accept(parser, '}')) {
		const struct token *before = parser->at;

		if (parser_word(parser) == WORD_STATIC_ASSERT ||
			parser_word(parser) == WORD_CPLUSPLUS)
			parser_resync(parser);
		else if (!parser_accept(parser, ';') && !parse_member(parser))
			parser_resync(parser);
		if (parser->at == before)
			parser->at++;
	}
}

/* Parses the name of a type, if it has one. */
static const struct token *parse_tag(struct parser *parser)
{
	parser_skip_attributes(parser);
	if (parser->at < parser->end && parser->at->kind == TOKEN_NAME &&
		parser_word(parser) == WORD_NONE)
		return parser->at++;
	return NULL;
}

/* Skips ": base" before a body; C++ has it, and C23 for enums. */
static void skip_base(struct parser *parser)
{
	const struct token *colon = parser->at;

	parser_skip_attributes(parser);
	if (!parser_accept(parser, ':'))
		return;
	while (parser->at < parser->end && !parser_is(parser, '{') &&
		!parser_is(parser, ';') && !parser_is(parser, ')') &&
		!parser_is(parser, '}'))
		parser->at++;
	/* No body: it was a bit-field. */
	if (!parser_is(parser, '{'))
		parser->at = colon;
}

void parse_record(struct parser *parser)
{
	bool is_union = parser_word(parser) == WORD_UNION;
	const struct token *tag;
	CTP_FUNCTION();

	parser->at++;
	tag = parse_tag(parser);
	skip_base(parser);
	if (!parser_is(parser, '{'))
		return;
	if (tag != NULL)
		parser_found(
			parser, is_union ? INDEX_UNION : INDEX_STRUCT, tag);
	if (++parser->depth <= PARSE_MAX_DEPTH)
		parse_members(parser);
	else
		parser_skip_group(parser);
	parser->depth--;
}

static void parse_enumerators(struct parser *parser)
{
	CTP_FUNCTION();

	parser->at++; /* the brace */
	while (parser->at < parser->end && !parser_accept(parser, '}')) {
		const struct token *before = parser->at;

		if (parser->at->kind == TOKEN_NAME) {
			parser_found(parser, INDEX_ENUMERATOR, parser->at);
			parser->at++;
			parser_skip_attributes(parser);
		}
		if (parser_accept(parser, '='))
			parser_skip_value(parser);
		parser_accept(parser, ',');
		if (parser->at == before)
			parser->at++;
	}
}

void parse_enum(struct parser *parser)
{
	const struct token *tag;
	CTP_FUNCTION();

	parser->at++;
	if (parser_word(parser) == WORD_CPLUSPLUS) /* enum class */
		parser->at++;
	tag = parse_tag(parser);
	skip_base(parser);
	if (!parser_is(parser, '{'))
		return;
	if (tag != NULL)
		parser_found(parser, INDEX_ENUM, tag);
	parse_enumerators(parser);
}
