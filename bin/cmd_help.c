/* SPDX-License-Identifier: MIT */
/*
 * Help in three forms: the manual page if installed, --help otherwise, and the
 * options as the OPTIONS section of a manual page, so that pages and program
 * agree.
 */
#include "cli/command.h"

#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "cli/arguments.h"
#include "cli/diag.h"

extern char **environ;

/* Prints text escaped for roff. */
static void put_roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text != '\0'; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static void put_roff_option(const struct argument *option, void *user)
{
	char text[ARGUMENT_HELP_MAX];

	(void)user;
	if (option->name == NULL) {
		fputs(".SS ", stdout);
		/* Without the colon of --help. */
		printf("%.*s\n", (int)strcspn(option->help, ":"), option->help);
		return;
	}
	fputs(".TP\n", stdout);
	if (option->letter != 0)
		printf("\\fB\\-%c\\fR, ", option->letter);
	fputs("\\fB\\-\\-", stdout);
	put_roff(option->name);
	fputs("\\fR", stdout);
	if (option->value != NULL) {
		fputs("=\\fI", stdout);
		put_roff(option->value);
		fputs("\\fR", stdout);
	}
	putchar('\n');
	put_roff(argument_help(option, text));
	putchar('\n');
}

static void print_roff(const struct command *command)
{
	puts(".SH OPTIONS");
	arguments_visit(command, put_roff_option, NULL);
}

static const char *text_of(const char *text)
{
	return text == NULL ? "" : text;
}

/* Prints a table, and then those nested in it, as lines of fields. */
static void put_table(const struct report_form *form, const char *kind,
	const struct columns *table, uint32_t bits)
{
	static const char *const types[] = {[COLUMN_COUNT] = "count",
		[COLUMN_TIME] = "time",
		[COLUMN_BYTES] = "bytes",
		[COLUMN_INTEGER] = "integer",
		[COLUMN_PERCENT] = "percent",
		[COLUMN_REAL] = "real",
		[COLUMN_BOOL] = "bool",
		[COLUMN_TEXT] = "text",
		[COLUMN_OBJECT] = "object",
		[COLUMN_MAP] = "map",
		[COLUMN_LIST] = "list"};
	bool is_csv = strcmp(kind, "csv") == 0;

	printf("table\t%s\t%s\t%" PRIu32 "\t%s\n", kind, text_of(table->key),
		bits, text_of(table->help));
	for (size_t i = 0; i < table->count; i++) {
		const struct column *column = &table->items[i];
		const struct columns *nested = column->table;
		const char *key = is_csv ? column->csv : column->json;

		if (key != NULL && (column->when & form->never) == 0)
			printf("column\t%s\t%s\t%" PRIu32
			       "\t%d\t%d\t%d\t%s\t%s\t%s\n",
				key, types[column->type], column->when,
				column->nullable, column->absent,
				column->unless != 0 || column->get != NULL,
				text_of(column->words),
				nested == NULL ? "" : nested->key,
				column->help);
	}
	for (size_t i = 0; i < table->count && !is_csv; i++)
		if (table->items[i].table != NULL &&
			(table->items[i].when & form->never) == 0)
			put_table(form, "nested", table->items[i].table, 0);
}

/* Prints the columns of all reports, from which doc/schemas and the manual are
 * made. */
static void print_columns(void)
{
	for (const struct command *const *at = commands; *at != NULL; at++)
		for (size_t i = 0; (*at)->forms[i] != NULL; i++) {
			const struct report_form *form = (*at)->forms[i];

			printf("report\t%s\t%s\t%" PRIu32 "\n", form->schema,
				form->title, form->always);
			for (size_t j = 0; form->heads[j] != NULL; j++)
				put_table(form, "head", form->heads[j], 0);
			for (size_t j = 0; form->arrays[j] != NULL; j++)
				put_table(form, "array", form->arrays[j],
					form->array_bits[j]);
			if (form->csv != NULL)
				put_table(form, "csv", form->csv, 0);
		}
}

/* Runs `man` quietly to check whether the page exists. */
static bool has_page(char *page)
{
	char man[] = "man";
	char where[] = "-w";
	char *argv[] = {man, where, page, NULL};
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return false;
	if (posix_spawn_file_actions_addopen(
		    &actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
		posix_spawn_file_actions_adddup2(
			&actions, STDOUT_FILENO, STDERR_FILENO) == 0 &&
		posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ) ==
			0 &&
		waitpid(pid, &status, 0) != pid)
		status = -1;
	(void)posix_spawn_file_actions_destroy(&actions);
	return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Returns only if man cannot be run. */
static int open_page(char *page)
{
	char program[] = "man";
	char *man[] = {program, page, NULL};

	(void)execvp(man[0], man);
	diag("cannot run man");
	return EXIT_OUTPUT;
}

/* Whether ctprof-NAME is a manual page although NAME is not a command. */
static bool is_topic(const char *name)
{
	return strcmp(name, "python") == 0 || strcmp(name, "x2y") == 0 ||
	       strcmp(name, "log") == 0;
}

static int show_topic(const char *name)
{
	char page[64];

	(void)snprintf(page, sizeof(page), "ctprof-%s", name);
	if (has_page(page))
		return open_page(page);
	diag("%s: not a command, and man has no page %s(%c)", name, page,
		strcmp(name, "log") == 0 ? '5' : '1');
	return EXIT_USAGE;
}

static int show(const struct command *command)
{
	char page[64];
	char name[64];
	char option[] = "--help";
	char *help[] = {name, option, NULL};

	(void)snprintf(page, sizeof(page), "ctprof-%s", command->name);
	(void)snprintf(name, sizeof(name), "ctprof %s", command->name);
	if (has_page(page))
		return open_page(page);
	return command->run(2, help); /* does not return */
}

struct request {
	const char *name;
	bool roff;
	bool columns;
};

static error_t add(void *structure, char *text, struct argp_state *state)
{
	struct request *request = structure;

	if (request->name != NULL)
		argp_error(state, "exactly one command is needed");
	request->name = text;
	return 0;
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;

	if (request->roff && request->name == NULL)
		argp_error(state, "--roff needs a command");
	return 0;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	const struct command *command;

	arguments_parse(&cmd_help, argc, argv, &request);
	if (request.columns) {
		print_columns();
		return EXIT_DONE;
	}
	if (request.name == NULL) {
		command_print_help();
		return EXIT_DONE;
	}
	command = command_find(request.name);
	if (command == NULL && !request.roff && is_topic(request.name))
		return show_topic(request.name);
	if (command == NULL) {
		diag("unknown command '%s'; see 'ctprof --help'", request.name);
		return EXIT_USAGE;
	}
	if (!request.roff)
		return show(command);
	print_roff(command);
	return EXIT_DONE;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Output:", GROUP_MAIN),
	{"roff", 0, NULL, ARGUMENT_FLAG,
		"print the command's options as a section of a manual page",
		GROUP_MAIN, OF(roff)},
	{"columns", 0, NULL, ARGUMENT_FLAG, NULL, GROUP_MAIN, OF(columns)},
	ARGUMENT_HEADING("Other:", GROUP_OTHER),
};
/* clang-format on */

const struct command cmd_help = {
	.name = "help",
	.group = "About ctprof",
	.summary = "open a command's manual page",
	.arguments = {ARGUMENTS(options), .add = add, .check = check},
	.usage = "[COMMAND]",
	.help = "Open a command's manual page, or print its help.\v"
		"Examples:\n"
		"  ctprof help\n"
		"  ctprof help convert\n"
		"  ctprof help --roff stats | man -l -",
	.run = run,
};
