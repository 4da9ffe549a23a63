/* SPDX-License-Identifier: MIT */
/*
 * The file level. Every step takes at least one token, whatever it meets, so
 * the parser ends on any input.
 */
#include "parse.h"

#include <ctprof.h>

void parser_found(const struct parser *parser, enum index_kind kind,
	const struct token *token)
{
	if (token->flags & TOKEN_OWN)
		index_add(parser->index, kind, token);
}

static bool opens(const struct token *token)
{
	return token_is(token, '(') || token_is(token, '[') ||
	       token_is(token, '{');
}

static bool closes(const struct token *token)
{
	return token_is(token, ')') || token_is(token, ']') ||
	       token_is(token, '}');
}

void parser_skip_group(struct parser *parser)
{
	size_t depth = 0;

	for (; parser->at < parser->end; parser->at++) {
		if (opens(parser->at))
			depth++;
		else if (closes(parser->at) && --depth == 0)
			break;
	}
	parser->at += parser->at < parser->end;
}

void parser_skip_value(struct parser *parser)
{
	while (parser->at < parser->end && !closes(parser->at) &&
		!parser_is(parser, ',') && !parser_is(parser, ';')) {
		if (opens(parser->at))
			parser_skip_group(parser);
		else
			parser->at++;
	}
}

void parser_resync(struct parser *parser)
{
	CTP_FUNCTION();

	while (parser->at < parser->end && !closes(parser->at)) {
		bool braces = parser_is(parser, '{');

		if (parser_accept(parser, ';'))
			return;
		if (opens(parser->at))
			parser_skip_group(parser);
		else
			parser->at++;
		if (braces) {
			parser_accept(parser, ';');
			return;
		}
	}
}

void parser_skip_attributes(struct parser *parser)
{
	for (;;) {
		if (parser_word(parser) == WORD_ATTRIBUTE) {
			parser->at++;
			/* __asm__ volatile ("...") */
			if (parser_word(parser) == WORD_SPECIFIER)
				parser->at++;
			if (parser_is(parser, '('))
				parser_skip_group(parser);
		} else if (parser_is(parser, '[') &&
			   parser->at + 1 < parser->end &&
			   token_is(parser->at + 1, '[')) {
			parser_skip_group(parser);
		} else {
			return;
		}
	}
}

/* Parses the initial value or the body, and what else may follow a declared
 * name. Returns whether this was a body, which ends the declaration. */
static bool parse_definition(
	struct parser *parser, const struct declarator *declarator)
{
	parser_skip_attributes(parser);
	if (declarator->is_function && parser_is(parser, '{')) {
		CTP_SCOPE("skip_body");
		parser_skip_group(parser);
		return true;
	}
	if (parser_accept(parser, '=') || parser_accept(parser, ':'))
		parser_skip_value(parser);
	return false;
}

static enum index_kind kind_of(const struct specifiers *specifiers,
	const struct declarator *declarator, bool has_body)
{
	if (specifiers->is_typedef)
		return INDEX_TYPEDEF;
	if (!declarator->is_function)
		return INDEX_VARIABLE;
	return has_body ? INDEX_FUNCTION : INDEX_PROTOTYPE;
}

/* Parses "a, *b, c(void);". Returns whether it understood them. */
static bool parse_declarators(
	struct parser *parser, const struct specifiers *specifiers)
{
	do {
		struct declarator declarator = {0};
		bool has_body;

		if (!parse_declarator(parser, &declarator) ||
			declarator.name == NULL)
			return false;
		has_body = parse_definition(parser, &declarator);
		if (!has_body && !parser_is(parser, ',') &&
			!parser_is(parser, ';'))
			return false;
		parser_found(parser, kind_of(specifiers, &declarator, has_body),
			declarator.name);
		if (has_body)
			return true;
	} while (parser_accept(parser, ','));
	return parser_accept(parser, ';');
}

static void parse_declaration(struct parser *parser)
{
	struct specifiers specifiers = {0};
	CTP_FUNCTION();

	if (parser_word(parser) == WORD_CPLUSPLUS) {
		parser_resync(parser);
		return;
	}
	parse_specifiers(parser, &specifiers);
	if (parser_accept(parser, ';'))
		return;
	/* FOO(bar): a macro that we have no definition of. */
	if (!specifiers.has_type && parser->at + 1 < parser->end &&
		parser->at->kind == TOKEN_NAME &&
		token_is(parser->at + 1, '(')) {
		parser->at++;
		parser_skip_group(parser);
		parser_accept(parser, ';');
		return;
	}
	if (!parse_declarators(parser, &specifiers))
		parser_resync(parser);
}

void parse_unit(const struct tokens *tokens, struct index *index)
{
	struct parser parser = {.at = tokens->items, .index = index};
	CTP_FUNCTION();

	if (tokens->count == 0)
		return;
	parser.end = tokens->items + tokens->count;
	ctp_arg_int("tokens", (int64_t)tokens->count);
	while (parser.at < parser.end) {
		const struct token *before = parser.at;

		if (parser_word(&parser) == WORD_STATIC_ASSERT)
			parser_resync(&parser);
		else if (!parser_accept(&parser, ';'))
			parse_declaration(&parser);
		if (parser.at == before)
			parser.at++;
	}
}
