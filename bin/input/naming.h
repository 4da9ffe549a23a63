/* SPDX-License-Identifier: MIT */
/* Names of outputs that are made of those of inputs. */
#ifndef NAMING_H
#define NAMING_H

#include <stdbool.h>

#include "format.h"
#include "input/inputs.h"

/* Is it one, or written like one? */
bool naming_is_directory(const char *path);

/*
 * The format that the end of an output's name tells, also before ".gz"; NULL if
 * it tells none.
 *
 * Errors: said; returns an exit status: EXIT_USAGE for NAME.ctp.gz, since a log
 * is compressed by itself.
 */
int naming_format(const char *path, const struct format **format);

/* Makes it, if it is not there. Errors: said; returns an exit status. */
int naming_make_directory(const char *path);

/* DIRECTORY/NAME.SUFFIX, for NAME.ANY or NAME.ANY.gz of a suffix that we know,
 * with %XX for control characters; free it. NULL if out of memory. */
char *naming_in(
	const char *directory, const char *input, const struct format *format);

/*
 * The names of all that these inputs become in that directory, each of its own;
 * free them with naming_free().
 *
 * Errors: said; returns an exit status; EXIT_USAGE if two are the same.
 */
int naming_all(const char *directory, const struct inputs *inputs,
	const struct format *format, char ***names);
void naming_free(char **names, size_t count);

/* NAME-0001.SUFFIX for NAME.SUFFIX; likewise. */
char *naming_part(
	const char *path, const struct format *format, unsigned number);

#endif
