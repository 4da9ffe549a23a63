/* SPDX-License-Identifier: MIT */
/*
 * A sub-command is one struct in one file. To add one: write bin/cmd_NAME.c with
 * its `const struct command cmd_NAME` and doc/ctprof-NAME.1.in, and add a line to
 * COMMANDS below, one to bin/local.mk, and a test. Help, completion and the
 * manual's options and list of commands derive from its struct.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include "cli/arguments.h"

struct report_form;

/* If several problems occur, the largest status is returned: exit_worse(). */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_NO = 1,      /* a check failed */
	EXIT_USAGE = 2,   /* invalid command line */
	EXIT_INPUT = 3,   /* unreadable, or of unknown format */
	EXIT_DAMAGED = 4, /* damaged input or lost events, and --strict */
	EXIT_OUTPUT = 5,  /* cannot be written, or would overwrite */
	EXIT_LIMIT = 6,   /* out of memory, or a limit was reached */
};

static inline int exit_worse(int one, int other)
{
	return one > other ? one : other;
}

struct command {
	const char *name;
	const char *group;   /* heading in `ctprof --help` */
	const char *summary; /* one line; no capital, no full stop */
	struct arguments arguments;
	const char
		*usage;   /* of other arguments; several lines are several ways;
			    * NULL: none */
	const char *help; /* before and, after \v, below the options */
	unsigned flags;   /* argp's */
	const struct report_form *forms[6]; /* of --json and --csv */
	/* Returns the exit status. argv[0] is "ctprof NAME". */
	int (*run)(int argc, char **argv);
};

/* Every sub-command, by group. To add one, add a line here. */
#define COMMANDS(X) \
	X(record) \
	X(cflags) \
	X(repair) \
	X(symbolize) \
	X(convert) \
	X(cut) \
	X(merge) \
	X(summarize) \
	X(annotate) \
	X(findings) \
	X(info) \
	X(stats) \
	X(gaps) \
	X(kernels) \
	X(diff) \
	X(phases) \
	X(ranks) \
	X(compilations) \
	X(check) \
	X(report) \
	X(view) \
	X(formats) \
	X(completion) \
	X(help)

#define COMMAND_DECLARE(name) extern const struct command cmd_##name;
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

/* All sub-commands, in the table's order; ends with NULL. */
extern const struct command *const commands[];

/* By name, or NULL. */
const struct command *command_find(const char *name);

/* Print `ctprof --help` and `ctprof --version`. */
void command_print_help(void);
void command_print_version(void);

#endif
