/* SPDX-License-Identifier: MIT */
/*
 * Limits of functions, from a file: each line has a limit, 5%, 200us or off,
 * and the name that it is for, or a pattern of fnmatch(3); the first that a
 * name matches counts. Empty lines, and what begins with #, are passed over.
 */
#ifndef ALLOWED_H
#define ALLOWED_H

#include <stdbool.h>
#include <stddef.h>

#include "compare/regression.h"

struct allowed_item {
	struct regression_limit limit;
	char *name;
	size_t line;
	bool used;
};

struct allowed {
	struct allowed_item *items;
	size_t count;
	size_t room;
};

/* What a limit may be, for messages. */
#define ALLOWED_WORDS "a share (5%%), a time (200us) or off"

/* Reads a limit; false, changing nothing, if it is none. */
bool allowed_read_one(const char *text, struct regression_limit *limit);

/* Reads a file. Errors: said, with the line; returns an exit status. In any
 * case call allowed_clear(). */
int allowed_read(struct allowed *allowed, const char *path);
void allowed_clear(struct allowed *allowed);

/* The limit of this name, which is used then; NULL if there is none. */
const struct regression_limit *allowed_find(
	struct allowed *allowed, const char *name);

/* Says which lines no name was found for. */
void allowed_say_unused(const struct allowed *allowed, const char *path);

#endif
