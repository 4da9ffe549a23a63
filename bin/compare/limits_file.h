/* SPDX-License-Identifier: MIT */
/*
 * Limits of functions, from a file: each line has a limit, 5%, 200us or off,
 * and the name that it is for, or a pattern of fnmatch(3); the first that a
 * name matches counts. Empty lines, and what begins with #, are passed over.
 */
#ifndef LIMITS_FILE_H
#define LIMITS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/regression.h"

struct limits_file_item {
	struct regression_limit limit;
	char *name;
	size_t line;
	bool used;
};

struct limits_file {
	struct limits_file_item *items;
	size_t count;
	size_t room;
};

/* What a limit may be, for messages. */
#define ALLOWED_WORDS "a share (5%%), a time (200us) or off"

/* Reads a limit; false, changing nothing, if it is none. */
bool limits_file_parse_limit(const char *text, struct regression_limit *limit);

/* Reads a file. Errors: said, with the line; returns an exit status. In any
 * case call limits_file_clear(). */
int limits_file_read(struct limits_file *limits, const char *path);
void limits_file_clear(struct limits_file *limits);

/* The limit of this name, which is used then; NULL if there is none. */
const struct regression_limit *limits_file_find(
	struct limits_file *limits, const char *name);

/* Says which lines no name was found for. */
void limits_file_report_unused(
	const struct limits_file *limits, const char *path);

#endif
