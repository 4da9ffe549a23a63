/* SPDX-License-Identifier: MIT */
#include "input/input_tree.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "format.h"
#include "base/memory.h"
#include "cli/diag.h"

bool input_tree_is_directory(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

const char *input_tree_skip_name(enum input_tree_skip skip)
{
	static const char *const names[] = {
#define INPUT_TREE_NAME(skip, name, words) name,
		INPUT_TREE_SKIPS(INPUT_TREE_NAME)
#undef INPUT_TREE_NAME
	};

	return names[skip];
}

const char *input_tree_skip_words(enum input_tree_skip skip)
{
	static const char *const all[] = {
#define INPUT_TREE_WORDS(skip, name, words) words,
		INPUT_TREE_SKIPS(INPUT_TREE_WORDS)
#undef INPUT_TREE_WORDS
	};

	return all[skip];
}

static bool add_file(
	struct input_tree *tree, const char *path, size_t root_size)
{
	struct input_tree_file *file;

	if (!array_reserve(&tree->files, tree->count, &tree->room,
		    sizeof(*tree->files)))
		return false;
	file = &tree->files[tree->count];
	*file = (struct input_tree_file){strdup(path), root_size, false};
	if (file->path == NULL)
		return false;
	tree->count++;
	return true;
}

/* Nsight Systems' exports have the suffix of a database format that we only
 * write. PyTorch's structured logs have names of their own: many other files are
 * called *.log. Source: torch/_logging/_internal.py, LazyTraceHandler. */
static bool is_candidate(const char *path)
{
	static const char torch_trace[] = "dedicated_log_torch_trace";
	size_t size = strlen(path);
	const struct format *format;
	char *stem;

	if (strncmp(basename(path), torch_trace, sizeof(torch_trace) - 1) == 0)
		return true;
	if (size < 4 || strcmp(path + size - 3, ".gz") != 0) {
		format = format_of_path(path);
		return format != NULL &&
		       (format_can_read(format) || format == &sqlite_format);
	}
	stem = strndup(path, size - 3);
	format = stem == NULL ? NULL : format_of_path(stem);
	free(stem);
	return format != NULL && format_can_read(format);
}

static int compare(const FTSENT **one, const FTSENT **two)
{
	return strcmp((*one)->fts_name, (*two)->fts_name);
}

static int add_entry(
	struct input_tree *tree, const FTSENT *entry, size_t root_size)
{
	switch (entry->fts_info) {
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		if (entry->fts_errno == ENOENT) {
			tree->skipped[INPUT_TREE_VANISHED]++;
			return EXIT_DONE;
		}
		diag("%s: cannot read: %s", entry->fts_path,
			strerror(entry->fts_errno));
		tree->skipped[INPUT_TREE_UNREADABLE]++;
		return EXIT_INPUT;
	case FTS_SL:
	case FTS_SLNONE:
		tree->skipped[INPUT_TREE_LINK] += is_candidate(entry->fts_path);
		return EXIT_DONE;
	case FTS_F:
		if (!is_candidate(entry->fts_path))
			return EXIT_DONE;
		if (entry->fts_statp->st_size == 0) {
			tree->skipped[INPUT_TREE_EMPTY]++;
			return EXIT_DONE;
		}
		if (add_file(tree, entry->fts_path, root_size))
			return EXIT_DONE;
		return diag_no_memory(entry->fts_path);
	default: /* directories; pipes and the like are not read */
		return EXIT_DONE;
	}
}

static int add_directory(struct input_tree *tree, char *path)
{
	char *roots[] = {path, NULL};
	size_t size = strlen(path);
	FTS *walk = fts_open(
		roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, compare);
	int worst = EXIT_DONE;
	FTSENT *entry;
	int status;

	if (walk == NULL) {
		diag("%s: cannot read: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	size += size > 0 && path[size - 1] != '/';
	errno = 0;
	while ((entry = fts_read(walk)) != NULL) {
		status = add_entry(tree, entry, size);
		worst = exit_worse(worst, status);
		errno = 0;
	}
	if (errno != 0) {
		diag("%s: cannot read: %s", path, strerror(errno));
		worst = exit_worse(worst, EXIT_INPUT);
	}
	(void)fts_close(walk);
	return worst;
}

int input_tree_add(struct input_tree *tree, const char *path)
{
	char *copy;
	int status;

	if (strcmp(path, "-") == 0 || !input_tree_is_directory(path)) {
		if (add_file(tree, path, 0))
			return EXIT_DONE;
		return diag_no_memory(path);
	}
	tree->directory_count++;
	copy = strdup(path);
	if (copy == NULL)
		return diag_no_memory(path);
	status = add_directory(tree, copy);
	free(copy);
	return status;
}

void input_tree_clear(struct input_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free(tree->files[i].path);
	memory_free(tree->files);
	*tree = (struct input_tree){0};
}
