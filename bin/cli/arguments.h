/* SPDX-License-Identifier: MIT */
/*
 * The options of commands. Each is described once: its name, its help, and the
 * member of the command's structure that gets its value. Parsing, --help,
 * completion and the manual's list of options follow.
 * Source: the option tables of git's parse-options.h; argp parses.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/columns.h"
#include "cli/terminal.h"

/* Groups of options in --help, in order. */
enum option_group {
	GROUP_MAIN = 1,
	GROUP_OUTPUT,
	GROUP_SELECT,
	GROUP_TOOLS,
	GROUP_PYTHON,
	GROUP_INPUT,
	GROUP_OTHER,
};

/* Types of values, with the type of the member that gets them. */
enum argument_type {
	ARGUMENT_CALL,   /* `call` stores it */
	ARGUMENT_FLAG,   /* bool, without a value: true */
	ARGUMENT_TEXT,   /* const char * */
	ARGUMENT_INPUT,  /* const char *, the path of a file to be read, which
			  * no output may overwrite */
	ARGUMENT_OUTPUT, /* const char *, the path of an output, not "" */
	ARGUMENT_COUNT,  /* uint32_t, from 1 */
	ARGUMENT_TIME,   /* uint64_t, nanoseconds */
	ARGUMENT_WORD,   /* an enum from 0, in the order of the words */
	ARGUMENT_SORT,   /* const struct column *, one of `table` that has the
			  * word for --sort */
	ARGUMENT_CHILD,  /* not an option: those of `child` follow, and this is
			  * their structure */
};

struct argument_value;

struct argument {
	const char *name;  /* NULL: `help` is a heading */
	char letter;       /* 0: no short form */
	const char *value; /* its name, or the words: "a|b|c"; NULL: none */
	enum argument_type type;
	const char *help; /* NULL: hidden */
	enum option_group group;
	size_t offset; /* of the member: ARGUMENT_OF() */
	size_t given;  /* ARGUMENT_GIVEN() of a bool, set to true too; or 0 */
	void (*call)(const struct argument_value *value);
	const char *words;  /* if too many for `value` */
	const char *detail; /* for `call`; ARGUMENT_TIME: examples */
	bool optional;      /* the value may be left out */
	const struct columns *table;
	const struct arguments *child;
};

#define ARGUMENT_OF(structure, member) .offset = offsetof(structure, member)
#define ARGUMENT_GIVEN(structure, member) \
	.given = offsetof(structure, member) + 1

/* A heading of its group. */
#define ARGUMENT_HEADING(text, number) \
	{ \
		.help = (text), .group = (number) \
	}

/* At the end of a table: the options of another one. */
#define ARGUMENTS_OF(child_, ...) \
	{ \
		.type = ARGUMENT_CHILD, .child = (child_), __VA_ARGS__ \
	}

/* An option as given. */
struct argument_value {
	const struct argument *argument;
	char *text;   /* NULL: left out */
	void *member; /* at argument->offset */
	const struct argp_state *state;
};

/* A table of options, and functions for the rest; these get the structure. */
struct arguments {
	const struct argument *items;
	size_t count;
	/* Takes an argument that is not an option. Errors: ENOMEM;
	 * ARGP_ERR_UNKNOWN passes it to the next table. Or NULL. */
	error_t (*add)(void *structure, char *text, struct argp_state *state);
	/* Checks all when it is parsed, after the tables below. Errors:
	 * ENOMEM. Or NULL. */
	error_t (*check)(void *structure, const struct argp_state *state);
};

/* The first two members. */
#define ARGUMENTS(table) \
	.items = (table), .count = sizeof(table) / sizeof((table)[0])

struct command;

/* Parses the arguments of a command, with -h and so on, into its structure; on
 * a mistake, prints it and exits with status 2. */
void arguments_parse(
	const struct command *command, int argc, char **argv, void *structure);

/* Calls `visit` for all options of the command that are not hidden, headings
 * included, in the order of --help's groups. */
void arguments_visit(const struct command *command,
	void (*visit)(const struct argument *argument, void *user), void *user);

/* Prints "--NAME: " and the message, and exits with status 2. */
void argument_error(const struct argument_value *value, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Read values; on a mistake, print it and exit with status 2. */
unsigned argument_word(const struct argument_value *value);
uint64_t argument_size(const struct argument_value *value);

/* For `call`: a share of the whole in parts per million, or a time; the value of
 * --min. */
void argument_min(const struct argument_value *value, uint32_t *share_ppm,
	uint64_t *time_ns);

/* The same for other texts; `option` begins their messages. */
uint32_t arguments_count(
	const struct argp_state *state, const char *option, const char *text);
unsigned arguments_word(const struct argp_state *state, const char *option,
	const char *words, const char *text);

/* For `call`, if the member is a uint64_t: the size of the parts of --split. */
void argument_part_size(const struct argument_value *value);

/* The option's help; that of --sort ends with the words of its table. */
#define ARGUMENT_HELP_MAX 1024
const char *argument_help(
	const struct argument *option, char text[ARGUMENT_HELP_MAX]);

/* The column that a word of --sort names. */
const struct column *arguments_sort(const struct argp_state *state,
	const struct columns *columns, const char *text);

#endif
