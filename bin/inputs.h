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
	bool strict;
	bool quiet;
	bool verbose;
	enum when progress;
};

/* Its input (argp's word) is a struct inputs. Without any file it is stdin. */
extern const struct argp inputs_argp;

/* Frees what parsing has allocated. */
void inputs_clear(struct inputs *inputs);

#endif
