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

enum { KEY_DEBUG_DIR = KEY_OWN };

struct request {
	struct symbolizer symbolizer;
	const char *debug_directory; /* as given */
	char **paths;
	int count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;
	struct symbolizer *symbolizer = &request->symbolizer;

	switch (key) {
	case 'o':
		symbolizer->output = arguments_output(state, "--output", arg);
		return 0;
	case KEY_FORCE:
		symbolizer->force = true;
		return 0;
	case KEY_DEBUG_DIR:
		request->debug_directory = arg;
		return 0;
	case KEY_STRICT:
		symbolizer->strict = true;
		return 0;
	case 'q':
		symbolizer->quiet = true;
		return 0;
	case ARGP_KEY_ARGS:
		request->paths = state->argv + state->next;
		request->count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "no log given");
		return 0;
	case ARGP_KEY_END:
		if (symbolizer->output != NULL && request->count > 1)
			argp_error(state, "-o needs exactly one log");
		return symbolizer->output == NULL ||
				       output_protect(request->paths[0])
			       ? 0
			       : ENOMEM;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	char *directory = NULL;
	int worst = EXIT_DONE;

	arguments_parse(cmd_symbolize.argp, 0, argc, argv, &request);
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
static const struct argp_option options[] = {
	OPTION_HEADING("Output:", GROUP_OUTPUT),
	{"output", 'o', "FILE", 0,
		"write to this file (default: the log itself is replaced)",
		GROUP_OUTPUT},
	{"force", KEY_FORCE, NULL, 0,
		"overwrite a file that exists", GROUP_OUTPUT},
	OPTION_HEADING("Input:", GROUP_INPUT),
	{"debug-dir", KEY_DEBUG_DIR, "DIR", 0,
		"also search this directory for debug information, by build id "
		"and by name", GROUP_INPUT},
	{"strict", KEY_STRICT, NULL, 0,
		"exit with status 4 if a function remains without a name",
		GROUP_INPUT},
	OPTION_HEADING("Other:", GROUP_OTHER),
	{"quiet", 'q', NULL, 0, "print only errors", GROUP_OTHER},
	{NULL, 0, NULL, 0, NULL, 0},
};
/* clang-format on */

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "LOG...",
	.doc = "Add names, files and lines to functions recorded by address, "
	       "from their programs and shared libraries. 'ctprof record' does "
	       "this itself; this command does it later, with debug "
	       "information that was missing then.\vExamples:\n"
	       "  ctprof symbolize run.ctp\n"
	       "  ctprof symbolize --debug-dir=./debug run.ctp run.*.ctp\n"
	       "  ctprof symbolize -o named.ctp run.ctp",
	.children = help_children,
};

const struct command cmd_symbolize = {
	.name = "symbolize",
	.group = "Record",
	.summary = "give names to functions recorded by address",
	.argp = &argp,
	.run = run,
};
