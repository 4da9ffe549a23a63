/* SPDX-License-Identifier: MIT */
/*
 * ctprof SUBCOMMAND …, and the converters by their own names: X2Y, with formats
 * X and Y, is `ctprof convert -f X -t Y`. The content of the input decides the
 * format for ctp2Y, because its users have more than logs.
 */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "base/environment.h"
#include "base/machine.h"
#include "base/memory.h"
#include "input/format_names.h"
#include "cli/output.h"
#include "cli/diag.h"
#include "cli/suggestion.h"

static int refuse_unknown(const char *name)
{
	struct suggestion suggestion = {.word = name};

	for (const struct command *const *at = commands; *at != NULL; at++)
		suggestion_add(&suggestion, (*at)->name);
	if (suggestion.nearest != NULL)
		diag("unknown command '%s'; did you mean '%s'?", name,
			suggestion.nearest);
	else
		diag("unknown command '%s'; see 'ctprof --help'", name);
	return EXIT_USAGE;
}

static int run_converter(int argc, char **argv, const struct format *from,
	const struct format *to)
{
	char **given = calloc((size_t)argc + 3, sizeof(*given));
	char *from_option = NULL;
	char *to_option = NULL;
	int status = EXIT_LIMIT;

	if (given != NULL &&
		asprintf(&from_option, "--from=%s", from->name) >= 0 &&
		asprintf(&to_option, "--to=%s", to->name) >= 0) {
		given[0] = argv[0];
		int count = 1;

		if (from != &log_format)
			given[count++] = from_option;
		given[count++] = to_option;
		memcpy(given + count, argv + 1, (size_t)argc * sizeof(*argv));
		status = cmd_convert.run(argc + count - 1, given);
	} else {
		diag_no_memory(NULL);
	}
	free(given);
	free(from_option);
	free(to_option);
	return status;
}

/* Checks one half of a converter's name; reports why it is not valid. */
static bool refuse_format(const char *name, const char *half, bool is_input)
{
	const struct format *format = format_names_find(half);
	const char *nearest =
		format == NULL ? format_names_nearest(half) : NULL;

	if (nearest != NULL)
		diag("unknown command '%s': unknown format '%s'; did you mean "
		     "'%s'?",
			name, half, nearest);
	else if (format == NULL)
		diag("unknown command '%s': unknown format '%s'; see 'ctprof "
		     "formats'",
			name, half);
	else if (is_input && !format_can_read(format))
		diag("unknown command '%s': format %s is write-only; see "
		     "'ctprof formats'",
			name, half);
	else if (!is_input && !format_names_can_write(format))
		diag("unknown command '%s': format %s is read-only; see "
		     "'ctprof formats'",
			name, half);
	else
		return false;
	return true;
}

/* A name X2Y with at least one existing format is meant as a converter. */
static bool refuse_converter(const char *name)
{
	char first[FORMAT_NAMES_BYTES];

	for (const char *at = strchr(name, '2');
		at != NULL && at - name < (ptrdiff_t)sizeof(first);
		at = strchr(at + 1, '2')) {
		memcpy(first, name, (size_t)(at - name));
		first[at - name] = '\0';
		if ((format_names_find(first) != NULL ||
			    format_names_find(at + 1) != NULL) &&
			(refuse_format(name, first, true) ||
				refuse_format(name, at + 1, false)))
			return true;
	}
	return false;
}

static int run_command(int argc, char **argv)
{
	const struct command *command = command_find(argv[0]);
	char *name = NULL;
	int status;

	if (command == NULL)
		return refuse_unknown(argv[0]);
	if (asprintf(&name, "ctprof %s", command->name) < 0)
		return diag_no_memory(NULL);
	argv[0] = name; /* name in messages */
	status = command->run(argc, argv);
	free(name);
	return status;
}

static int run(int argc, char **argv)
{
	const struct format *from;
	const struct format *to;
	const char *base = argc == 0 ? "" : basename(argv[0]);

	if (argc > 0 && format_names_split_converter(base, &from, &to))
		return run_converter(argc, argv, from, to);
	if (argc > 0 && refuse_converter(base))
		return EXIT_USAGE;
	if (argc < 2) {
		diag("no command given; see 'ctprof --help'");
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0) {
		command_print_help();
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
		command_print_version();
		return EXIT_DONE;
	}
	if (argv[1][0] == '-') {
		diag("unknown option '%s' before the command; see 'ctprof "
		     "--help'",
			argv[1]);
		return EXIT_USAGE;
	}
	return run_command(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	int status;

	/* Programs that we run must not use the caller's environment either. */
	if (environment_is_refused())
		(void)clearenv();
	/* The parent may have ignored SIGCHLD, but we need our children's exit
	 * status. */
	(void)signal(SIGCHLD, SIG_DFL);
	memory_set_usual_limit(machine_memory_bytes("") / 4 * 3);
	status = run(argc, argv);
	if (status != EXIT_OUTPUT && output_finish_stdout() != EXIT_DONE)
		return EXIT_OUTPUT;
	return status;
}
