/* SPDX-License-Identifier: MIT */
#include "completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "stats/grouping.h"
#include "input/names.h"
#include "stats/stats.h"

static enum completion_kind kind_of(const char *text)
{
	if (strstr(text, "FILE") != NULL || strstr(text, "PATH") != NULL ||
		strstr(text, "DIR") != NULL)
		return COMPLETION_FILES;
	if (strchr(text, '|') != NULL || strstr(text, "FORMAT") != NULL ||
		strcmp(text, "[COMMAND]") == 0 || strcmp(text, "KEY") == 0 ||
		strcmp(text, "GROUP") == 0)
		return COMPLETION_WORDS;
	return COMPLETION_NONE;
}

enum completion_kind completion_of_option(const struct argp_option *option)
{
	return option->arg == NULL ? COMPLETION_NONE : kind_of(option->arg);
}

enum completion_kind completion_of_command(const struct command *command)
{
	const char *arguments = command->argp->args_doc;

	return arguments == NULL ? COMPLETION_NONE : kind_of(arguments);
}

static void put_word(const char *word, bool *first)
{
	printf("%s%s", *first ? "" : " ", word);
	*first = false;
}

/* "a|b|c" with spaces. */
static void put_values(const char *values)
{
	for (; *values != '\0'; values++)
		putchar(*values == '|' ? ' ' : *values);
}

void completion_option_words(const struct argp_option *option)
{
	bool first = true;

	if (strchr(option->arg, '|') != NULL) {
		put_values(option->arg);
		return;
	}
	/* Too many for a line of --help. */
	if (option->key == KEY_GROUP || option->key == 's') {
		put_values(option->key == 's' ? STATS_KEYS : GROUPING_WORDS);
		return;
	}
	for (const struct format *const *at = formats; *at != NULL; at++)
		if (option->key == 'f' ? names_can_read(*at)
				       : names_can_write(*at))
			put_word((*at)->name, &first);
}

void completion_command_words(const struct command *command)
{
	bool first = true;

	if (strchr(command->argp->args_doc, '|') != NULL) {
		put_values(command->argp->args_doc);
		return;
	}
	for (const struct command *const *at = commands; *at != NULL; at++)
		put_word((*at)->name, &first);
}

bool completion_has_letter(const struct argp_option *option)
{
	return option->key > 0 && option->key < 128;
}
