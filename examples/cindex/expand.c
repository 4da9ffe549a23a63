/* SPDX-License-Identifier: MIT */
/*
 * Macro expansion with a stack of token rows: the result of a macro is pushed
 * on the stack and read again. While a macro's row is on it, the macro's name
 * is painted and never expanded again, which ends recursion.
 *
 * It is read again by a recursive call, although the stack alone would suffice,
 * so that the recorded ranges nest like the macros.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ctprof.h>

#include "unit.h"

static void emit(struct unit *unit, struct token *token);

static void push_context(struct unit *unit, const struct token *tokens,
	size_t count, struct macro *macro)
{
	if (unit->context_count == unit->context_room) {
		unit->context_room =
			unit->context_room == 0 ? 64 : unit->context_room * 2;
		unit->contexts = memory_resize(unit->contexts,
			unit->context_room, sizeof(unit->contexts[0]));
	}
	unit->contexts[unit->context_count++] =
		(struct context){tokens, tokens + count, macro};
	if (macro != NULL)
		macro->disabled = true;
}

/* Drops finished rows, but not the lowest `keep`. */
static void drop_contexts(struct unit *unit, size_t keep)
{
	while (unit->context_count > keep) {
		struct context *top = &unit->contexts[unit->context_count - 1];

		if (top->at < top->end)
			return;
		if (top->macro != NULL)
			top->macro->disabled = false;
		unit->context_count--;
	}
}

/* Reads the next token; a currently disabled name is painted. */
static bool next(struct unit *unit, struct token *token)
{
	drop_contexts(unit, unit->floor);
	if (unit->context_count > unit->floor)
		*token = *unit->contexts[unit->context_count - 1].at++;
	else if (unit->isolated || !input_next(unit, token))
		return false;
	if (token->kind == TOKEN_NAME && token->name->macro != NULL &&
		token->name->macro->disabled)
		token->flags |= TOKEN_PAINTED;
	return true;
}

static bool follows(const struct unit *unit, int code)
{
	for (size_t i = unit->context_count; i > unit->floor; i--) {
		const struct context *context = &unit->contexts[i - 1];

		if (context->at < context->end)
			return token_is(context->at, code);
	}
	return !unit->isolated && input_follows(unit, code);
}

/* Expands until only `keep` rows are left. */
static void rescan(struct unit *unit, size_t keep)
{
	struct token token;

	for (;;) {
		drop_contexts(unit, keep);
		if (unit->context_count <= keep || !next(unit, &token))
			return;
		emit(unit, &token);
	}
}

void expand_tokens(struct unit *unit, const struct token *tokens, size_t count,
	struct tokens *out)
{
	struct tokens *sink = unit->sink;
	size_t floor = unit->floor;
	bool isolated = unit->isolated;

	unit->sink = out;
	unit->floor = unit->context_count;
	unit->isolated = true;
	push_context(unit, tokens, count, NULL);
	rescan(unit, unit->floor);
	unit->isolated = isolated;
	unit->floor = floor;
	unit->sink = sink;
}

static void expand_argument(struct unit *unit, struct argument *argument)
{
	struct tokens expanded = {0};
	CTP_FUNCTION();

	expand_tokens(unit, argument->tokens, argument->count, &expanded);
	unit->expanded_count += expanded.count;
	argument->expanded = tokens_keep(&expanded, 0, &unit->arena);
	argument->expanded_count = expanded.count;
	tokens_clear(&expanded);
}

/*
 * Appends "a, b, c" of "(a, b, c)" to unit->collected; `ends` gets the count of
 * tokens at the end of each argument. Returns the number of arguments, 0 if
 * there is no end. An #if between the arguments may call this recursively.
 */
static size_t read_arguments(struct unit *unit, const struct macro *macro,
	size_t ends[MACRO_MAX_PARAMETERS])
{
	size_t start = unit->collected.count;
	struct token token;
	size_t count = 0;
	size_t depth = 0;

	next(unit, &token); /* the parenthesis */
	while (next(unit, &token)) {
		if (token_is(&token, '('))
			depth++;
		if (token_is(&token, ')') && depth-- == 0) {
			ends[count++] = unit->collected.count - start;
			return count;
		}
		if (token_is(&token, ',') && depth == 0 &&
			count + 1 < macro->parameters) {
			ends[count++] = unit->collected.count - start;
			continue;
		}
		if (token.flags & TOKEN_FIRST)
			token.flags |= TOKEN_SPACE;
		tokens_push(&unit->collected, &token);
	}
	return 0;
}

/* Reads a call's arguments, one per parameter. Returns NULL if the call does
 * not end or does not match. */
