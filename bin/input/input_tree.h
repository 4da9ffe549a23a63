/* SPDX-License-Identifier: MIT */
/* Input files, and directories, which mean all traces below them. */
#ifndef INPUT_TREE_H
#define INPUT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Kinds of files below a directory that are not read. */
#define INPUT_TREE_SKIPS(X) \
	X(NO_TRACE, "no_trace", "without a trace") \
	X(OTHER_TRACE, "other_trace", "not of a compiler") \
	X(EMPTY, "empty", "empty") \
	X(DAMAGED, "damaged", "damaged") \
	X(LINK, "link", "symbolic links") \
	X(VANISHED, "vanished", "removed meanwhile") \
	X(UNREADABLE, "unreadable", "unreadable")

struct input;
struct inputs;

enum input_tree_skip {
#define INPUT_TREE_ENUM(skip, name, words) INPUT_TREE_##skip,
	INPUT_TREE_SKIPS(INPUT_TREE_ENUM)
#undef INPUT_TREE_ENUM
		INPUT_TREE_SKIP_COUNT
};

struct input_tree_file {
	char *path;
	/* Length of the named directory with its slash; 0: the file itself was
	 * named. */
	size_t root_size;
	bool is_not_trace; /* it was read and is not a trace */
};

struct input_tree {
	struct input_tree_file *files; /* in a deterministic order */
	size_t count;
	size_t room;
	size_t directory_count; /* directories named */
	uint64_t skipped[INPUT_TREE_SKIP_COUNT];
};

bool input_tree_is_directory(const char *path);

/*
 * Adds a file, or all files below a directory with a trace format's suffix,
 * gzip'd or not. Links below it are not followed.
 *
 * Errors: reported; returns an exit status. Unreadable directories do not
 * prevent finding the rest.
 */
int input_tree_add(struct input_tree *tree, const char *path);
/* Adds a file as found elsewhere. False if out of memory. */
bool input_tree_add_file(
	struct input_tree *tree, const char *path, size_t root_size);
/* Keeps one part, from 0, of `count`: each has about as many bytes. The first has
 * the counts of files left out and of directories. False if out of memory. */
bool input_tree_shard(struct input_tree *tree, unsigned part, unsigned count);
void input_tree_clear(struct input_tree *tree);

/* Errors: CTP_ERR_UNSUPPORTED if a file is there twice, under any names, with
 * both of them; CTP_ERR_NOMEM. */
enum ctp_status input_tree_check_repeats(
	const struct input_tree *tree, struct ctp_error *err);

/*
 * Counts why a file below a directory was not read, in `skipped` by reason. Only
 * an unreadable one is reported.
 *
 * Errors: returns an exit status.
 */
int input_tree_skip_file(struct input_tree_file *file,
	const struct input *input, const struct inputs *inputs,
	uint64_t *skipped, const struct ctp_error *err);

/* Reports the numbers of files below the directory `name` that were left out. */
void input_tree_diag_skipped(const uint64_t *skipped, const char *name);

/* "no_trace", and "without a trace". */
const char *input_tree_skip_name(enum input_tree_skip skip);
const char *input_tree_skip_words(enum input_tree_skip skip);

#endif
