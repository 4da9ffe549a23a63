/* SPDX-License-Identifier: MIT */
/* The inputs that a command line names, and what holds for all of them: a
 * child of the argp of every command that reads profiles. */
#ifndef INPUTS_H
#define INPUTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "terminal.h"

struct inputs {
	const struct format *from; /* NULL: by content */
	char **paths;              /* at least one after parsing */
	size_t count;
	size_t room;
	const char *files0_from;
	enum trace_names names;
	bool trim_prefix;
	bool strict;
	bool quiet;
	bool verbose;
	enum when progress;
};

/* The options of commands that show functions: KEY_NAMES and KEY_TRIM_PREFIX,
 * and how the value of the former is taken. */
#define INPUTS_NAMES "full|short|mangled|qualified"
#define INPUTS_NAMES_OPTIONS \
	{"names", KEY_NAMES, INPUTS_NAMES, 0, \
		"names of functions: as they are declared (the " \
		"default), without C++'s parameters, return types " \
		"and template arguments, as the linker knows them, " \
		"or short but with Python's classes", \
		GROUP_INPUT}, \
	{ \
		"trim-prefix", KEY_TRIM_PREFIX, NULL, 0, \
			"leave the directories that Python found its modules " \
			"in out of file names", \
			GROUP_INPUT \
	}

/* Its input (argp's word) is a struct inputs. Without any file it is stdin. */
extern const struct argp inputs_argp;

/* Frees what parsing has allocated. */
void inputs_clear(struct inputs *inputs);

#endif