static struct argument *collect_arguments(
	struct unit *unit, const struct macro *macro)
{
	size_t ends[MACRO_MAX_PARAMETERS + 1];
	struct argument *arguments;
	struct token *tokens;
	bool outer = unit->in_arguments;
	size_t first = unit->collected.count;
	size_t count;
	CTP_FUNCTION();

	unit->in_arguments = true;
	count = read_arguments(unit, macro, ends);
	unit->in_arguments = outer;
	unit->expanded_count += unit->collected.count - first;
	tokens = tokens_keep(&unit->collected, first, &unit->arena);
	unit->collected.count = first;
	if (count == 0 || (macro->parameters == 0 && ends[0] != 0) ||
		count + macro->variadic < macro->parameters)
		return NULL;
	arguments = arena_alloc(
		&unit->arena, (macro->parameters + 1U) * sizeof(*arguments));
	for (size_t i = 0; i < macro->parameters; i++) {
		size_t start = i == 0 ? 0 : ends[i - 1];

		if (i >= count) /* the variable arguments are missing */
			ends[i] = start;
		arguments[i] = (struct argument){
			.tokens = tokens + start,
			.count = ends[i] - start,
		};
	}
	return arguments;
}

static void expand_builtin(
	struct unit *unit, enum builtin builtin, struct token *token)
{
	char text[16];
	int length;

	if (builtin == BUILTIN_FILE) {
		const char *path = unit->input->file->path;
		const struct token raw = {
			.text = path,
			.length = (uint32_t)strlen(path),
			.kind = TOKEN_STRING,
		};
		const struct argument argument = {.tokens = &raw, .count = 1};
		size_t size;

		token->text = macro_stringify(&unit->arena, &argument, &size);
		token->length = (uint32_t)size;
		token->kind = TOKEN_STRING;
	} else {
		length = snprintf(text, sizeof(text), "%d",
			builtin == BUILTIN_LINE ? (int)token->line
						: unit->counter++);
		token->text = arena_text(&unit->arena, text, (size_t)length);
		token->length = (uint32_t)length;
		token->kind = TOKEN_NUMBER;
	}
	token->name = NULL;
	tokens_push(unit->sink, token);
}

static void expand_macro(
	struct unit *unit, struct macro *macro, const struct token *place)
{
	struct substitution sub = {
		.arena = &unit->arena,
		.names = &unit->names,
		.macro = macro,
		.place = place,
	};
	struct argument *arguments = NULL;
	struct tokens body = {0};
	const struct token *kept;
	size_t keep;
	CTP_FUNCTION();

	if (macro->function_like) {
		arguments = collect_arguments(unit, macro);
		if (arguments == NULL) {
			unit_error(unit, place);
			return;
		}
	}
	for (size_t i = 0; i < macro->parameters; i++)
		if (macro->expands[i])
			expand_argument(unit, &arguments[i]);
	sub.arguments = arguments;
	unit->expanded_count += macro_cost(&sub);
	if (unit->expanded_count > UNIT_MAX_EXPANDED) {
		unit_error(unit, place);
		return;
	}
	macro_substitute(&sub, &body);
	kept = tokens_keep(&body, 0, &unit->arena);
	keep = unit->context_count;
	push_context(unit, kept, body.count, macro);
	tokens_clear(&body);
	rescan(unit, keep);
}

/* Passes on `count` tokens of the operand of `defined` and `__has_include`,
 * in which no macros are expanded. */
static void pass_operand(struct unit *unit)
{
	struct token token;
	bool more = follows(unit, '(');

	while (next(unit, &token)) {
		tokens_push(unit->sink, &token);
		if (!more || token_is(&token, ')'))
			return;
	}
}

/* Sends a token, or its expansion, to the sink. */
static void emit(struct unit *unit, struct token *token)
{
	struct macro *macro;

	if (unit->in_condition &&
		(token_word(token) == WORD_DEFINED ||
			token_word(token) == WORD_HAS_INCLUDE)) {
		tokens_push(unit->sink, token);
		pass_operand(unit);
		return;
	}
	macro = token->kind == TOKEN_NAME ? token->name->macro : NULL;
	if (macro == NULL || (token->flags & TOKEN_PAINTED) ||
		(macro->function_like && !follows(unit, '('))) {
		tokens_push(unit->sink, token);
	} else if (macro->builtin != BUILTIN_NONE) {
		expand_builtin(unit, macro->builtin, token);
	} else if (unit->nesting >= UNIT_MAX_NESTING ||
		   unit->expanded_count > UNIT_MAX_EXPANDED) {
		unit_error(unit, token);
		token->flags |= TOKEN_PAINTED; /* do not try again */
		tokens_push(unit->sink, token);
	} else {
		unit->nesting++;
		expand_macro(unit, macro, token);
		unit->nesting--;
	}
}

void expand_input(struct unit *unit)
{
	struct token token;

	while (next(unit, &token))
		emit(unit, &token);
}
