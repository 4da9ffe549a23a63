/* SPDX-License-Identifier: MIT */
/* Names of outputs that are made of those of inputs. */
#ifndef OUTPUT_PATH_H
#define OUTPUT_PATH_H

#include <stdbool.h>

#include "format.h"
#include "input/inputs.h"

/* Is it one, or written like one? */
bool output_path_is_directory(const char *path);

/*
 * The format that the end of an output's name tells, also before ".gz"; NULL if
 * it tells none.
 *
 * Errors: said; returns an exit status: EXIT_USAGE for NAME.ctp.gz, since a log
 * is compressed by itself.
 */
int output_path_format(const char *path, const struct format **format);

/* Makes it, if it is not there. Errors: said; returns an exit status. */
int output_path_make_directory(const char *path);

/* DIRECTORY/NAME.SUFFIX, for NAME.ANY or NAME.ANY.gz of a suffix that we know,
 * with %XX for control characters; free it. NULL if out of memory. */
char *output_path_in(
	const char *directory, const char *input, const struct format *format);

/*
 * The names of all that these inputs become in that directory, each of its own;
 * free them with output_path_free().
 *
 * Errors: said; returns an exit status; EXIT_USAGE if two are the same.
 */
int output_path_all(const char *directory, const struct inputs *inputs,
	const struct format *format, char ***names);
void output_path_free(char **names, size_t count);

/* NAME-0001.SUFFIX for NAME.SUFFIX; likewise. */
char *output_path_part(
	const char *path, const struct format *format, unsigned number);

#endif
