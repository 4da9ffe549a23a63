/* SPDX-License-Identifier: MIT */
/* Completion for zsh, by _arguments. */
#include <stdio.h>

#include "cli/arguments.h"
#include "completion.h"
#include "input/names.h"

/* Text inside '…[text]': _arguments and the quotes have their own meanings. */
static void put_text(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (*text == '[' || *text == ']' || *text == ':' ||
			 *text == '\\')
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void put_argument(const struct argp_option *option)
{
	fputs(":argument:", stdout);
	switch (completion_of_option(option)) {
	case COMPLETION_WORDS:
		putchar('(');
		completion_option_words(option);
		putchar(')');
		break;
	case COMPLETION_FILES:
		fputs("_files", stdout);
		break;
	case COMPLETION_NONE:
		putchar(' ');
		break;
	}
}

static void put_option(const struct argp_option *option, void *user)
{
	const char *plus = option->arg == NULL ? "" : "+";
	const char *equals = option->arg == NULL ? "" : "=";

	(void)user;
	if (option->name == NULL)
		return;
	fputs(" \\\n\t\t\t", stdout);
	if (completion_has_letter(option))
		printf("'(-%c --%s)'{-%c%s,--%s%s}'[", option->key,
			option->name, option->key, plus, option->name, equals);
	else
		printf("'--%s%s[", option->name, equals);
	put_text(option->doc);
	putchar(']');
	if (option->arg != NULL)
		put_argument(option);
	putchar('\'');
}

static void put_command(const struct command *command)
{
	printf("\t%s)\n\t\t_arguments -s -S", command->name);
	arguments_each(command->argp, put_option, NULL);
	if (command == &cmd_record)
		fputs(" \\\n\t\t\t'(-)1:program:_command_names -e' "
		      "'*::arguments:_normal'",
			stdout);
	else if (completion_of_command(command) == COMPLETION_FILES)
		fputs(" \\\n\t\t\t'*:file:_files'", stdout);
	else if (completion_of_command(command) == COMPLETION_WORDS) {
		fputs(" \\\n\t\t\t'1:word:(", stdout);
		completion_command_words(command);
		fputs(")'", stdout);
	}
	puts(" ;;");
}

static void put_converter(const char *name)
{
	printf(" %s", name);
}

void completion_print_zsh(void)
{
	fputs("#compdef ctprof", stdout);
	names_each_converter(put_converter);
	puts("\n_ctprof()\n"
	     "{\n"
	     "\tlocal cmd=convert\n"
	     "\tlocal -a commands\n"
	     "\tcommands=(");
	for (const struct command *const *at = commands; *at != NULL; at++) {
		printf("\t\t'%s:", (*at)->name);
		put_text((*at)->summary);
		puts("'");
	}
	puts("\t)\n"
	     "\tif [[ $service == ctprof ]]; then\n"
	     "\t\tif (( CURRENT == 2 )); then\n"
	     "\t\t\t_describe -t commands command commands\n"
	     "\t\t\treturn\n"
	     "\t\tfi\n"
	     "\t\tcmd=$words[2]\n"
	     "\t\tshift words\n"
	     "\t\t(( CURRENT-- ))\n"
	     "\tfi\n"
	     "\tcase $cmd in");
	for (const struct command *const *at = commands; *at != NULL; at++)
		put_command(*at);
	puts("\tesac\n"
	     "}\n"
	     "if [[ $funcstack[1] == _ctprof ]]; then\n"
	     "\t_ctprof \"$@\"\n"
	     "else");
	fputs("\tcompdef _ctprof ctprof", stdout);
	names_each_converter(put_converter);
	puts("\nfi");
}
