/* SPDX-License-Identifier: MIT */
/*
 * Limits of functions from a file: each line has a limit (5%, 200us or off) and
 * a name or a pattern of fnmatch(3); the first match wins. Empty lines and
 * lines that begin with # are ignored.
 */
#ifndef LIMITS_FILE_H
#define LIMITS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/diff.h"

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

/* Valid limits, for messages. */
#define ALLOWED_WORDS "a share (5%%), a time (200us) or off"

/* Reads a limit; false, changing nothing, if it is invalid. */
bool limits_file_parse_limit(const char *text, struct regression_limit *limit);

/* Reads a file. Errors: reported with the line; returns an exit status. Call
 * limits_file_clear() in any case. */
int limits_file_read(struct limits_file *limits, const char *path);
void limits_file_clear(struct limits_file *limits);

/* Finds the limit for this name and marks it as used; NULL if there is none. */
const struct regression_limit *limits_file_find(
	struct limits_file *limits, const char *name);

/* Reports the lines that matched no name. */
void limits_file_report_unused(
	const struct limits_file *limits, const char *path);

#endif
