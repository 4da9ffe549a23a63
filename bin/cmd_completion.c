/* SPDX-License-Identifier: MIT */
/* Prints a shell's completion script. */
#include "cli/command.h"

#include "cli/arguments.h"
#include "completion.h"

#define SHELLS "bash|zsh|fish"

struct request {
	unsigned shell;
	unsigned count;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (request->count++ != 0)
			argp_error(state, "one shell, please");
		request->shell =
			arguments_word(state, "the shell", SHELLS, arg);
		return 0;
	case ARGP_KEY_END:
		if (request->count == 0)
			argp_error(state, "for which shell: " SHELLS "?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(int argc, char **argv)
{
	/* In the order of SHELLS. */
	static void (*const printers[])(void) = {completion_print_bash,
		completion_print_zsh, completion_print_fish};
	struct request request = {0};

	arguments_parse(cmd_completion.argp, 0, argc, argv, &request);
	printers[request.shell]();
	return EXIT_DONE;
}

static const struct argp argp = {
	.parser = parse,
	.args_doc = SHELLS,
	.doc = "Print the completion script of a shell.\v"
	       "Examples:\n"
	       "  source <(ctprof completion bash)\n"
	       "  ctprof completion zsh >~/.zsh/_ctprof\n"
	       "  ctprof completion fish >~/.config/fish/completions/"
	       "ctprof.fish",
	.children = help_children,
};

const struct command cmd_completion = {
	.name = "completion",
	.group = "About ctprof",
	.summary = "print a shell's completion script",
	.argp = &argp,
	.run = run,
};
