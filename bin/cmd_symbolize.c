/* SPDX-License-Identifier: MIT */
/* Adds names to functions that a log has only by address. */
#include "cli/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/diag.h"
#include "record/symbolizer.h"

struct request {
	struct symbolizer symbolizer;
	const char *debug_directory; /* as given */
	char **paths;
	int count;
};

static error_t add(void *structure, char *text, struct argp_state *state)
{
	struct request *request = structure;

	(void)text;
	if (request->count++ == 0)
		request->paths = &state->argv[state->next - 1];
	return 0;
}

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;
	const char *output = request->symbolizer.output;

	if (request->count == 0)
		argp_error(state, "no log given");
	if (output != NULL && request->count > 1)
		argp_error(state, "-o needs exactly one log");
	return output == NULL || output_protect(request->paths[0]) ? 0 : ENOMEM;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	char *directory = NULL;
	int worst = EXIT_DONE;

	arguments_parse(&cmd_symbolize, argc, argv, &request);
	if (request.debug_directory != NULL) {
		directory = realpath(request.debug_directory, NULL);
		if (directory == NULL) {
			diag("%s: %s", request.debug_directory,
				strerror(errno));
			return EXIT_USAGE;
		}
		request.symbolizer.debug_directory = directory;
	}
	for (int i = 0; i < request.count; i++) {
		int status =
			symbolizer_run(&request.symbolizer, request.paths[i]);

		worst = exit_worse(worst, status);
	}
	free(directory);
	return worst;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Output:", GROUP_OUTPUT),
	{"output", 'o', "FILE", ARGUMENT_OUTPUT,
		"write to this file (default: the log itself is replaced)",
		GROUP_OUTPUT, OF(symbolizer.output)},
	{"force", 0, NULL, ARGUMENT_FLAG, "overwrite a file that exists",
		GROUP_OUTPUT, OF(symbolizer.force)},
	ARGUMENT_HEADING("Input:", GROUP_INPUT),
	{"debug-dir", 0, "DIR", ARGUMENT_TEXT,
		"also search this directory for debug information, by build id "
		"and by name", GROUP_INPUT, OF(debug_directory)},
	{"strict", 0, NULL, ARGUMENT_FLAG,
		"exit with status 4 if a function remains without a name",
		GROUP_INPUT, OF(symbolizer.strict)},
	ARGUMENT_HEADING("Other:", GROUP_OTHER),
	{"quiet", 'q', NULL, ARGUMENT_FLAG, "print only errors", GROUP_OTHER,
		OF(symbolizer.quiet)},
};
/* clang-format on */

const struct command cmd_symbolize = {
	.name = "symbolize",
	.group = "Record",
	.summary = "give names to functions recorded by address",
	.arguments = {ARGUMENTS(options), .add = add, .check = check},
	.usage = "LOG...",
	.help = "Add names, files and lines to functions recorded by address, "
		"from their programs and shared libraries. 'ctprof record' "
		"does "
		"this itself; this command does it later, with debug "
		"information that was missing then.\vExamples:\n"
		"  ctprof symbolize run.ctp\n"
		"  ctprof symbolize --debug-dir=./debug run.ctp\n"
		"  ctprof symbolize -o named.ctp run.ctp",
	.run = run,
};
