/* SPDX-License-Identifier: MIT */
/*
 * The lines that begin with `#`. Each has its own function, so that a profile
 * shows their times.
 */
#include <string.h>

#include <ctprof.h>

#include "expr.h"
#include "unit.h"

/* The tokens after the directive's name. */
struct line {
	const struct token *hash; /* the directive's name, for its place */
	const struct token *tokens;
	size_t count;
};

static void directive_define(struct unit *unit, const struct line *line)
{
	struct macro *macro;
	CTP_FUNCTION();

	macro = macro_parse(&unit->arena, line->tokens, line->count);
	if (macro == NULL) {
		unit_error(unit, line->hash);
		return;
	}
	line->tokens->name->macro = macro;
	if (line->tokens->flags & TOKEN_OWN)
		index_add(unit->index, INDEX_MACRO, line->tokens);
}

static void directive_undef(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	if (line->count == 0 || line->tokens->kind != TOKEN_NAME)
		unit_error(unit, line->hash);
	else
		line->tokens->name->macro = NULL;
}

/* The text between < and > as written or, for an expanded macro, the tokens'
 * texts, the best possible file name. */
static bool angle_name(
	struct unit *unit, const struct line *line, struct include *include)
{
	const struct token *end = line->tokens + 1;
	size_t room = 1;
	char *text;

	while (end < line->tokens + line->count && !token_is(end, '>'))
		room += (end++)->length + 1U;
	if (end == line->tokens + line->count)
		return false;
	text = arena_alloc(&unit->arena, room);
	include->name = text;
	for (const struct token *at = line->tokens + 1; at < end; at++) {
		if ((at->flags & TOKEN_SPACE) && at > line->tokens + 1)
			*text++ = ' ';
		memcpy(text, at->text, at->length);
		text += at->length;
	}
	include->length = (size_t)(text - include->name);
	return true;
}

/* Parses "name" or <name>. */
static bool parse_include(
	struct unit *unit, const struct line *line, struct include *include)
{
	if (line->count == 0)
		return false;
	if (line->tokens->kind == TOKEN_STRING && line->tokens->length >= 2) {
		include->quoted = true;
		include->name = line->tokens->text + 1;
		include->length = line->tokens->length - 2;
		return true;
	}
	return token_is(line->tokens, '<') && angle_name(unit, line, include);
}

static void missing(struct unit *unit, const struct line *line,
	const struct include *include)
{
	struct token place = *line->hash;

	CTP_INSTANT("missing include");
	unit->missing_count++;
	place.text = include->name;
	place.length = (uint32_t)include->length;
	if (place.flags & TOKEN_OWN)
		index_add(unit->index, INDEX_MISSING, &place);
}

static void enter(struct unit *unit, const struct line *line,
	const struct include *include)
{
	struct file *file = include_find(unit, include);

	if (file == NULL) {
		missing(unit, line, include);
		return;
	}
	ctp_arg_string("file", file->path);
	if (file->once || (file->guard != NULL && file->guard->macro != NULL))
		return;
	input_include(unit, file);
}

/* An #include; endless recursion is refused. */
static void include(struct unit *unit, const struct line *line, bool next)
{
	struct include include = {.next = next};
	struct line expanded = *line;
	struct tokens tokens = {0};
	CTP_FUNCTION();

	if (unit->in_arguments || unit->depth >= UNIT_MAX_DEPTH ||
		++unit->include_count > UNIT_MAX_INCLUDES) {
		unit_error(unit, line->hash);
		return;
	}
	if (line->count > 0 && line->tokens->kind == TOKEN_NAME) {
		expand_tokens(unit, line->tokens, line->count, &tokens);
		expanded.count = tokens.count;
		expanded.tokens = tokens_keep(&tokens, 0, &unit->arena);
		tokens_clear(&tokens);
	}
	if (parse_include(unit, &expanded, &include))
		enter(unit, line, &include);
	else
		unit_error(unit, line->hash);
}

static void directive_include(struct unit *unit, const struct line *line)
{
	include(unit, line, false);
}

static void directive_include_next(struct unit *unit, const struct line *line)
{
	include(unit, line, true);
}

/* The value of `defined X` or `__has_include(X)` at `*at`, which moves to its
 * last token. */
static bool operator_value(
	struct unit *unit, const struct tokens *tokens, size_t *at)
{
	const struct token *word = &tokens->items[*at];
	struct include include = {
		.next = word->length == strlen("__has_include_next")};
	bool open = *at + 1 < tokens->count && token_is(word + 1, '(');
	struct line line = {.hash = word, .tokens = word + 1 + open};

	*at += open;
	while (*at + 1 < tokens->count) {
		++*at;
		if (open && token_is(&tokens->items[*at], ')'))
			break;
		line.count++;
		if (!open)
			break;
	}
	if (token_word(word) == WORD_DEFINED)
		return line.count == 1 && line.tokens->kind == TOKEN_NAME &&
		       line.tokens->name->macro != NULL;
	return parse_include(unit, &line, &include) &&
	       include_find(unit, &include) != NULL;
}

