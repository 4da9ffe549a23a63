/* SPDX-License-Identifier: MIT */
#include "input/input_tree.h"

#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "format.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "cli/diag.h"
#include "input/input.h"
#include "input/inputs.h"

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

bool input_tree_add_file(
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
		if (input_tree_add_file(tree, entry->fts_path, root_size))
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
		if (input_tree_add_file(tree, path, 0))
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

/* A file with its size on disk, for dividing the files. */
struct sized_file {
	struct input_tree_file file;
	off_t bytes;
	size_t number;
	bool kept;
};

/* The largest first; the order of files decides between equal ones. */
static int compare_sizes(const void *a, const void *b)
{
	const struct sized_file *left = a;
	const struct sized_file *right = b;

	if (left->bytes != right->bytes)
		return left->bytes < right->bytes ? 1 : -1;
	return left->number < right->number ? -1 : 1;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct sized_file *left = a;
	const struct sized_file *right = b;

	return left->number < right->number ? -1 : 1;
}

/* In snake order: 0, 1, 2, 2, 1, 0, 0, 1, … */
static void divide(struct sized_file *files, size_t file_count, unsigned part,
	unsigned count)
{
	for (size_t i = 0; i < file_count; i++) {
		size_t turn = i % (2 * (size_t)count);

		files[i].kept =
			(turn < count ? turn : 2 * (size_t)count - 1 - turn) ==
			part;
	}
}

static void keep_part(struct input_tree *tree, struct sized_file *files)
{
	size_t count = tree->count;

	tree->count = 0;
	for (size_t i = 0; i < count; i++)
		if (files[i].kept)
			tree->files[tree->count++] = files[i].file;
		else
			free(files[i].file.path);
}

bool input_tree_shard(struct input_tree *tree, unsigned part, unsigned count)
{
	struct sized_file *files =
		memory_new_zeroed(tree->count + 1, sizeof(*files));

	if (files == NULL)
		return false;
	for (size_t i = 0; i < tree->count; i++) {
		struct stat found;

		files[i].file = tree->files[i];
		files[i].number = i;
		if (stat(tree->files[i].path, &found) == 0)
			files[i].bytes = found.st_size;
	}
	qsort(files, tree->count, sizeof(*files), compare_sizes);
	divide(files, tree->count, part, count);
	qsort(files, tree->count, sizeof(*files), compare_numbers);
	keep_part(tree, files);
	memory_free(files);
	if (part != 0)
		memset(tree->skipped, 0, sizeof(tree->skipped));
	return true;
}

/* A file, by its place on disk. */
struct place {
	dev_t device;
	ino_t inode;
	size_t number;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a;
	const struct place *right = b;

	if (left->device != right->device)
		return left->device < right->device ? -1 : 1;
	if (left->inode != right->inode)
		return left->inode < right->inode ? -1 : 1;
	return left->number < right->number ? -1 : 1;
}

/* Regular files by their places; returns how many. Others cannot be read
 * twice, or cannot be read at all. */
static size_t find_places(const struct input_tree *tree, struct place *places)
{
	size_t count = 0;

	for (size_t i = 0; i < tree->count; i++) {
		struct stat found;

		if (strcmp(tree->files[i].path, "-") == 0 ||
			stat(tree->files[i].path, &found) != 0 ||
			!S_ISREG(found.st_mode))
			continue;
		places[count++] = (struct place){found.st_dev, found.st_ino, i};
	}
	qsort(places, count, sizeof(*places), compare_places);
	return count;
}

enum ctp_status input_tree_check_repeats(
	const struct input_tree *tree, struct ctp_error *err)
{
	struct place *places =
		memory_new_zeroed(tree->count + 1, sizeof(*places));
	size_t count = places == NULL ? 0 : find_places(tree, places);
	const struct place *first = NULL;
	enum ctp_status status = CTP_OK;

	/* The first pair is reported, in the order of the inputs. */
	for (size_t i = 1; i < count; i++)
		if (places[i - 1].device == places[i].device &&
			places[i - 1].inode == places[i].inode &&
			(first == NULL || places[i].number < first[1].number))
			first = &places[i - 1];
	if (places == NULL)
		status = ctp_no_memory(err);
	else if (first != NULL)
		status = ctp_fail(err, CTP_ERR_UNSUPPORTED,
			"input %s is there twice: as %s and as %s (summarize "
			"--allow-repeats adds it twice)",
			tree->files[first[0].number].path,
			tree->files[first[0].number].path,
			tree->files[first[1].number].path);
	memory_free(places);
	return status;
}

void input_tree_clear(struct input_tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		free(tree->files[i].path);
	memory_free(tree->files);
	*tree = (struct input_tree){0};
}

/* Whether the file claims to be a trace: by its name or, for JSON, which may be
 * anything, by its contents. */
static bool claims_to_be_trace(
	const struct input_tree_file *file, const struct input *input)
{
	const struct input_file *opened = &input->file;

	if (strstr(file->path, ".json") == NULL)
		return true;
	return memmem(opened->head, opened->head_size, "\"traceEvents\"",
		       strlen("\"traceEvents\"")) != NULL;
}

int input_tree_skip_file(struct input_tree_file *file,
	const struct input *input, const struct inputs *inputs,
	uint64_t *skipped, const struct ctp_error *err)
{
	enum input_tree_skip skip = INPUT_TREE_NO_TRACE;
	int status = EXIT_DONE;

	switch (err->status) {
	case CTP_ERR_NOMEM:
	case CTP_ERR_LIMIT:
		diag_error(file->path, err);
		return EXIT_LIMIT;
	case CTP_ERR_IO:
		skip = err->sys_errno == ENOENT ? INPUT_TREE_VANISHED
						: INPUT_TREE_UNREADABLE;
		if (skip == INPUT_TREE_UNREADABLE)
			status = EXIT_INPUT;
		break;
	default:
		if (claims_to_be_trace(file, input)) {
			skip = INPUT_TREE_DAMAGED;
			status = inputs->strict ? EXIT_DAMAGED : EXIT_DONE;
		}
		break;
	}
	skipped[skip]++;
	file->is_not_trace = skip == INPUT_TREE_NO_TRACE;
	if (skip == INPUT_TREE_UNREADABLE ||
		(inputs->verbose && !inputs->quiet))
		diag_error(file->path, err);
	return status;
}

void input_tree_diag_skipped(const uint64_t *skipped, const char *name)
{
	struct buffer line = BUFFER_INIT;
	char text[32];

	for (enum input_tree_skip skip = 0; skip < INPUT_TREE_SKIP_COUNT;
		skip++) {
		if (skipped[skip] == 0)
			continue;
		(void)snprintf(text, sizeof(text), "%s%" PRIu64 " ",
			line.used == 0 ? "" : ", ", skipped[skip]);
		buffer_add_text(&line, text);
		buffer_add_text(&line, input_tree_skip_words(skip));
	}
	buffer_add_byte(&line, '\0');
	if (line.used > 1 && !line.failed)
		diag("%s: left out: %s", name, (const char *)line.bytes);
	buffer_clear(&line);
}
