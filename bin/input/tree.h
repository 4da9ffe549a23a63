/* SPDX-License-Identifier: MIT */
/* Inputs that may be directories, which stand for the traces below them. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is below a directory and is not read. */
#define TREE_SKIPS(X) \
	X(NO_TRACE, "no_trace", "without a trace") \
	X(OTHER_TRACE, "other_trace", "not of a compiler") \
	X(EMPTY, "empty", "empty") \
	X(DAMAGED, "damaged", "damaged") \
	X(LINK, "link", "symbolic links") \
	X(VANISHED, "vanished", "gone meanwhile") \
	X(UNREADABLE, "unreadable", "unreadable")

enum tree_skip {
#define TREE_ENUM(skip, name, words) TREE_##skip,
	TREE_SKIPS(TREE_ENUM)
#undef TREE_ENUM
		TREE_SKIP_COUNT
};

struct tree_file {
	char *path;
	/* How much of that is the directory that was named, with the slash
	 * behind it; 0: the file itself was named. */
	size_t root_size;
	bool is_none; /* it was read, and is no trace */
};

struct tree {
	struct tree_file *files; /* in an order that is always the same */
	size_t count;
	size_t room;
	size_t directory_count; /* that were named */
	uint64_t skipped[TREE_SKIP_COUNT];
};

bool tree_is_directory(const char *path);

/*
 * Adds a file, or all below a directory whose name is one of a trace: those
 * of our formats, gzip'd or not. Links that are met there are not followed.
 *
 * Errors: said; returns an exit status. What cannot be entered does not keep
 * the rest from being found.
 */
int tree_add(struct tree *tree, const char *path);
void tree_clear(struct tree *tree);

/* "no_trace", and "without a trace". */
const char *tree_skip_name(enum tree_skip skip);
const char *tree_skip_words(enum tree_skip skip);

#endif
