/* SPDX-License-Identifier: MIT */
/* Derives output names from input names. */
#ifndef OUTPUT_PATH_H
#define OUTPUT_PATH_H

#include <stdbool.h>

#include "format.h"
#include "input/inputs.h"

/* Whether it is a directory, or ends with a slash. */
bool output_path_is_directory(const char *path);

/*
 * The format by the suffix of an output's name, optionally followed by ".gz";
 * NULL if unknown.
 *
 * Errors: reported; returns an exit status: EXIT_USAGE for NAME.ctp.gz, since
 * logs are already compressed.
 */
int output_path_format(const char *path, const struct format **format);

/* Creates the directory if it does not exist. Errors: reported; returns an exit
 * status. */
int output_path_make_directory(const char *path);

/* DIRECTORY/NAME.SUFFIX for an input NAME.ANY or NAME.ANY.gz with a known
 * suffix, with %XX for control characters; free it. NULL if out of memory. */
char *output_path_in(
	const char *directory, const char *input, const struct format *format);

/*
 * The output names for these inputs in the directory; free them with
 * output_path_free().
 *
 * Errors: reported; returns an exit status; EXIT_USAGE if two are equal.
 */
int output_path_all(const char *directory, const struct inputs *inputs,
	const struct format *format, char ***names);
void output_path_free(char **names, size_t count);

/* NAME-0001.SUFFIX for NAME.SUFFIX; free it. NULL if out of memory. */
char *output_path_part(
	const char *path, const struct format *format, unsigned number);

#endif
