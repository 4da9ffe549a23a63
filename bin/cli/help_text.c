/* SPDX-License-Identifier: MIT */
/*
 * Not by argp_help(): where glibc's indents a line while its buffer of 200
 * bytes is full, the blanks come too early, which depends on the length of all
 * texts before.
 */
#include "cli/help_text.h"

#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"

#define WIDTH 79
#define TEXT_COLUMN 29 /* of what options do */

/* A line's worth of text: up to the last space that fits, or, of a word that
 * does not fit, its end. */
static size_t line_of(const char *text, size_t size, size_t room)
{
	if (size <= room)
		return size;
	for (size_t at = room; at > 0; at--)
		if (text[at] == ' ')
			return at;
	while (room < size && text[room] != ' ')
		room++;
	return room;
}

/* Prints a paragraph that begins, and goes on, in a column. */
static void put_paragraph(const char *text, size_t size, size_t column)
{
	for (;;) {
		size_t used = line_of(text, size, WIDTH - column);

		printf("%.*s\n", (int)used, text);
		if (used == size)
			return;
		text += used + 1;
		size -= used + 1;
		printf("%*s", (int)column, "");
	}
}

/* Paragraphs are lines; `end` ends the last. */
static void put_paragraphs(const char *text, const char *end)
{
	while (text < end) {
		size_t size = strcspn(text, "\n\v");

		put_paragraph(text, size, 0);
		text += size + 1;
	}
}

static void put_option(const struct argp_option *option, void *user)
{
	int *group = user;
	bool optional = (option->flags & OPTION_ARG_OPTIONAL) != 0;
	int column;

	if (option->group != *group)
		putchar('\n');
	*group = option->group;
	if (option->name == NULL) {
		printf(" %s\n", option->doc);
		return;
	}
	if (option->key > 0 && option->key < 128)
		column = printf("  -%c, --%s", option->key, option->name);
	else
		column = printf("      --%s", option->name);
	if (option->arg != NULL)
		column += printf(optional ? "[=%s]" : "=%s", option->arg);
	if (column >= TEXT_COLUMN) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", TEXT_COLUMN - column, "");
	put_paragraph(option->doc, strlen(option->doc), TEXT_COLUMN);
}

void help_text_usage(const struct argp *argp, const char *name)
{
	const char *words = argp->args_doc == NULL ? "" : argp->args_doc;
	const char *before = "Usage:";

	for (;;) {
		size_t size = strcspn(words, "\n");

		printf("%s %s [OPTION...]%s%.*s\n", before, name,
			size == 0 ? "" : " ", (int)size, words);
		if (words[size] == '\0')
			return;
		words += size + 1;
		before = "  or: ";
	}
}

void help_text_print(const struct argp *argp, const char *name)
{
	const char *rest = strchrnul(argp->doc, '\v');
	int group = 0;

	help_text_usage(argp, name);
	put_paragraphs(argp->doc, rest);
	arguments_each(argp, put_option, &group);
	if (*rest == '\0')
		return;
	putchar('\n');
	put_paragraphs(rest + 1, strchr(rest, '\0'));
}
