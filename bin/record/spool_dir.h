/* SPDX-License-Identifier: MIT */
/* The spools of this user in a directory. */
#ifndef SPOOL_DIR_H
#define SPOOL_DIR_H

#include <stddef.h>

#include "recover/spool_file.h"

struct spool_dir {
	char **paths;
	size_t count;
};

/* `given`, or else the recorder's directory, from the environment or the
 * default. */
const char *spool_dir_path(const char *given);

/* Finds spools by name, sorted. Errors: reported; returns an exit status. */
int spool_dir_find(struct spool_dir *spools, const char *directory);
void spool_dir_clear(struct spool_dir *spools);

/* The process that made a spool of this name. */
long spool_dir_pid(const char *path);

/* Opens the spool of this log, at the path in the log or in `directory`. False
 * if there is none. */
bool spool_dir_open_for_log(
	struct spool_file *spool, const char *log, const char *directory);

#endif
