/* SPDX-License-Identifier: MIT */
/*
 * The files of a unit. Each is read and lexed completely once; including it
 * again is free if its guard is defined.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ctprof.h>

#include "predefined.h"
#include "source.h"
#include "unit.h"

static bool is_directive(const struct token *token)
{
	return (token->flags & TOKEN_FIRST) && token_is(token, '#');
}

/* The end of the line that the token before `at` is in. */
static size_t line_end(const struct file *file, size_t at)
{
	while (at < file->count && !(file->tokens[at].flags & TOKEN_FIRST))
		at++;
	return at;
}

/* The name in "#ifndef NAME" or "#if !defined NAME" at the start of a file. */
static const struct name *guard_name(const struct file *file)
{
	const struct token *tokens = file->tokens;
	size_t end = line_end(file, 1);

	if (file->count < 3 || !is_directive(&tokens[0]))
		return NULL;
	if (token_word(&tokens[1]) == WORD_IFNDEF && end == 3)
		return tokens[2].name;
	if (token_word(&tokens[1]) != WORD_IF || end < 5 ||
		!token_is(&tokens[2], '!') ||
		token_word(&tokens[3]) != WORD_DEFINED)
		return NULL;
	if (end == 5)
		return tokens[4].name;
	return end == 7 && token_is(&tokens[4], '(') &&
			       token_is(&tokens[6], ')')
		       ? tokens[5].name
		       : NULL;
}

/* The macro that guards the whole file; NULL if there is none. */
static const struct name *find_guard(const struct file *file)
{
	size_t depth = 0;

	if (guard_name(file) == NULL)
		return NULL;
	for (size_t at = 0; at + 1 < file->count; at++) {
		if (!is_directive(&file->tokens[at]))
			continue;
		switch (token_word(&file->tokens[at + 1])) {
		case WORD_IF:
		case WORD_IFDEF:
		case WORD_IFNDEF:
			depth++;
			break;
		case WORD_ELIF:
		case WORD_ELIFDEF:
		case WORD_ELIFNDEF:
		case WORD_ELSE:
			if (depth == 1)
				return NULL;
			break;
		case WORD_ENDIF:
			if (--depth == 0)
				return line_end(file, at + 1) == file->count
					       ? guard_name(file)
					       : NULL;
			break;
		default:
			break;
		}
	}
	return NULL;
}

static void load(struct unit *unit, struct file *file)
{
	bool own = unit->input == NULL;
	struct source source;

	file->missing = unit->byte_count > UNIT_MAX_BYTES ||
			!source_read(file->path, &unit->arena, &source);
	if (file->missing)
		return;
	unit->byte_count += source.length;
	unit->scratch.count = 0;
	lex(&source, &unit->names, &unit->scratch);
	if (own)
		for (size_t i = 0; i < unit->scratch.count; i++)
			unit->scratch.items[i].flags |= TOKEN_OWN;
	file->count = unit->scratch.count;
	file->tokens = tokens_keep(&unit->scratch, 0, &unit->arena);
	file->guard = find_guard(file);
}

/* The file at a path; NULL if there is none. */
static struct file *open_file(
	struct unit *unit, const char *path, size_t length)
{
	struct name *name = name_intern(&unit->names, path, length);

	if (name->file == NULL) {
		name->file = arena_alloc(&unit->arena, sizeof(*name->file));
		*name->file = (struct file){.path = name->text};
		load(unit, name->file);
	}
	return name->file->missing ? NULL : name->file;
}

/* The file `name` in the directory that `path` begins with. */
static struct file *open_in(struct unit *unit, const char *path,
	size_t directory_length, const struct include *include)
{
	char joined[4096];
	int length = snprintf(joined, sizeof(joined), "%.*s%.*s",
		(int)directory_length, path, (int)include->length,
		include->name);

	if (length < 0 || (size_t)length >= sizeof(joined))
		return NULL;
	return open_file(unit, joined, (size_t)length);
}

static struct file *find_beside(
	struct unit *unit, const struct include *include)
{
	const struct file *from = unit->input->file;
	const char *slash = strrchr(from->path, '/');
	size_t length = slash == NULL ? 0 : (size_t)(slash + 1 - from->path);
	struct file *file = open_in(unit, from->path, length, include);

	if (file != NULL && file->directory == 0)
		file->directory = from->directory;
	return file;
}

struct file *include_find(struct unit *unit, const struct include *include)
{
	const struct search *search = unit->search;
	struct file *file = NULL;
	size_t first = include->next ? unit->input->file->directory : 0;
	CTP_FUNCTION();

