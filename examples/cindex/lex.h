/* SPDX-License-Identifier: MIT */
/*
 * Text to preprocessing tokens.
 */
#ifndef LEX_H
#define LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "name.h"
#include "source.h"

enum token_kind {
	TOKEN_NAME,
	TOKEN_NUMBER, /* a pp-number: 1.e+5x is one */
	TOKEN_STRING,
	TOKEN_CHAR,
	TOKEN_PUNCTUATOR,
	TOKEN_PARAMETER, /* in a macro's body */
	TOKEN_OTHER,     /* a byte that is invalid in C */
};

#define TOKEN_FIRST 1U   /* first of its line */
#define TOKEN_SPACE 2U   /* space before it */
#define TOKEN_PAINTED 4U /* a macro's name in its own expansion */
#define TOKEN_OWN 8U     /* from the unit's file, not an included one */

/* The code of a punctuator of two characters; for one, it is the character. */
#define PAIR(a, b) ((a) << 8 | (b))
#define PASTE PAIR('#', '#')
#define ELLIPSIS PAIR('.', '.') /* no other token looks like this */

struct token {
	const char *text;  /* does not end with a NUL */
	struct name *name; /* NULL unless TOKEN_NAME */
	uint32_t length;
	uint32_t line;
	uint16_t code; /* of a punctuator; a parameter's number */
	uint8_t kind;
	uint8_t flags;
};

/* A growing row of tokens. All zero is an empty row. */
struct tokens {
	struct token *items;
	size_t count;
	size_t room;
};

void tokens_push(struct tokens *tokens, const struct token *token);
void tokens_clear(struct tokens *tokens);

/* A copy of the items from `from` on, in the arena. */
struct token *tokens_keep(
	const struct tokens *tokens, size_t from, struct arena *arena);

static inline bool token_is(const struct token *token, int code)
{
	return token->kind == TOKEN_PUNCTUATOR && token->code == code;
}

static inline enum word token_word(const struct token *token)
{
	return token->kind == TOKEN_NAME ? token->name->word : WORD_NONE;
}

/*
 * Appends the tokens of `source` to `out`; they point into its text.
 *
 * Errors: none. Literals that do not end, end with their line.
 */
void lex(const struct source *source, struct name_table *names,
	struct tokens *out);

/* The same for the result of ##, too short to be recorded each time. */
void lex_joined(const struct source *source, struct name_table *names,
	struct tokens *out);

#endif
