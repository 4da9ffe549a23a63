/* SPDX-License-Identifier: MIT */
/*
 * Source: C17 section 6.10.3, and the two GNU extensions that system headers
 * need: `args...`, and `, ## __VA_ARGS__`, which drops the comma if there are
 * no variable arguments.
 */
#include "macro.h"

#include <string.h>

#include <ctprof.h>

struct parameters {
	const struct name *names[MACRO_MAX_PARAMETERS];
	size_t count;
	bool variadic;
};

static bool add_parameter(
	struct parameters *parameters, const struct name *name)
{
	if (parameters->count == MACRO_MAX_PARAMETERS)
		return false;
	parameters->names[parameters->count++] = name;
	return true;
}

/* Parses "a, b, c...)" from `*at` on, and advances past it. */
static bool parse_parameters(struct parameters *parameters,
	const struct token **at, const struct token *end)
{
	const struct token *token = *at;

	for (; token < end && !token_is(token, ')'); token++) {
		if (parameters->variadic)
			return false;
		if (token_is(token, ELLIPSIS)) {
			/* Its name is added when the body uses it. */
			parameters->variadic = true;
			if (!add_parameter(parameters, NULL))
				return false;
			continue;
		}
		if (token->kind != TOKEN_NAME ||
			!add_parameter(parameters, token->name))
			return false;
		if (token + 1 < end && token_is(token + 1, ELLIPSIS)) {
			parameters->variadic = true;
			token++;
		} else if (token + 1 < end && token_is(token + 1, ',')) {
			token++;
		}
	}
	*at = token + 1;
	return token < end;
}

/* The number of the parameter that this token names; `count` if none. */
static size_t find_parameter(
	const struct parameters *parameters, const struct token *token)
{
	size_t i;

	if (token->kind != TOKEN_NAME)
		return parameters->count;
	for (i = 0; i < parameters->count; i++) {
		if (parameters->names[i] == token->name)
			break;
		if (parameters->names[i] == NULL &&
			token_word(token) == WORD_VA_ARGS)
			break;
	}
	return i;
}

/* Whether the parameter at `i` of the body is used unexpanded. */
static bool is_raw(const struct macro *macro, size_t i)
{
	const struct token *body = macro->body;

	return (i > 0 && (token_is(&body[i - 1], PASTE) ||
				 token_is(&body[i - 1], '#'))) ||
	       (i + 1 < macro->body_count && token_is(&body[i + 1], PASTE));
}

/* Whether the body has `, ## __VA_ARGS__` at `i`. */
static bool is_comma_paste(const struct macro *macro, size_t i)
{
	const struct token *body = macro->body;

	return macro->variadic && i + 2 < macro->body_count &&
	       token_is(&body[i], ',') && token_is(&body[i + 1], PASTE) &&
	       body[i + 2].kind == TOKEN_PARAMETER &&
	       body[i + 2].code == macro->parameters - 1;
}

static bool parse_body(struct macro *macro, const struct parameters *parameters,
	const struct token *at)
{
	for (size_t i = 0; i < macro->body_count; i++) {
		struct token *token = &macro->body[i];
		size_t parameter = find_parameter(parameters, &at[i]);

		*token = at[i];
		if (parameter < parameters->count) {
			token->kind = TOKEN_PARAMETER;
			token->code = (uint16_t)parameter;
		}
	}
	for (size_t i = 0; i < macro->body_count; i++)
		if (macro->body[i].kind == TOKEN_PARAMETER &&
			(!is_raw(macro, i) ||
				(i >= 2 && is_comma_paste(macro, i - 2))))
			macro->expands[macro->body[i].code] = true;
	return macro->body_count == 0 ||
	       (!token_is(&macro->body[0], PASTE) &&
		       !token_is(&macro->body[macro->body_count - 1], PASTE));
}

struct macro *macro_parse(
	struct arena *arena, const struct token *tokens, size_t count)
{
	struct parameters parameters;
	const struct token *at = tokens + 1;
	const struct token *end = tokens + count;
	struct macro *macro;

	parameters.count = 0;
	parameters.variadic = false;
	if (count == 0 || tokens->kind != TOKEN_NAME ||
		token_word(tokens) == WORD_DEFINED)
		return NULL;
	macro = arena_alloc(arena, sizeof(*macro));
	*macro = (struct macro){0};
	/* Only a parenthesis that touches the name begins parameters. */
	if (at < end && token_is(at, '(') && !(at->flags & TOKEN_SPACE)) {
		macro->function_like = true;
		at++;
		if (!parse_parameters(&parameters, &at, end))
			return NULL;
	}
	macro->parameters = (uint16_t)parameters.count;
	macro->variadic = parameters.variadic;
	macro->body_count = (size_t)(end - at);
	macro->body =
		arena_alloc(arena, macro->body_count * sizeof(struct token));
	macro->expands = arena_alloc(arena, parameters.count);
	memset(macro->expands, 0, parameters.count);
	return parse_body(macro, &parameters, at) ? macro : NULL;
}

/* Upper bound for a string literal of the argument. */
static size_t string_room(const struct argument *argument)
{
	size_t room = 3;

	for (size_t i = 0; i < argument->count; i++)
		room += 2 * (size_t)argument->tokens[i].length + 1;
	return room;
}

