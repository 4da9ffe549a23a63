/* SPDX-License-Identifier: MIT */
#include "compare/limits_file.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "base/memory.h"
#include "cli/quantity.h"
#include "cli/diag.h"

#define BLANKS " \t"

bool limits_file_parse_limit(const char *text, struct regression_limit *limit)
{
	struct regression_limit read = {0};

	if (strcmp(text, "off") == 0)
		read.off = true;
	else if (text[strspn(text, "0123456789.")] == '\0')
		return false; /* share of an unknown total */
	else if (!quantity_read_growth(text, &read.ppm) &&
		 !quantity_read_time(text, &read.time_ns))
		return false;
	*limit = read;
	return true;
}

static bool add(struct limits_file *limits, const struct limits_file_item *item)
{
	char *name = strdup(item->name);

	if (name == NULL || !array_reserve(&limits->items, limits->count,
				    &limits->room, sizeof(*limits->items))) {
		free(name);
		return false;
	}
	limits->items[limits->count] = *item;
	limits->items[limits->count++].name = name;
	return true;
}

static char *trim(char *text)
{
	char *end;

	text += strspn(text, BLANKS);
	end = text + strlen(text);
	while (end > text && strchr(BLANKS, end[-1]) != NULL)
		*--end = '\0';
	return text;
}

/* Parses a line without its newline. Errors: reported; returns an exit
 * status. */
static int read_line(
	struct limits_file *limits, char *text, size_t line, const char *path)
{
	struct limits_file_item item = {.line = line};
	char *at = trim(text);
	char *end = at + strcspn(at, BLANKS);

	if (*at == '\0' || *at == '#')
		return EXIT_DONE;
	item.name = end + strspn(end, BLANKS);
	*end = '\0';
	if (!limits_file_parse_limit(at, &item.limit)) {
		diag("%s:%zu: '%s' is not " ALLOWED_WORDS, path, line, at);
		return EXIT_INPUT;
	}
	if (*item.name == '\0') {
		diag("%s:%zu: no name after '%s'", path, line, at);
		return EXIT_INPUT;
	}
	if (add(limits, &item))
		return EXIT_DONE;
	return diag_no_memory(path);
}

static int read_lines(struct limits_file *limits, FILE *in, const char *path)
{
	char *text = NULL;
	size_t room = 0;
	size_t line = 0;
	int status = EXIT_DONE;
	ssize_t size;

	errno = 0;
	while (status == EXIT_DONE && (size = getline(&text, &room, in)) > 0) {
		line++;
		if (strlen(text) != (size_t)size) {
			diag("%s:%zu: contains a zero byte", path, line);
			status = EXIT_INPUT;
			break;
		}
		text[strcspn(text, "\r\n")] = '\0';
		status = read_line(limits, text, line, path);
	}
	if (status == EXIT_DONE && ferror(in)) {
		diag("%s: cannot be read: %s", path, strerror(errno));
		status = EXIT_INPUT;
	}
	free(text);
	return status;
}

int limits_file_read(struct limits_file *limits, const char *path)
{
	FILE *in = fopen(path, "re");
	int status;

	*limits = (struct limits_file){0};
	if (in == NULL) {
		diag("%s: cannot open: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	status = read_lines(limits, in, path);
	(void)fclose(in);
	return status;
}

void limits_file_clear(struct limits_file *limits)
{
	for (size_t i = 0; i < limits->count; i++)
		free(limits->items[i].name);
	memory_free(limits->items);
	*limits = (struct limits_file){0};
}

const struct regression_limit *limits_file_find(
	struct limits_file *limits, const char *name)
{
	for (size_t i = 0; i < limits->count; i++) {
		struct limits_file_item *item = &limits->items[i];

		if (strcmp(item->name, name) != 0 &&
			fnmatch(item->name, name, 0) != 0)
			continue;
		item->used = true;
		return &item->limit;
	}
	return NULL;
}

void limits_file_report_unused(
	const struct limits_file *limits, const char *path)
{
	for (size_t i = 0; i < limits->count; i++)
		if (!limits->items[i].used)
			diag("%s:%zu: pattern '%s' never applies: functions "
			     "that match it, if any, match an earlier line",
				path, limits->items[i].line,
				limits->items[i].name);
}
