/* SPDX-License-Identifier: MIT */
/*
 * One pass over the text, which ends with a NUL: a lookahead of one character
 * is always possible, and a NUL before the end is just an unknown byte.
 */
#include "lex.h"

#include <stdlib.h>
#include <string.h>

#include <ctprof.h>

struct lexer {
	const char *at;
	const char *end;
	struct name_table *names;
	uint32_t line;
	uint8_t flags; /* of the next token */
};

void tokens_push(struct tokens *tokens, const struct token *token)
{
	if (tokens->count == tokens->room) {
		tokens->room = tokens->room == 0 ? 64 : tokens->room * 2;
		tokens->items = memory_resize(
			tokens->items, tokens->room, sizeof(tokens->items[0]));
	}
	tokens->items[tokens->count++] = *token;
}

void tokens_clear(struct tokens *tokens)
{
	free(tokens->items);
	*tokens = (struct tokens){0};
}

struct token *tokens_keep(
	const struct tokens *tokens, size_t from, struct arena *arena)
{
	size_t bytes = (tokens->count - from) * sizeof(struct token);
	struct token *kept = arena_alloc(arena, bytes);

	if (bytes != 0)
		memcpy(kept, tokens->items + from, bytes);
	return kept;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Names may contain bytes of UTF-8 and the GNU `$`. */
static bool starts_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

static bool in_name(char c)
{
	return starts_name(c) || is_digit(c);
}

static void skip_line_comment(struct lexer *lexer)
{
	const char *newline =
		memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));

	lexer->at = newline != NULL ? newline : lexer->end;
}

static void skip_comment(struct lexer *lexer)
{
	for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
		if (lexer->at[0] == '*' && lexer->at[1] == '/') {
			lexer->at += 2;
			return;
		}
		if (lexer->at[0] == '\n')
			lexer->line++;
	}
}

/* Skips white space and comments, and records them in the flags. */
static void skip_space(struct lexer *lexer)
{
	for (; lexer->at < lexer->end; lexer->flags |= TOKEN_SPACE) {
		const char *at = lexer->at;

		if (*at == '\n') {
			lexer->line++;
			lexer->at++;
			lexer->flags |= TOKEN_FIRST;
		} else if (*at == ' ' || (*at >= '\t' && *at <= '\r')) {
			lexer->at++;
		} else if (at[0] == '/' && at[1] == '/') {
			skip_line_comment(lexer);
		} else if (at[0] == '/' && at[1] == '*') {
			skip_comment(lexer);
		} else {
			return;
		}
	}
}

/* The length of an encoding prefix (L, u, U, u8) before a quote, else 0. */
static size_t prefix_length(const char *at)
{
	size_t length = 0;

	if (at[0] == 'u' && at[1] == '8')
		length = 2;
	else if (at[0] == 'L' || at[0] == 'u' || at[0] == 'U')
		length = 1;
	return length != 0 && (at[length] == '"' || at[length] == '\'') ? length
									: 0;
}

/* Returns the end of the literal whose quote is at `at`. */
static const char *literal_end(const char *at, const char *end)
{
	char quote = *at++;

	while (at < end && *at != '\n') {
		if (*at == quote)
			return at + 1;
		if (*at == '\\' && at + 1 < end && at[1] != '\n')
			at++;
		at++;
	}
	return at;
}

static const char *number_end(const char *at)
{
	for (;; at++) {
		if ((*at == 'e' || *at == 'E' || *at == 'p' || *at == 'P') &&
			(at[1] == '+' || at[1] == '-'))
			at++;
		else if (!in_name(*at) && *at != '.' &&
			 !(*at == '\'' && in_name(at[1])))
			return at;
	}
}

/* Returns the length of the punctuator at `at`; 0 if another token begins
 * there. */
static size_t punctuator(const char *at, uint16_t *code)
{
	static const char pairs[] = "->++--<<>><=>===!=&&||*=/=%=+=-=&=^=|=##";
	char c = *at;

	*code = (uint16_t)(unsigned char)c;
	if (c == '\0' || strchr("[](){}.&*+-~!/%<>^|?:;=,#", c) == NULL)
		return 0;
	if (c == '.' && at[1] == '.' && at[2] == '.') {
		*code = ELLIPSIS;
		return 3;
	}
	for (const char *p = pairs; *p != '\0'; p += 2) {
		if (p[0] != c || p[1] != at[1])
			continue;
		*code = (uint16_t)PAIR(p[0], p[1]);
		/* <<= and >>= need no separate code: #if does not have them. */
		if ((c == '<' || c == '>') && at[1] == c && at[2] == '=') {
			*code = (uint16_t)PAIR(c, 'a');
			return 3;
		}
		return 2;
	}
	return 1;
}

static void lex_token(struct lexer *lexer, struct token *token)
{
	const char *at = lexer->at;
	size_t prefix = prefix_length(at);

	if (at[prefix] == '"' || at[prefix] == '\'') {
		token->kind = at[prefix] == '"' ? TOKEN_STRING : TOKEN_CHAR;
		lexer->at = literal_end(at + prefix, lexer->end);
	} else if (starts_name(*at)) {
		while (in_name(*lexer->at))
			lexer->at++;
		token->kind = TOKEN_NAME;
		token->name =
			name_intern(lexer->names, at, (size_t)(lexer->at - at));
	} else if (is_digit(*at) || (*at == '.' && is_digit(at[1]))) {
		token->kind = TOKEN_NUMBER;
		lexer->at = number_end(at);
	} else {
		size_t length = punctuator(at, &token->code);

		token->kind = length != 0 ? TOKEN_PUNCTUATOR : TOKEN_OTHER;
		lexer->at += length != 0 ? length : 1;
	}
	token->text = at;
	token->length = (uint32_t)(lexer->at - at);
}

void lex_joined(const struct source *source, struct name_table *names,
	struct tokens *out)
{
	struct lexer lexer = {
		.at = source->text,
		.end = source->text + source->length,
		.names = names,
		.line = 1,
		.flags = TOKEN_FIRST,
	};

	for (skip_space(&lexer); lexer.at < lexer.end; skip_space(&lexer)) {
		struct token token = {
			.line = lexer.line,
			.flags = lexer.flags,
		};

		lexer.flags = 0;
		lex_token(&lexer, &token);
		tokens_push(out, &token);
	}
}

void lex(const struct source *source, struct name_table *names,
	struct tokens *out)
{
	size_t before = out->count;
	CTP_FUNCTION();

	lex_joined(source, names, out);
	ctp_arg_int("tokens", (int64_t)(out->count - before));
}
