/* SPDX-License-Identifier: MIT */
/*
 * Declarations at file level, with the members of their types. A declaration
 * that is not understood is skipped up to the next semicolon or closing brace.
 */
#ifndef PARSE_H
#define PARSE_H

#include <stdbool.h>

#include "index.h"
#include "lex.h"

/*
 * Parses all of `tokens`, and adds the declarations of the unit's own file to
 * the index.
 */
void parse_unit(const struct tokens *tokens, struct index *index);

/* ------------------------------------------------------------------------
 * Between parse.c, declarator.c and type.c.
 */

/* Nesting of declarators and types. */
#define PARSE_MAX_DEPTH 100

struct parser {
	const struct token *at;
	const struct token *end;
	struct index *index;
	unsigned depth;
};

/* The specifiers before a declarator. */
struct specifiers {
	bool is_typedef;
	bool has_type;
};

struct declarator {
	const struct token *name; /* NULL: none, as parameters may */
	bool is_pointer;
	bool is_function;
};

static inline bool parser_is(const struct parser *parser, int code)
{
	return parser->at < parser->end && token_is(parser->at, code);
}

static inline bool parser_accept(struct parser *parser, int code)
{
	bool found = parser_is(parser, code);

	parser->at += found;
	return found;
}

static inline enum word parser_word(const struct parser *parser)
{
	return parser->at < parser->end ? token_word(parser->at) : WORD_NONE;
}

/* Adds a row if the token is of the unit's own file. */
void parser_found(const struct parser *parser, enum index_kind kind,
	const struct token *token);

/* Skips the current bracket and its contents. */
void parser_skip_group(struct parser *parser);

/* Skips to a comma or semicolon outside of brackets, or to a closing one. */
void parser_skip_value(struct parser *parser);

/* Skips what does not parse: behind the next semicolon or brace group, but
 * not over a closing bracket. */
void parser_resync(struct parser *parser);

/* Skips __attribute__((...)), __asm__("...") and [[...]]. */
void parser_skip_attributes(struct parser *parser);

void parse_specifiers(struct parser *parser, struct specifiers *specifiers);

/* Returns whether there is a declarator, which may be empty. */
bool parse_declarator(struct parser *parser, struct declarator *declarator);

/* struct, union or enum, at the current word. */
void parse_record(struct parser *parser);
void parse_enum(struct parser *parser);

#endif
