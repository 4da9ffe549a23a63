/* SPDX-License-Identifier: MIT */
#include "input/output_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/diag.h"

bool output_path_is_directory(const char *path)
{
	struct stat found;
	size_t size = strlen(path);

	return (size > 0 && path[size - 1] == '/') ||
	       (stat(path, &found) == 0 && S_ISDIR(found.st_mode));
}

int output_path_format(const char *path, const struct format **format)
{
	size_t size = strlen(path);
	char *stem;

	*format = format_of_path(path);
	if (*format != NULL || size < 3 || strcmp(path + size - 3, ".gz") != 0)
		return EXIT_DONE;
	stem = strndup(path, size - 3);
	if (stem == NULL)
		return diag_no_memory(path);
	*format = format_of_path(stem);
	if (*format != NULL && (*format)->packed)
		diag("%s: format %s is already compressed; use -o %s", path,
			(*format)->name, stem);
	free(stem);
	return *format != NULL && (*format)->packed ? EXIT_USAGE : EXIT_DONE;
}

int output_path_make_directory(const char *path)
{
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return EXIT_DONE;
	diag("%s: cannot create the directory: %s", path, strerror(errno));
	return EXIT_OUTPUT;
}

/* Whether a name has this suffix after at least one character. */
static bool ends_in(const char *name, size_t size, const char *suffix)
{
	size_t suffix_size = strlen(suffix);

	return size > suffix_size &&
	       memcmp(name + size - suffix_size, suffix, suffix_size) == 0;
}

/* Removes a known suffix, unless it is the whole name. */
static void trim_suffix(char *name)
{
	const struct format *known = format_of_path(name);
	const char *suffix = known == NULL ? ".gz" : known->suffix;
	size_t size = strlen(name);

	if (ends_in(name, size, suffix))
		name[size - strlen(suffix)] = '\0';
}

/* Size of a control character (C0, DEL, C1 as UTF-8); 0 if it is another
 * character. */
static int control_size(const char *at)
{
	unsigned char byte = (unsigned char)at[0];
	unsigned char next = byte == 0xc2 ? (unsigned char)at[1] : 0;

	if (byte < ' ' || byte == 0x7f)
		return 1;
	return next >= 0x80 && next < 0xa0 ? 2 : 0;
}

/* Escapes the stem for a file name: control characters become %XX, and so does
 * the first byte of "." and "..". */
static char *escape(const char *stem)
{
	bool is_place = strcmp(stem, ".") == 0 || strcmp(stem, "..") == 0;
	char *name = malloc(3 * strlen(stem) + 1);
	int escaped = is_place ? 1 : 0;
	char *to = name;

	for (const char *at = stem; name != NULL && *at != '\0'; at++) {
		if (escaped == 0)
			escaped = control_size(at);
		if (escaped == 0)
			*to++ = *at;
		else
			to += sprintf(to, "%%%02X", (unsigned char)*at);
		escaped -= escaped > 0;
	}
	if (name != NULL)
		*to = '\0';
	return name;
}

char *output_path_in(
	const char *directory, const char *input, const struct format *format)
{
	const char *suffix = format->suffix;
	const char *path = strcmp(input, "-") == 0 ? "stdin" : input;
	size_t size = strlen(path);
	const char *base;
	char *part;
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
	part = escape(stem);
	free(stem);
	if (part == NULL)
		return NULL;
	if (asprintf(&name, "%s%s%s%s", directory,
		    directory[strlen(directory) - 1] == '/' ? "" : "/", part,
		    suffix == NULL ? "" : suffix) < 0)
		name = NULL;
	free(part);
	return name;
}

char *output_path_part(
	const char *path, const struct format *format, unsigned number)
{
	static const char gz[] = ".gz";
	const char *suffix = format->suffix == NULL ? "" : format->suffix;
	const char *packed = "";
	size_t stem = strlen(path);
	char *name;

	if (!format->packed && ends_in(path, stem, gz)) {
		packed = gz;
		stem -= strlen(gz);
	}
	if (ends_in(path, stem, suffix))
		stem -= strlen(suffix);
	else
		suffix = "";
	if (asprintf(&name, "%.*s-%04u%s%s", (int)stem, path, number, suffix,
		    packed) < 0)
		return NULL;
	return name;
}

static int compare_names(const void *a, const void *b)
{
	const char *const *left = a;
	const char *const *right = b;

	return strcmp(*left, *right);
}

static int refuse_collisions(char *const *names, size_t count)
{
	char **sorted = reallocarray(NULL, count, sizeof(*sorted));
	int status = EXIT_DONE;

	if (sorted == NULL)
		return diag_no_memory(NULL);
	memcpy(sorted, names, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), compare_names);
	for (size_t i = 1; i < count; i++) {
		if (strcmp(sorted[i - 1], sorted[i]) != 0)
			continue;
		diag("%s: is the output of more than one input; give each "
		     "input its own",
			sorted[i]);
		status = EXIT_USAGE;
		while (i + 1 < count && strcmp(sorted[i], sorted[i + 1]) == 0)
			i++; /* escape only the first byte */
	}
	free(sorted);
	return status;
}

int output_path_all(const char *directory, const struct inputs *inputs,
	const struct format *format, char ***names)
{
	char **made = calloc(inputs->count, sizeof(*made));
	int status;

	for (size_t i = 0; i < inputs->count; i++) {
		if (made != NULL)
			made[i] = output_path_in(
				directory, inputs->paths[i], format);
		if (made == NULL || made[i] == NULL) {
			diag_no_memory(NULL);
			output_path_free(made, inputs->count);
			return EXIT_LIMIT;
		}
	}
	status = refuse_collisions(made, inputs->count);
	if (status == EXIT_DONE)
		*names = made;
	else
		output_path_free(made, inputs->count);
	return status;
}

void output_path_free(char **names, size_t count)
{
	for (size_t i = 0; names != NULL && i < count; i++)
		free(names[i]);
	free(names);
}
