/* SPDX-License-Identifier: MIT */
/*
 * A translation unit while it is preprocessed: the files it has read, where
 * it is in them, the macros that are being expanded, and the tokens that come
 * out. One thread works on a unit; it keeps the memory for its next one.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "index.h"
#include "lex.h"
#include "macro.h"
#include "name.h"

/*
 * Limits that keep hostile input from hanging us. The largest unit in the
 * system headers we have read stays below a tenth of each.
 */
#define UNIT_MAX_DEPTH 200                  /* includes in includes */
#define UNIT_MAX_INCLUDES 20000             /* #include lines */
#define UNIT_MAX_BYTES ((size_t)64 << 20)   /* of distinct files */
#define UNIT_MAX_READ ((size_t)1 << 25)     /* tokens and lines gone through */
#define UNIT_MAX_EXPANDED ((size_t)1 << 22) /* tokens that macros made */
#define UNIT_MAX_NESTING 200                /* macros in macros */

/* The directories that are searched, in order. */
struct search {
	char **directories;
	size_t count;
};

struct file {
	const char *path;
	size_t directory; /* in the search order; of `""`, 0 */
	struct token *tokens;
	size_t count;
	const struct name *guard; /* nothing is in it when this is defined */
	bool once;
	bool missing;
};

struct conditional {
	struct conditional *outer;
	bool active; /* this group is read */
	bool taken;  /* one of the groups was */
	bool last;   /* #else was there */
};

/* A place in a file. */
struct input {
	struct input *below; /* the file that included this one */
	struct file *file;
	size_t at;
	struct conditional *conditional;
};

/* Tokens to read before the input continues: a macro's body, an argument. */
struct context {
	const struct token *at;
	const struct token *end;
	struct macro *macro; /* enabled again at the end; may be NULL */
};

struct unit {
	const struct search *search;
	struct index *index;
	const char *path;
	struct arena arena;
	struct name_table names;
	struct input *input;
	unsigned depth; /* of inputs */

	struct context *contexts;
	size_t context_count;
	size_t context_room;
	size_t floor;            /* contexts below it are out of reach */
	bool isolated;           /* so is the file */
	bool in_arguments;       /* reading a macro's arguments */
	bool in_condition;       /* expanding the line of an #if */
	unsigned nesting;        /* of macros */
	struct tokens *sink;     /* where expanded tokens go */
	struct tokens collected; /* arguments that are being read */
	struct tokens scratch;   /* one file's tokens */
	struct tokens out;

	size_t include_count;
	size_t byte_count;
	size_t read_count;
	size_t expanded_count;
	int counter; /* __COUNTER__ */
	uint64_t error_count;
	uint64_t missing_count;
};

/* Preprocesses the file at unit->path into unit->out. Returns whether it can
 * be read. */
bool unit_preprocess(struct unit *unit);

/* Frees the memory that the unit kept for the next one. */
void unit_clear(struct unit *unit);

/* Counts an error at `where`, and puts it into the index when it is in the
 * unit's own file. */
void unit_error(struct unit *unit, const struct token *where);

/* --- input.c: the current file ---------------------------------------- */

/* The next token of the current file, with directives obeyed. Returns false
 * at its end. */
bool input_next(struct unit *unit, struct token *token);

/* Whether the next token is this punctuator, and no directive. */
bool input_follows(const struct unit *unit, int code);

/* Reads this file through, in the place of the current one. */
void input_include(struct unit *unit, struct file *file);

/* The file that `#include` means; NULL if there is none. `name` need not end
 * with a NUL. */
struct include {
	const char *name;
	size_t length;
	bool quoted; /* "name", not <name> */
	bool next;   /* behind the directory of the current file */
};

struct file *include_find(struct unit *unit, const struct include *include);

/* --- directive.c ------------------------------------------------------ */

/* Obeys one line; tokens[0] is what follows the `#`. */
void directive(struct unit *unit, const struct token *tokens, size_t count);

/* The same in a group that is skipped. */
void directive_skipped(
	struct unit *unit, const struct token *tokens, size_t count);

/* --- expand.c --------------------------------------------------------- */

/* Expands the rest of the current file into the sink. */
void expand_input(struct unit *unit);

/* Expands these tokens alone; appends to `out`. */
void expand_tokens(struct unit *unit, const struct token *tokens, size_t count,
	struct tokens *out);

#endif
