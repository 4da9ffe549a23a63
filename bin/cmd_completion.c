/* SPDX-License-Identifier: MIT */
/* Prints a shell's completion script, generated from the option tables. */
#include "cli/command.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "input/format_names.h"

/* Kinds of arguments of options and commands. */
enum completion_kind {
	COMPLETION_NONE,  /* a number, a time: nothing to offer */
	COMPLETION_WORDS, /* one of a list */
	COMPLETION_FILES,
};

static enum completion_kind kind_of(const char *text)
{
	if (strstr(text, "FILE") != NULL || strstr(text, "PATH") != NULL ||
		strstr(text, "DIR") != NULL)
		return COMPLETION_FILES;
	if (strchr(text, '|') != NULL || strstr(text, "FORMAT") != NULL ||
		strcmp(text, "[COMMAND]") == 0)
		return COMPLETION_WORDS;
	return COMPLETION_NONE;
}

/* Both use the names of values: "a|b" are words, FORMAT and COMMAND refer to
 * tables, FILE and DIR to files. */
static enum completion_kind kind_of_option(const struct argument *option)
{
	if (option->words != NULL || option->table != NULL)
		return COMPLETION_WORDS;
	return option->value == NULL ? COMPLETION_NONE : kind_of(option->value);
}

static enum completion_kind kind_of_command(const struct command *command)
{
	const char *arguments = command->usage;

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

/* Prints the words, with single spaces between. */
static void put_option_words(const struct argument *option)
{
	char words[COLUMNS_WORDS_MAX];
	bool first = true;

	if (option->table != NULL) {
		put_values(columns_sort_words(option->table, words));
		return;
	}
	if (option->words != NULL || strchr(option->value, '|') != NULL) {
		put_values(
			option->words != NULL ? option->words : option->value);
		return;
	}
	for (const struct format *const *at = formats; *at != NULL; at++)
		if (option->letter == 'f' ? format_can_read(*at)
					  : format_names_can_write(*at))
			put_word((*at)->name, &first);
}

static void put_command_words(const struct command *command)
{
	bool first = true;

	if (strchr(command->usage, '|') != NULL) {
		put_values(command->usage);
		return;
	}
	for (const struct command *const *at = commands; *at != NULL; at++)
		put_word((*at)->name, &first);
}

/* Completion for bash, without the help of the bash-completion package. */

static void bash_put_pattern(const struct argument *option)
{
	fputs("\t\t", stdout);
	if (option->letter != 0)
		printf("-%c|", option->letter);
	printf("--%s) ", option->name);
}

/* Completes the argument of an option. */
static void bash_put_argument(const struct argument *option, void *user)
{
	(void)user;
	if (option->name == NULL || option->value == NULL)
		return;
	bash_put_pattern(option);
	switch (kind_of_option(option)) {
	case COMPLETION_WORDS:
		fputs("words='", stdout);
		put_option_words(option);
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

static void bash_put_option(const struct argument *option, void *user)
{
	(void)user;
	if (option->name != NULL)
		printf("--%s%s ", option->name,
			option->value == NULL ? "" : "=");
}

static void bash_put_command(const struct command *command)
{
	printf("\t%s)\n\t\toptions='", command->name);
	arguments_visit(command, bash_put_option, NULL);
	puts("'");
	if (kind_of_command(command) == COMPLETION_WORDS) {
		fputs("\t\twords='", stdout);
		put_command_words(command);
		puts("'");
	}
	puts("\t\tcase $prev in");
	arguments_visit(command, bash_put_argument, NULL);
	puts("\t\tesac ;;");
}

static void bash_put_converter(const char *name)
{
	printf(" %s", name);
}

static void bash_put_start(void)
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

static void print_bash(void)
{
	bash_put_start();
	for (const struct command *const *at = commands; *at != NULL; at++)
		bash_put_command(*at);
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
	format_names_each_converter(bash_put_converter);
	putchar('\n');
}

/* Completion for zsh, by _arguments. */

/* Escapes text inside '…[text]', for the quotes and for _arguments. */
static void zsh_put_text(const char *text)
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

static void zsh_put_argument(const struct argument *option)
{
	fputs(":argument:", stdout);
	switch (kind_of_option(option)) {
	case COMPLETION_WORDS:
		putchar('(');
		put_option_words(option);
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

static void zsh_put_option(const struct argument *option, void *user)
{
	const char *plus = option->value == NULL ? "" : "+";
	const char *equals = option->value == NULL ? "" : "=";

	(void)user;
	if (option->name == NULL)
		return;
	fputs(" \\\n\t\t\t", stdout);
	if (option->letter != 0)
		printf("'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter,
			option->name, option->letter, plus, option->name,
			equals);
	else
		printf("'--%s%s[", option->name, equals);
	zsh_put_text(option->help);
	putchar(']');
	if (option->value != NULL)
		zsh_put_argument(option);
	putchar('\'');
}

static void zsh_put_command(const struct command *command)
{
	printf("\t%s)\n\t\t_arguments -s -S", command->name);
	arguments_visit(command, zsh_put_option, NULL);
	if (command == &cmd_record)
		fputs(" \\\n\t\t\t'(-)1:program:_command_names -e' "
		      "'*::arguments:_normal'",
			stdout);
	else if (kind_of_command(command) == COMPLETION_FILES)
		fputs(" \\\n\t\t\t'*:file:_files'", stdout);
	else if (kind_of_command(command) == COMPLETION_WORDS) {
		fputs(" \\\n\t\t\t'1:word:(", stdout);
		put_command_words(command);
		fputs(")'", stdout);
	}
	puts(" ;;");
}

static void zsh_put_converter(const char *name)
{
	printf(" %s", name);
}

static void print_zsh(void)
{
	fputs("#compdef ctprof", stdout);
	format_names_each_converter(zsh_put_converter);
	puts("\n_ctprof()\n"
	     "{\n"
	     "\tlocal cmd=convert\n"
	     "\tlocal -a commands\n"
	     "\tcommands=(");
	for (const struct command *const *at = commands; *at != NULL; at++) {
		printf("\t\t'%s:", (*at)->name);
		zsh_put_text((*at)->summary);
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
		zsh_put_command(*at);
	puts("\tesac\n"
	     "}\n"
	     "if [[ $funcstack[1] == _ctprof ]]; then\n"
	     "\t_ctprof \"$@\"\n"
	     "else");
	fputs("\tcompdef _ctprof ctprof", stdout);
	format_names_each_converter(zsh_put_converter);
	puts("\nfi");
}

/* Completion for fish. */

static void fish_put_quoted(const char *text)
{
	putchar('\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void fish_put_condition(const struct command *command)
{
	printf("complete -c ctprof -n '__fish_seen_subcommand_from %s'",
		command->name);
}

static void fish_put_option(const struct argument *option, void *user)
{
	if (option->name == NULL)
		return;
	fish_put_condition(user);
	if (option->letter != 0)
		printf(" -s %c", option->letter);
	printf(" -l %s", option->name);
	switch (kind_of_option(option)) {
	case COMPLETION_WORDS:
		fputs(" -x -a '", stdout);
		put_option_words(option);
		putchar('\'');
		break;
	case COMPLETION_FILES:
		fputs(" -r -F", stdout);
		break;
	case COMPLETION_NONE:
		if (option->value != NULL)
			fputs(" -x", stdout);
		break;
	}
	fputs(" -d ", stdout);
	fish_put_quoted(option->help);
	putchar('\n');
}

static void fish_put_command(const struct command *command)
{
	printf("complete -c ctprof -n __fish_use_subcommand -f -a %s -d ",
		command->name);
	fish_put_quoted(command->summary);
	putchar('\n');
	if (kind_of_command(command) == COMPLETION_WORDS) {
		fish_put_condition(command);
		fputs(" -f -a '", stdout);
		put_command_words(command);
		puts("'");
	}
	/* visit() has no const pointer, but fish_put_option() changes
	 * nothing. */
	arguments_visit(command, fish_put_option, (void *)(uintptr_t)command);
}

static void fish_put_converter(const char *name)
{
	printf("complete -c %s -w 'ctprof convert'\n", name);
}

static void print_fish(void)
{
	puts("# fish completion for ctprof");
	for (const struct command *const *at = commands; *at != NULL; at++)
		fish_put_command(*at);
	format_names_each_converter(fish_put_converter);
}

#define SHELLS "bash|zsh|fish"

struct request {
	unsigned shell;
	unsigned count;
};

static error_t add(void *structure, char *text, struct argp_state *state)
{
	struct request *request = structure;

	if (request->count++ != 0)
		argp_error(state, "exactly one shell is needed");
	request->shell = arguments_word(state, "the shell", SHELLS, text);
	return 0;
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->count == 0)
		argp_error(state, "for which shell: " SHELLS "?");
	return 0;
}

static int run(int argc, char **argv)
{
	/* In the order of SHELLS. */
	static void (*const printers[])(void) = {
		print_bash, print_zsh, print_fish};
	struct request request = {0};

	arguments_parse(&cmd_completion, argc, argv, &request);
	printers[request.shell]();
	return EXIT_DONE;
}

const struct command cmd_completion = {
	.name = "completion",
	.group = "About ctprof",
	.summary = "print a shell's completion script",
	.arguments = {.add = add, .check = check},
	.usage = SHELLS,
	.help = "Print the completion script of a shell.\v"
		"Examples:\n"
		"  source <(ctprof completion bash)\n"
		"  ctprof completion zsh >~/.zsh/_ctprof\n"
		"  ctprof completion fish >~/.config/fish/completions/"
		"ctprof.fish",
	.run = run,
};
