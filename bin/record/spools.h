/* SPDX-License-Identifier: MIT */
/* The spools of this user in a directory. */
#ifndef SPOOLS_H
#define SPOOLS_H

#include <stddef.h>

#include "recover/spool_file.h"

struct spools {
	char **paths;
	size_t count;
};

/* `given`, or else where the recorder has them, by the environment or the
 * default. */
const char *spools_directory(const char *given);

/* Finds them by their names, in order. Errors: said, with an exit status. */
int spools_find(struct spools *spools, const char *directory);
void spools_clear(struct spools *spools);

/* The process that made a spool of this name. */
long spools_pid(const char *path);

/* The spool of this log, opened, wherever it is: where the log says, or in
 * `directory`. False if there is none. */
bool spools_open_of(
	struct spool_file *spool, const char *log, const char *directory);

#endif
