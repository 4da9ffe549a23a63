/* SPDX-License-Identifier: MIT */
/*
 * The headers to read: what directories hold, in an order that does not
 * depend on the file system.
 */
#ifndef PATHS_H
#define PATHS_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty list. */
struct paths {
	char **items;
	size_t count;
	size_t room;
};

/* Adds a copy of `path`. */
void paths_add(struct paths *paths, const char *path);

/* Adds a file, or all *.h in a directory and below. Returns false if there is
 * nothing at `path`. */
bool paths_add_tree(struct paths *paths, const char *path);

/* Sorts, and removes duplicates. */
void paths_sort(struct paths *paths);

/* Keeps `count` of them, evenly spread. */
void paths_thin(struct paths *paths, size_t count);

void paths_clear(struct paths *paths);

#endif