	if (include->length == 0 || include->length > 4000)
		return NULL;
	if (include->name[0] == '/')
		return open_in(unit, "", 0, include);
	if (include->quoted && !include->next)
		file = find_beside(unit, include);
	for (size_t i = first; file == NULL && i < search->count; i++) {
		const char *directory = search->directories[i];

		file = open_in(unit, directory, strlen(directory), include);
		if (file != NULL)
			file->directory = i + 1;
	}
	return file;
}

bool input_follows(const struct unit *unit, int code)
{
	const struct input *input = unit->input;
	const struct token *token = &input->file->tokens[input->at];

	return input->at < input->file->count && !is_directive(token) &&
	       token_is(token, code);
}

/* Executes the directive at input->at, and skips it. */
static void read_directive(struct unit *unit)
{
	struct input *input = unit->input;
	size_t start = input->at + 1;
	size_t end = line_end(input->file, start);
	const struct token *tokens = input->file->tokens + start;

	input->at = end;
	unit->read_count += end - start;
	if (input->conditional != NULL && !input->conditional->active)
		directive_skipped(unit, tokens, end - start);
	else
		directive(unit, tokens, end - start);
}

bool input_next(struct unit *unit, struct token *token)
{
	struct input *input = unit->input;

	while (input->at < input->file->count &&
		++unit->read_count <= UNIT_MAX_READ) {
		size_t at = input->at;

		if (is_directive(&input->file->tokens[at])) {
			read_directive(unit);
			continue;
		}
		if (input->conditional != NULL && !input->conditional->active) {
			input->at = line_end(input->file, at + 1);
			unit->read_count += input->at - at;
			continue;
		}
		*token = input->file->tokens[at];
		input->at++;
		return true;
	}
	return false;
}

void input_include(struct unit *unit, struct file *file)
{
	struct input input = {.below = unit->input, .file = file};

	unit->input = &input;
	unit->depth++;
	expand_input(unit);
	unit->depth--;
	unit->input = input.below;
}

static void predefine(struct unit *unit)
{
	static const struct {
		const char *name;
		enum builtin builtin;
	} builtins[] = {
		{"__FILE__", BUILTIN_FILE},
		{"__LINE__", BUILTIN_LINE},
		{"__COUNTER__", BUILTIN_COUNTER},
	};
	struct file file = {.path = "<predefined>"};
	struct source source = {
		arena_text(&unit->arena, predefined, sizeof(predefined) - 1),
		sizeof(predefined) - 1};
	CTP_FUNCTION();

	unit->scratch.count = 0;
	lex(&source, &unit->names, &unit->scratch);
	file.count = unit->scratch.count;
	file.tokens = tokens_keep(&unit->scratch, 0, &unit->arena);
	input_include(unit, &file);
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
		struct macro *macro = arena_alloc(&unit->arena, sizeof(*macro));

		*macro = (struct macro){.builtin = builtins[i].builtin};
		name_intern(&unit->names, builtins[i].name,
			strlen(builtins[i].name))
			->macro = macro;
	}
}

static void reset(struct unit *unit)
{
	arena_reset(&unit->arena);
	name_table_reset(&unit->names, &unit->arena);
	unit->context_count = 0;
	unit->collected.count = 0;
	unit->out.count = 0;
	unit->sink = &unit->out;
	unit->include_count = 0;
	unit->byte_count = 0;
	unit->read_count = 0;
	unit->expanded_count = 0;
	unit->counter = 0;
	unit->error_count = 0;
	unit->missing_count = 0;
}

bool unit_preprocess(struct unit *unit)
{
	struct file *file;
	CTP_FUNCTION();

	reset(unit);
	predefine(unit);
	file = open_file(unit, unit->path, strlen(unit->path));
	if (file == NULL)
		return false;
	input_include(unit, file);
	return true;
}

void unit_clear(struct unit *unit)
{
	free(unit->contexts);
	tokens_clear(&unit->collected);
	tokens_clear(&unit->scratch);
	tokens_clear(&unit->out);
	name_table_clear(&unit->names);
	arena_clear(&unit->arena);
}

void unit_error(struct unit *unit, const struct token *where)
{
	/* A limit may be hit a million times. */
	if (unit->error_count++ >= 1000)
		return;
	CTP_INSTANT("error");
	if (where->flags & TOKEN_OWN)
		index_add(unit->index, INDEX_ERROR, where);
}
