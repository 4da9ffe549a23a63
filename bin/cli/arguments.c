/* SPDX-License-Identifier: MIT */
/*
 * argp's own help parser is switched off: it has -? and no -h, and it would
 * exit with status 0 although the disk is full.
 */
#include "cli/arguments.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/help_text.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "cli/say.h"
#include "base/utf8.h"

/* clang-format off */
static const struct argp_option help_options[] = {
	{"help", 'h', NULL, 0, "print this help", GROUP_OTHER},
	{"version", 'V', NULL, 0, "print the version", GROUP_OTHER},
	/* argp's error messages name it. */
	{"usage", KEY_USAGE, NULL, OPTION_HIDDEN, NULL, GROUP_OTHER},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static error_t help_parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	switch (key) {
	case 'h':
		help_text_print(state->root_argp, state->name);
		break;
	case KEY_USAGE:
		help_text_usage(state->root_argp, state->name);
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

/* argp and getopt repeat what they were given: a terminal must not obey it. A
 * line comes in pieces, of which only the last ends in one. */
static ssize_t write_escaped(void *cookie, const char *bytes, size_t size)
{
	bool ends = size > 0 && bytes[size - 1] == '\n';
	size_t left = size - ends;
	char escape[UTF8_ESCAPE_TEXT];

	/* Without memory, of which there may be none. */
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
		say_no_memory(NULL); /* nothing else fails so */
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

/* The headings of a group alone, or all else of it. */
static void each_in_group(const struct argp *argp, int group, bool headings,
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
		each_in_group(child->argp, group, headings, visit, user);
}

/* A heading may be a child's, and what stands below it not. */
void arguments_each(const struct argp *argp,
	void (*visit)(const struct argp_option *option, void *user), void *user)
{
	for (int group = GROUP_MAIN; group <= GROUP_OTHER; group++) {
		each_in_group(argp, group, true, visit, user);
		each_in_group(argp, group, false, visit, user);
	}
}

uint32_t arguments_count(
	const struct argp_state *state, const char *option, const char *text)
{
	uint32_t count = 0;

	if (!quantity_read_count(text, &count))
		argp_error(state, "%s: '%s' is not a number from 1 on", option,
			text);
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

uint64_t arguments_part(const struct argp_state *state, const char *text)
{
	uint64_t bytes = arguments_size(state, "--split", text);

	if (bytes == 0)
		argp_error(state, "--split: parts of no size are none");
	return bytes;
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
