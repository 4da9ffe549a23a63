/* SPDX-License-Identifier: MIT */
/*
 * argp's own help parser is off: it has -? but no -h, and it exits with status
 * 0 even if the disk is full. argp_help() is not used either: if glibc's buffer
 * of 200 bytes is full when it indents a line, the blanks are misplaced,
 * depending on the length of all previous text.
 */
#include "cli/arguments.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "cli/diag.h"
#include "base/utf8.h"

#define WIDTH 79
#define TEXT_COLUMN 29 /* column of the options' descriptions */

/* Size of the text up to the last space that fits, or to the end of a word that
 * is too long. */
static size_t line_size(const char *text, size_t size, size_t room)
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

/* Prints a paragraph whose lines begin at a column. */
static void put_paragraph(const char *text, size_t size, size_t column)
{
	for (;;) {
		size_t used = line_size(text, size, WIDTH - column);

		printf("%.*s\n", (int)used, text);
		if (used == size)
			return;
		text += used + 1;
		size -= used + 1;
		printf("%*s", (int)column, "");
	}
}

/* Each line is a paragraph; `end` is the end of the last. */
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

static void print_usage(const struct argp *argp, const char *name)
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

static void print_help(const struct argp *argp, const char *name)
{
	const char *rest = strchrnul(argp->doc, '\v');
	int group = 0;

	print_usage(argp, name);
	put_paragraphs(argp->doc, rest);
	arguments_visit(argp, put_option, &group);
	if (*rest == '\0')
		return;
	putchar('\n');
	put_paragraphs(rest + 1, strchr(rest, '\0'));
}

/* clang-format off */
static const struct argp_option help_options[] = {
	{"help", 'h', NULL, 0, "print this help", GROUP_OTHER},
	{"version", 'V', NULL, 0, "print the version", GROUP_OTHER},
	/* argp's error messages mention it. */
	{"usage", KEY_USAGE, NULL, OPTION_HIDDEN, NULL, GROUP_OTHER},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static error_t help_parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case 'h':
		print_help(state->root_argp, state->name);
		break;
	case KEY_USAGE:
		print_usage(state->root_argp, state->name);
		break;
	case 'V':
		command_print_version();
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	exit(output_finish_stdout());
}

const struct argp help_argp = {
	.options = help_options,
	.parser = help_parse,
};

const struct argp_child help_children[] = {{&help_argp, 0, NULL, 0}, {0}};

/* Escapes arguments that argp and getopt print, since a terminal must not
 * interpret them. A line comes in pieces; only the last ends with '\n'. */
static ssize_t write_escaped(void *cookie, const char *bytes, size_t size)
{
	bool ends = size > 0 && bytes[size - 1] == '\n';
	size_t left = size - ends;
	char escape[UTF8_ESCAPE_TEXT];

	/* Does not allocate, since memory may be exhausted. */
	while (left > 0) {
		size_t used = utf8_safe_prefix(bytes, left);

		(void)fwrite(bytes, 1, used, cookie);
		if (used < left) {
			used += utf8_escape(escape, bytes + used, left - used);
			(void)fputs(escape, cookie);
		}
		bytes += used;
		left -= used;
	}
	if (ends)
		(void)putc('\n', (FILE *)cookie);
	return (ssize_t)size;
}

void arguments_parse(const struct argp *argp, unsigned flags, int argc,
	char **argv, void *input)
{
	FILE *plain = stderr;
	FILE *escaped = fopencookie(
		plain, "w", (cookie_io_functions_t){.write = write_escaped});

	/* getopt takes no other stream. Source: the C library's manual,
	 * "Standard Streams". */
	if (escaped != NULL) {
		(void)setvbuf(escaped, NULL, _IONBF, 0);
		stderr = escaped;
	}
	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(argp, argc, argv, flags | ARGP_NO_HELP, NULL, input) !=
		0) {
		diag_no_memory(NULL); /* the only possible failure */
		exit(EXIT_LIMIT);
	}
	stderr = plain;
	if (escaped != NULL)
		(void)fclose(escaped);
}

static bool is_end(const struct argp_option *option)
{
	return option->name == NULL && option->key == 0 &&
	       option->doc == NULL && option->group == 0;
}

/* Visits either only the headings of a group or everything else. */
static void visit_group(const struct argp *argp, int group, bool headings,
	void (*visit)(const struct argp_option *option, void *user), void *user)
{
	for (const struct argp_option *option = argp->options;
		option != NULL && !is_end(option); option++)
		if (option->group == group &&
			(option->name == NULL) == headings &&
			(option->flags & OPTION_HIDDEN) == 0)
			visit(option, user);
	for (const struct argp_child *child = argp->children;
		child != NULL && child->argp != NULL; child++)
		visit_group(child->argp, group, headings, visit, user);
}

/* Headings first, since they may belong to another parser than the options
 * below. */
void arguments_visit(const struct argp *argp,
	void (*visit)(const struct argp_option *option, void *user), void *user)
{
	for (int group = GROUP_MAIN; group <= GROUP_OTHER; group++) {
		visit_group(argp, group, true, visit, user);
		visit_group(argp, group, false, visit, user);
	}
}

uint32_t arguments_count(
	const struct argp_state *state, const char *option, const char *text)
{
	uint32_t count = 0;

	if (!quantity_read_count(text, &count))
		argp_error(state, "%s: invalid number '%s': must be 1 or more",
			option, text);
	return count;
}

uint64_t arguments_size(
	const struct argp_state *state, const char *option, const char *text)
{
	uint64_t bytes = 0;

	if (!quantity_read_size(text, &bytes))
		argp_error(state, "%s: '%s' is not a size (64K, 8M, 1G)",
			option, text);
	return bytes;
}

uint64_t arguments_part_size(const struct argp_state *state, const char *text)
{
	uint64_t bytes = arguments_size(state, "--split", text);

	if (bytes == 0)
		argp_error(state, "--split: size must be greater than 0");
	return bytes;
}

void arguments_min(const struct argp_state *state, const char *text,
	uint32_t *share_ppm, uint64_t *time_ns)
{
	if (!quantity_read_share(text, share_ppm) &&
		!quantity_read_time(text, time_ns))
		argp_error(state,
			"--min: '%s' is neither a share (0.5%%) nor a time "
			"(100us)",
			text);
}

char *arguments_output(
	const struct argp_state *state, const char *option, char *text)
{
	if (*text == '\0')
		argp_error(state, "%s: the name is empty", option);
	return text;
}

enum when arguments_when(
	const struct argp_state *state, const char *option, const char *text)
{
	return (enum when)arguments_word(state, option, WHEN_VALUES, text);
}

const struct column *arguments_sort(const struct argp_state *state,
	const struct columns *columns, const char *text)
{
	const struct column *column = columns_find_sort(columns, text);
	char words[COLUMNS_WORDS_MAX];

	if (column == NULL)
		argp_error(state, "--sort: '%s' is not one of %s", text,
			columns_sort_words(columns, words));
	return column;
}

unsigned arguments_word(const struct argp_state *state, const char *option,
	const char *values, const char *text)
{
	size_t size = strlen(text);
	unsigned number = 0;

	for (const char *at = values;; at++, number++) {
		const char *end = strchrnul(at, '|');

		if ((size_t)(end - at) == size && memcmp(at, text, size) == 0)
			return number;
		if (*end == '\0')
			break;
		at = end;
	}
	argp_error(state, "%s: '%s' is not one of %s", option, text, values);
	return 0;
}