/* Replaces the operators that exist only in #if by 0 or 1. */
static void resolve_operators(struct unit *unit, struct tokens *tokens)
{
	size_t kept = 0;

	for (size_t at = 0; at < tokens->count; at++) {
		struct token token = tokens->items[at];

		if (token_word(&token) == WORD_DEFINED ||
			token_word(&token) == WORD_HAS_INCLUDE) {
			bool value = operator_value(unit, tokens, &at);

			token.kind = TOKEN_NUMBER;
			token.text = value ? "1" : "0";
			token.length = 1;
			token.name = NULL;
		}
		tokens->items[kept++] = token;
	}
	tokens->count = kept;
}

static bool condition(struct unit *unit, const struct line *line)
{
	struct tokens tokens = {0};
	bool outer = unit->in_condition;
	bool value = false;

	unit->in_condition = true;
	expand_tokens(unit, line->tokens, line->count, &tokens);
	unit->in_condition = outer;
	resolve_operators(unit, &tokens);
	if (!expr_evaluate(tokens.items, tokens.count, &value)) {
		unit_error(unit, line->hash);
		value = false;
	}
	tokens_clear(&tokens);
	return value;
}

static bool is_defined(struct unit *unit, const struct line *line)
{
	if (line->count > 0 && line->tokens->kind == TOKEN_NAME)
		return line->tokens->name->macro != NULL;
	unit_error(unit, line->hash);
	return false;
}

/* Begins a conditional; `readable` is false inside a skipped group. */
static void open_conditional(struct unit *unit, bool readable, bool value)
{
	struct conditional *conditional =
		arena_alloc(&unit->arena, sizeof(*conditional));

	*conditional = (struct conditional){
		.outer = unit->input->conditional,
		.active = readable && value,
		.taken = !readable || value,
	};
	unit->input->conditional = conditional;
}

static void directive_if(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	open_conditional(unit, true, condition(unit, line));
}

static void directive_ifdef(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	open_conditional(unit, true, is_defined(unit, line));
}

static void directive_ifndef(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	open_conditional(unit, true, !is_defined(unit, line));
}

/* Advances to the next group; `value` is not called if a group was taken. */
static void next_group(struct unit *unit, const struct line *line,
	bool (*value)(struct unit *unit, const struct line *line))
{
	struct conditional *conditional = unit->input->conditional;

	if (conditional == NULL || conditional->last) {
		unit_error(unit, line->hash);
		return;
	}
	conditional->active = false;
	if (conditional->taken)
		return;
	conditional->active = value(unit, line);
	conditional->taken = conditional->active;
}

static void directive_elif(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	next_group(unit, line, condition);
}

static void directive_elifdef(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	next_group(unit, line, is_defined);
}

static bool is_undefined(struct unit *unit, const struct line *line)
{
	return !is_defined(unit, line);
}

static void directive_elifndef(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	next_group(unit, line, is_undefined);
}

static bool always(struct unit *unit, const struct line *line)
{
	(void)unit;
	(void)line;
	return true;
}

static void directive_else(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	next_group(unit, line, always);
	if (unit->input->conditional != NULL)
		unit->input->conditional->last = true;
}

static void directive_endif(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	if (unit->input->conditional == NULL)
		unit_error(unit, line->hash);
	else
		unit->input->conditional = unit->input->conditional->outer;
}

static void directive_error(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	unit_error(unit, line->hash);
}

static void directive_pragma(struct unit *unit, const struct line *line)
{
	CTP_FUNCTION();

	if (line->count > 0 && token_word(line->tokens) == WORD_ONCE)
		unit->input->file->once = true;
}

typedef void directive_function(struct unit *unit, const struct line *line);

static directive_function *const directives[] = {
	[WORD_DEFINE] = directive_define,
	[WORD_UNDEF] = directive_undef,
	[WORD_INCLUDE] = directive_include,
	[WORD_INCLUDE_NEXT] = directive_include_next,
	[WORD_IF] = directive_if,
	[WORD_IFDEF] = directive_ifdef,
	[WORD_IFNDEF] = directive_ifndef,
	[WORD_ELIF] = directive_elif,
	[WORD_ELIFDEF] = directive_elifdef,
	[WORD_ELIFNDEF] = directive_elifndef,
	[WORD_ELSE] = directive_else,
	[WORD_ENDIF] = directive_endif,
	[WORD_ERROR] = directive_error,
	[WORD_PRAGMA] = directive_pragma,
};

void directive(struct unit *unit, const struct token *tokens, size_t count)
{
	const struct line line = {tokens, tokens + 1, count - 1};
	enum word word;

	if (count == 0)
		return;
	/* #line, #ident, #warning and the like change nothing here. */
	word = token_word(tokens);
	if (word < sizeof(directives) / sizeof(directives[0]) &&
		directives[word] != NULL)
		directives[word](unit, &line);
}

void directive_skipped(
	struct unit *unit, const struct token *tokens, size_t count)
{
	if (count == 0)
		return;
	switch (token_word(tokens)) {
	case WORD_IF:
	case WORD_IFDEF:
	case WORD_IFNDEF:
		open_conditional(unit, false, false);
		break;
	case WORD_ELIF:
	case WORD_ELIFDEF:
	case WORD_ELIFNDEF:
	case WORD_ELSE:
	case WORD_ENDIF:
		directive(unit, tokens, count);
		break;
	default:
		break;
	}
}
