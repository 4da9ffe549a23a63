/* SPDX-License-Identifier: MIT */
/* Inputs that may be directories, which stand for the traces below them. */
#ifndef INPUT_TREE_H
#define INPUT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is below a directory and is not read. */
#define INPUT_TREE_SKIPS(X) \
	X(NO_TRACE, "no_trace", "without a trace") \
	X(OTHER_TRACE, "other_trace", "not of a compiler") \
	X(EMPTY, "empty", "empty") \
	X(DAMAGED, "damaged", "damaged") \
	X(LINK, "link", "symbolic links") \
	X(VANISHED, "vanished", "removed meanwhile") \
	X(UNREADABLE, "unreadable", "unreadable")

enum input_tree_skip {
#define INPUT_TREE_ENUM(skip, name, words) INPUT_TREE_##skip,
	INPUT_TREE_SKIPS(INPUT_TREE_ENUM)
#undef INPUT_TREE_ENUM
		INPUT_TREE_SKIP_COUNT
};

struct input_tree_file {
	char *path;
	/* How much of that is the directory that was named, with the slash
	 * behind it; 0: the file itself was named. */
	size_t root_size;
	bool is_not_trace; /* it was read, and is no trace */
};

struct input_tree {
	struct input_tree_file *files; /* in an order that is always the same */
	size_t count;
	size_t room;
	size_t directory_count; /* that were named */
	uint64_t skipped[INPUT_TREE_SKIP_COUNT];
};

bool input_tree_is_directory(const char *path);

/*
 * Adds a file, or all below a directory whose name is one of a trace: those
 * of our formats, gzip'd or not. Links that are met there are not followed.
 *
 * Errors: said; returns an exit status. What cannot be entered does not keep
 * the rest from being found.
 */
int input_tree_add(struct input_tree *tree, const char *path);
void input_tree_clear(struct input_tree *tree);

/* "no_trace", and "without a trace". */
const char *input_tree_skip_name(enum input_tree_skip skip);
const char *input_tree_skip_words(enum input_tree_skip skip);

#endif
