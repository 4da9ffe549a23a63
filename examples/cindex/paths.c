/* SPDX-License-Identifier: MIT */
/*
 * Links to directories are not followed: they may make circles.
 */
#include "paths.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ctprof.h>

#include "arena.h"

#define MAX_DEPTH 100

void paths_add(struct paths *paths, const char *path)
{
	size_t bytes = strlen(path) + 1;

	if (paths->count == paths->room) {
		paths->room = paths->room * 2 + 64;
		paths->items = memory_resize(
			paths->items, paths->room, sizeof(paths->items[0]));
	}
	paths->items[paths->count] = memory_resize(NULL, bytes, 1);
	memcpy(paths->items[paths->count++], path, bytes);
}

static bool is_header(const char *name)
{
	size_t length = strlen(name);

	return length > 2 && strcmp(name + length - 2, ".h") == 0;
}

static void walk(struct paths *paths, const char *directory, unsigned depth);

static void add_entry(struct paths *paths, const char *directory,
	const char *name, unsigned depth)
{
	char path[4096];
	struct stat status;
	size_t length = strlen(directory);
	bool slash = length > 0 && directory[length - 1] == '/';
	int size;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return;
	size = snprintf(path, sizeof(path), "%s%s%s", directory,
		slash ? "" : "/", name);
	if (size < 0 || (size_t)size >= sizeof(path) ||
		lstat(path, &status) != 0)
		return;
	if (S_ISDIR(status.st_mode))
		walk(paths, path, depth + 1);
	else if (S_ISREG(status.st_mode) && is_header(name))
		paths_add(paths, path);
}

static void walk(struct paths *paths, const char *directory, unsigned depth)
{
	struct dirent *entry;
	DIR *stream;
	CTP_FUNCTION();

	stream = depth < MAX_DEPTH ? opendir(directory) : NULL;
	if (stream == NULL)
		return;
	ctp_arg_string("directory", directory);
	while ((entry = readdir(stream)) != NULL)
		add_entry(paths, directory, entry->d_name, depth);
	closedir(stream);
}

bool paths_add_tree(struct paths *paths, const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return false;
	if (S_ISDIR(status.st_mode))
		walk(paths, path, 0);
	else
		paths_add(paths, path);
	return true;
}

static int compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

void paths_sort(struct paths *paths)
{
	size_t kept = 0;

	if (paths->count == 0)
		return;
	qsort(paths->items, paths->count, sizeof(paths->items[0]), compare);
	for (size_t i = 1; i < paths->count; i++) {
		if (strcmp(paths->items[kept], paths->items[i]) == 0)
			free(paths->items[i]);
		else
			paths->items[++kept] = paths->items[i];
	}
	paths->count = kept + 1;
}

void paths_thin(struct paths *paths, size_t count)
{
	size_t kept = 0;

	if (count >= paths->count)
		return;
	for (size_t i = 0; i < paths->count; i++) {
		if (kept < count && i == kept * paths->count / count)
			paths->items[kept++] = paths->items[i];
		else
			free(paths->items[i]);
	}
	paths->count = kept;
}

void paths_clear(struct paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		free(paths->items[i]);
	free(paths->items);
	*paths = (struct paths){0};
}
