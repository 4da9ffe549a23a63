/* SPDX-License-Identifier: MIT */
#include "compare/allowed.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "base/memory.h"
#include "cli/quantity.h"
#include "cli/say.h"

#define BLANKS " \t"

bool allowed_read_one(const char *text, struct regression_limit *limit)
{
	struct regression_limit read = {0};

	if (strcmp(text, "off") == 0)
		read.off = true;
	else if (text[strspn(text, "0123456789.")] == '\0')
		return false; /* of what? It is not said. */
	else if (!quantity_read_growth(text, &read.ppm) &&
		 !quantity_read_time(text, &read.time_ns))
		return false;
	*limit = read;
	return true;
}

static bool add(struct allowed *allowed, const struct allowed_item *item)
{
	char *name = strdup(item->name);

	if (name == NULL || !memory_grow(&allowed->items, allowed->count,
				    &allowed->room, sizeof(*allowed->items))) {
		free(name);
		return false;
	}
	allowed->items[allowed->count] = *item;
	allowed->items[allowed->count++].name = name;
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

/* One line, whose end is off. Errors: said; returns an exit status. */
static int read_line(
	struct allowed *allowed, char *text, size_t line, const char *path)
{
	struct allowed_item item = {.line = line};
	char *at = trim(text);
	char *end = at + strcspn(at, BLANKS);

	if (*at == '\0' || *at == '#')
		return EXIT_DONE;
	item.name = end + strspn(end, BLANKS);
	*end = '\0';
	if (!allowed_read_one(at, &item.limit)) {
		say("%s: line %zu: '%s' is not " ALLOWED_WORDS, path, line, at);
		return EXIT_INPUT;
	}
	if (*item.name == '\0') {
		say("%s: line %zu: no name follows '%s'", path, line, at);
		return EXIT_INPUT;
	}
	if (add(allowed, &item))
		return EXIT_DONE;
	say_no_memory(path);
	return EXIT_LIMIT;
}

static int read_lines(struct allowed *allowed, FILE *in, const char *path)
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
			say("%s: line %zu: has a zero byte", path, line);
			status = EXIT_INPUT;
			break;
		}
		text[strcspn(text, "\r\n")] = '\0';
		status = read_line(allowed, text, line, path);
	}
	if (status == EXIT_DONE && ferror(in)) {
		say("%s: cannot be read: %s", path, strerror(errno));
		status = EXIT_INPUT;
	}
	free(text);
	return status;
}

int allowed_read(struct allowed *allowed, const char *path)
{
	FILE *in = fopen(path, "re");
	int status;

	*allowed = (struct allowed){0};
	if (in == NULL) {
		say("%s: cannot open: %s", path, strerror(errno));
		return EXIT_INPUT;
	}
	status = read_lines(allowed, in, path);
	(void)fclose(in);
	return status;
}

void allowed_clear(struct allowed *allowed)
{
	for (size_t i = 0; i < allowed->count; i++)
		free(allowed->items[i].name);
	memory_free(allowed->items);
	*allowed = (struct allowed){0};
}

const struct regression_limit *allowed_find(
	struct allowed *allowed, const char *name)
{
	for (size_t i = 0; i < allowed->count; i++) {
		struct allowed_item *item = &allowed->items[i];

		if (strcmp(item->name, name) != 0 &&
			fnmatch(item->name, name, 0) != 0)
			continue;
		item->used = true;
		return &item->limit;
	}
	return NULL;
}

void allowed_say_unused(const struct allowed *allowed, const char *path)
{
	for (size_t i = 0; i < allowed->count; i++)
		if (!allowed->items[i].used)
			say("%s: line %zu: nothing that an earlier line is not "
			    "for is called '%s'",
				path, allowed->items[i].line,
				allowed->items[i].name);
}
