/* SPDX-License-Identifier: MIT */
/* Completion for bash, without the help of the bash-completion package. */
#include <stdio.h>

#include "cli/arguments.h"
#include "completion.h"
#include "input/names.h"

static void put_pattern(const struct argp_option *option)
{
	fputs("\t\t", stdout);
	if (completion_has_letter(option))
		printf("-%c|", option->key);
	printf("--%s) ", option->name);
}

/* What follows an option that takes an argument. */
static void put_argument(const struct argp_option *option, void *user)
{
	(void)user;
	if (option->name == NULL || option->arg == NULL)
		return;
	put_pattern(option);
	switch (completion_of_option(option)) {
	case COMPLETION_WORDS:
		fputs("words='", stdout);
		completion_option_words(option);
		puts("' ;;");
		break;
	case COMPLETION_FILES:
		puts("return ;;");
		break;
	case COMPLETION_NONE:
		puts("compopt +o default +o bashdefault; return ;;");
		break;
	}
}

static void put_option(const struct argp_option *option, void *user)
{
	(void)user;
	if (option->name != NULL)
		printf("--%s%s ", option->name, option->arg == NULL ? "" : "=");
}

static void put_command(const struct command *command)
{
	printf("\t%s)\n\t\toptions='", command->name);
	arguments_each(command->argp, put_option, NULL);
	puts("'");
	if (completion_of_command(command) == COMPLETION_WORDS) {
		fputs("\t\twords='", stdout);
		completion_command_words(command);
		puts("'");
	}
	puts("\t\tcase $prev in");
	arguments_each(command->argp, put_argument, NULL);
	puts("\t\tesac ;;");
}

static void put_converter(const char *name)
{
	printf(" %s", name);
}

static void put_start(void)
{
	puts("# bash completion for ctprof\n"
	     "_ctprof()\n"
	     "{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} options='' words='' i\n"
	     "\tlocal prev=${COMP_WORDS[COMP_CWORD-1]} "
	     "cmd=${COMP_WORDS[1]}\n"
	     "\tCOMPREPLY=()\n"
	     "\tif [[ ${COMP_WORDS[0]##*/} != ctprof ]]; then\n"
	     "\t\tcmd=convert\n"
	     "\telif ((COMP_CWORD == 1)); then\n"
	     "\t\tcompopt +o default +o bashdefault");
	fputs("\t\tCOMPREPLY=($(compgen -W '", stdout);
	for (const struct command *const *at = commands; *at != NULL; at++)
		printf("%s ", (*at)->name);
	puts("--help --version' -- \"$cur\"))\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	     "\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
	     "\t\tif [[ $cmd == record ]] && ((COMP_CWORD == i + 1)); then\n"
	     "\t\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
	     "\t\tfi\n"
	     "\t\treturn\n"
	     "\tdone\n"
	     "\t# --option=value comes as three words.\n"
	     "\tif [[ $cur == = ]]; then\n"
	     "\t\tcur=\n"
	     "\telif [[ $prev == = ]]; then\n"
	     "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	     "\tfi\n"
	     "\tcase $cmd in");
}

void completion_print_bash(void)
{
	put_start();
	for (const struct command *const *at = commands; *at != NULL; at++)
		put_command(*at);
	puts("\tesac\n"
	     "\tif [[ $cur == -* ]]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	     "\t\t[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n"
	     "\telif [[ -n $words ]]; then\n"
	     "\t\tcompopt +o default +o bashdefault\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	     "\tfi\n"
	     "}");
	fputs("complete -o default -o bashdefault -F _ctprof ctprof", stdout);
	names_each_converter(put_converter);
	putchar('\n');
}
