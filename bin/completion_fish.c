/* SPDX-License-Identifier: MIT */
/* Completion for fish. */
#include <stdio.h>

#include "cli/arguments.h"
#include "completion.h"
#include "input/names.h"

static void put_quoted(const char *text)
{
	putchar('\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void put_condition(const struct command *command)
{
	printf("complete -c ctprof -n '__fish_seen_subcommand_from %s'",
		command->name);
}

static void put_option(const struct argp_option *option, void *user)
{
	if (option->name == NULL)
		return;
	put_condition(user);
	if (completion_has_letter(option))
		printf(" -s %c", option->key);
	printf(" -l %s", option->name);
	switch (completion_of_option(option)) {
	case COMPLETION_WORDS:
		fputs(" -x -a '", stdout);
		completion_option_words(option);
		putchar('\'');
		break;
	case COMPLETION_FILES:
		fputs(" -r -F", stdout);
		break;
	case COMPLETION_NONE:
		if (option->arg != NULL)
			fputs(" -x", stdout);
		break;
	}
	fputs(" -d ", stdout);
	put_quoted(option->doc);
	putchar('\n');
}

static void put_command(const struct command *command)
{
	printf("complete -c ctprof -n __fish_use_subcommand -f -a %s -d ",
		command->name);
	put_quoted(command->summary);
	putchar('\n');
	if (completion_of_command(command) == COMPLETION_WORDS) {
		put_condition(command);
		fputs(" -f -a '", stdout);
		completion_command_words(command);
		puts("'");
	}
	/* visit() takes no const pointer; put_option() changes nothing. */
	arguments_each(command->argp, put_option, (void *)(uintptr_t)command);
}

static void put_converter(const char *name)
{
	printf("complete -c %s -w 'ctprof convert'\n", name);
}

void completion_print_fish(void)
{
	puts("# fish completion for ctprof");
	for (const struct command *const *at = commands; *at != NULL; at++)
		put_command(*at);
	names_each_converter(put_converter);
}