size_t macro_cost(const struct substitution *sub)
{
	const struct macro *macro = sub->macro;
	size_t cost = macro->body_count;

	for (size_t i = 0; i < macro->body_count; i++) {
		const struct argument *argument;
		bool made;

		if (macro->body[i].kind != TOKEN_PARAMETER)
			continue;
		argument = &sub->arguments[macro->body[i].code];
		made = is_raw(macro, i);
		cost += made ? argument->count + string_room(argument) /
							 sizeof(struct token)
			     : argument->expanded_count;
	}
	return cost;
}

char *macro_stringify(
	struct arena *arena, const struct argument *argument, size_t *length)
{
	char *text = arena_alloc(arena, string_room(argument));
	char *to = text;

	*to++ = '"';
	for (size_t i = 0; i < argument->count; i++) {
		const struct token *token = &argument->tokens[i];
		bool literal = token->kind == TOKEN_STRING ||
			       token->kind == TOKEN_CHAR;

		if (i > 0 && (token->flags & TOKEN_SPACE))
			*to++ = ' ';
		for (uint32_t j = 0; j < token->length; j++) {
			char c = token->text[j];

			if (literal && (c == '"' || c == '\\'))
				*to++ = '\\';
			*to++ = c;
		}
	}
	*to++ = '"';
	*to = '\0';
	*length = (size_t)(to - text);
	return text;
}

/* Joins `right` to the last token of `out`. If the result is not one token, it
 * stays two, as with gcc -traditional; gcc proper refuses it. */
static void paste(const struct substitution *sub, struct tokens *out,
	const struct token *right)
{
	struct token *left = &out->items[out->count - 1];
	size_t length = (size_t)left->length + right->length;
	struct source joined = {arena_alloc(sub->arena, length + 1), length};
	struct tokens lexed = {0};

	memcpy(joined.text, left->text, left->length);
	memcpy(joined.text + left->length, right->text, right->length);
	joined.text[length] = '\0';
	lex_joined(&joined, sub->names, &lexed);
	if (lexed.count == 1) {
		lexed.items[0].line = left->line;
		lexed.items[0].flags = left->flags & (uint8_t)~TOKEN_PAINTED;
		*left = lexed.items[0];
	} else {
		CTP_INSTANT("bad paste");
		tokens_push(out, right);
	}
	tokens_clear(&lexed);
}

struct piece {
	const struct token *tokens;
	size_t count;
};

/* Expands the body at `*i`, and advances to the last token used. */
static struct piece next_piece(
	const struct substitution *sub, size_t *i, struct token *made)
{
	const struct macro *macro = sub->macro;
	const struct token *body = &macro->body[*i];
	const struct argument *argument;

	*made = *body;
	made->line = sub->place->line;
	made->flags = (uint8_t)((body->flags & TOKEN_SPACE) |
				(sub->place->flags & TOKEN_OWN));
	if (macro->function_like && token_is(body, '#') &&
		*i + 1 < macro->body_count && body[1].kind == TOKEN_PARAMETER) {
		size_t length;

		++*i;
		made->text = macro_stringify(
			sub->arena, &sub->arguments[body[1].code], &length);
		made->length = (uint32_t)length;
		made->kind = TOKEN_STRING;
		return (struct piece){made, 1};
	}
	if (body->kind != TOKEN_PARAMETER)
		return (struct piece){made, 1};
	argument = &sub->arguments[body->code];
	if (is_raw(macro, *i))
		return (struct piece){argument->tokens, argument->count};
	return (struct piece){argument->expanded, argument->expanded_count};
}

static void push_piece(struct tokens *out, const struct piece *piece, size_t i)
{
	for (; i < piece->count; i++)
		tokens_push(out, &piece->tokens[i]);
}

/* Appends the comma and the variable arguments, or nothing. */
static void push_comma(
	const struct substitution *sub, size_t *i, struct tokens *out)
{
	const struct argument *rest =
		&sub->arguments[sub->macro->parameters - 1];
	struct token comma;
	const struct piece piece = next_piece(sub, i, &comma);
	const struct piece tail = {rest->expanded, rest->expanded_count};

	*i += 2;
	if (rest->count == 0)
		return;
	push_piece(out, &piece, 0);
	push_piece(out, &tail, 0);
}

void macro_substitute(const struct substitution *sub, struct tokens *out)
{
	bool pasting = false;
	bool left_empty = true;
	CTP_FUNCTION();

	for (size_t i = 0; i < sub->macro->body_count; i++) {
		struct token made;
		struct piece piece;

		if (token_is(&sub->macro->body[i], PASTE)) {
			pasting = true;
			continue;
		}
		if (is_comma_paste(sub->macro, i)) {
			push_comma(sub, &i, out);
			left_empty = false;
			continue;
		}
		piece = next_piece(sub, &i, &made);
		if (pasting && !left_empty && piece.count > 0) {
			paste(sub, out, &piece.tokens[0]);
			push_piece(out, &piece, 1);
		} else {
			push_piece(out, &piece, 0);
		}
		left_empty = piece.count == 0 && (!pasting || left_empty);
		pasting = false;
	}
}
