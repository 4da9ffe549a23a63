/* SPDX-License-Identifier: MIT */
#include "naming.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "say.h"

bool naming_is_directory(const char *path)
{
	struct stat found;
	size_t size = strlen(path);

	return (size > 0 && path[size - 1] == '/') ||
	       (stat(path, &found) == 0 && S_ISDIR(found.st_mode));
}

int naming_make_directory(const char *path)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return EXIT_DONE;
	say("%s: cannot make the directory: %s", path, strerror(errno));
	return EXIT_OUTPUT;
}

/* Takes a suffix that we know from a name, which is not all of it. */
static void trim_suffix(char *name)
{
	const struct format *known = format_of_path(name);
	const char *suffix = known == NULL ? ".gz" : known->suffix;
	size_t size = strlen(name);
	size_t suffix_size = strlen(suffix);

	if (size > suffix_size &&
		strcmp(name + size - suffix_size, suffix) == 0)
		name[size - suffix_size] = '\0';
}

char *naming_in(
	const char *directory, const char *input, const struct format *format)
{
	const char *suffix = format->suffix;
	const char *path = strcmp(input, "-") == 0 ? "stdin" : input;
	size_t size = strlen(path);
	const char *base;
	char *stem;
	char *name;

	while (size > 1 && path[size - 1] == '/')
		size--;
	base = size == 0 ? NULL : memrchr(path, '/', size - 1);
	base = base == NULL ? path : base + 1;
	stem = strndup(base, (size_t)(path + size - base));
	if (stem == NULL)
		return NULL;
	trim_suffix(stem);
	if (strcmp(base + strlen(stem), ".gz") == 0)
		trim_suffix(stem);
	if (asprintf(&name, "%s%s%s%s", directory,
		    directory[strlen(directory) - 1] == '/' ? "" : "/", stem,
		    suffix == NULL ? "" : suffix) < 0)
		name = NULL;
	free(stem);
	return name;
}

char *naming_part(
	const char *path, const struct format *format, unsigned number)
{
	const char *suffix = format->suffix == NULL ? "" : format->suffix;
	size_t stem = strlen(path);
	size_t suffix_size = strlen(suffix);
	char *name;

	if (stem > suffix_size &&
		strcmp(path + stem - suffix_size, suffix) == 0)
		stem -= suffix_size;
	else
		suffix = "";
	if (asprintf(&name, "%.*s-%04u%s", (int)stem, path, number, suffix) < 0)
		return NULL;
	return name;
}
