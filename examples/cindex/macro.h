/* SPDX-License-Identifier: MIT */
/*
 * Macro definitions, and the substitution of arguments in a macro's body.
 */
#ifndef MACRO_H
#define MACRO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "lex.h"

/* More parameters than any header has; boost has up to 256. */
#define MACRO_MAX_PARAMETERS 300

enum builtin {
	BUILTIN_NONE = 0,
	BUILTIN_FILE,
	BUILTIN_LINE,
	BUILTIN_COUNTER,
};

struct macro {
	struct token *body;
	size_t body_count;
	bool *expands; /* parameters that the body uses expanded */
	uint16_t parameters;
	bool function_like;
	bool variadic; /* the last parameter takes all that is left */
	bool disabled; /* being expanded: its name is painted now */
	enum builtin builtin;
};

struct argument {
	const struct token *tokens; /* as written */
	size_t count;
	const struct token *expanded; /* with all macros in it expanded */
	size_t expanded_count;
};

/*
 * Parses the tokens after `#define`; tokens[0] is the name. NULL if they are
 * invalid. Ownership: the arena's.
 */
struct macro *macro_parse(
	struct arena *arena, const struct token *tokens, size_t count);

struct substitution {
	struct arena *arena;
	struct name_table *names;
	const struct macro *macro;
	const struct argument *arguments; /* one for each parameter */
	const struct token *place;        /* the name that is replaced */
};

/* Upper bound of the resulting tokens; new text counts as the tokens that would
 * need the same memory. */
size_t macro_cost(const struct substitution *sub);

/* Appends the body with the arguments in place to `out`. */
void macro_substitute(const struct substitution *sub, struct tokens *out);

/* The tokens' text as a string literal. */
char *macro_stringify(
	struct arena *arena, const struct argument *argument, size_t *length);

#endif
