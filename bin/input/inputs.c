/* SPDX-License-Identifier: MIT */
#include "input/inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "base/memory.h"
#include "input/format_names.h"
#include "cli/output.h"

/* Keys of options without a short form. */
enum {
	KEY_FILES0_FROM = KEY_OWN,
	KEY_TRIM_PREFIX,
	KEY_MAX_MEM,
	KEY_JOIN,
	KEY_NAMES,
	KEY_EVENTS,
};

/* clang-format off */
static const struct argp_option options[] = {
	OPTION_HEADING("Input:", GROUP_INPUT),
	{"from", 'f', "FORMAT", 0,
		"format of the input (default: by its content)",
		GROUP_INPUT},
	{"files0-from", KEY_FILES0_FROM, "FILE", 0,
		"read the names of the inputs, each terminated by a zero byte, "
		"from FILE (-: standard input)", GROUP_INPUT},
	{"strict", KEY_STRICT, NULL, 0,
		"exit with status 4 if an input is damaged or incomplete",
		GROUP_INPUT},
	{"join", KEY_JOIN, INPUTS_JOIN, 0,
		"link GPU work in Chrome traces to the op with the same "
		"External id, to the caller with the same correlation, or to "
		"the right one of the two (auto, the default)",
		GROUP_INPUT},
	{"max-mem", KEY_MAX_MEM, "SIZE", 0,
		"give up with status 6 on an input that needs more memory than "
		"this (default: three quarters of the machine's or of the "
		"control group's, and 1 GiB + 64 times the size of the "
		"inputs; 0: no limit)",
		GROUP_INPUT},
	OPTION_HEADING("Other:", GROUP_OTHER),
	{"quiet", 'q', NULL, 0, "print only errors", GROUP_OTHER},
	{"verbose", 'v', NULL, 0,
		"also print what was left out or changed without harm",
		GROUP_OTHER},
	{"progress", KEY_PROGRESS, WHEN_VALUES, 0,
		"show progress on standard error (auto: on a terminal, after "
		"a second)", GROUP_OTHER},
	{NULL, 0, NULL, 0, NULL, 0},
};

/* clang-format on */

static error_t add_path(struct inputs *inputs, const char *path)
{
	if (!array_reserve(&inputs->paths, inputs->count, &inputs->room,
		    sizeof(*inputs->paths)))
		return ENOMEM;
	inputs->paths[inputs->count] = strdup(path);
	if (inputs->paths[inputs->count] == NULL)
		return ENOMEM;
	inputs->count++;
	return output_protect(path) ? 0 : ENOMEM;
}

static error_t read_names(
	struct inputs *inputs, FILE *in, const struct argp_state *state)
{
	char *name = NULL;
	size_t room = 0;
	error_t status = 0;

	errno = 0;
	while (status == 0 && getdelim(&name, &room, '\0', in) > 0) {
		if (name[0] == '\0')
			argp_failure(state, EXIT_USAGE, 0,
				"%s: contains an empty name",
				inputs->files0_from);
		status = add_path(inputs, name);
	}
	free(name);
	if (status == 0 && ferror(in))
		argp_failure(
			state, EXIT_INPUT, errno, "%s", inputs->files0_from);
	return status;
}

/* A second read of it would find nothing. */
static void check_stdin(const struct inputs *inputs,
	const struct argp_state *state, bool names_from_it)
{
	unsigned times = names_from_it;

	for (size_t i = 0; i < inputs->count; i++)
		times += strcmp(inputs->paths[i], "-") == 0;
	if (times > 1)
		argp_error(state, "standard input (-) can be read only once");
}

static error_t read_files0(
	struct inputs *inputs, const struct argp_state *state)
{
	bool from_stdin = strcmp(inputs->files0_from, "-") == 0;
	FILE *in = from_stdin ? stdin : fopen(inputs->files0_from, "re");
	error_t status;

	if (in == NULL) {
		argp_failure(
			state, EXIT_INPUT, errno, "%s", inputs->files0_from);
		return 0;
	}
	status = read_names(inputs, in, state);
	check_stdin(inputs, state, from_stdin);
	if (!from_stdin)
		(void)fclose(in);
	if (status == 0 && inputs->count == 0)
		argp_failure(state, EXIT_USAGE, 0, "%s: contains no name",
			inputs->files0_from);
	return status;
}

static error_t finish(struct inputs *inputs, const struct argp_state *state)
{
	if (inputs->files0_from != NULL) {
		if (inputs->count != 0)
			argp_error(state, "file names cannot be combined with "
					  "--files0-from");
		return read_files0(inputs, state);
	}
	check_stdin(inputs, state, false);
	if (inputs->count != 0)
		return 0;
	if (isatty(STDIN_FILENO))
		argp_error(state, "no input; name a file, or use - to read "
				  "from this terminal");
	return add_path(inputs, "-");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct inputs *inputs = state->input;

	switch (key) {
	case 'f':
		inputs->from = format_names_parse(state, "--from", arg);
		return 0;
	case KEY_FILES0_FROM:
		inputs->files0_from = arg;
		return output_protect(arg) ? 0 : ENOMEM;
	case KEY_STRICT:
		inputs->strict = true;
		return 0;
	case KEY_JOIN:
		inputs->request.join = (enum read_join)arguments_word(
			state, "--join", INPUTS_JOIN, arg);
		return 0;
	case KEY_MAX_MEM:
		memory_set_limit(arguments_size(state, "--max-mem", arg));
		return 0;
	case 'q':
		inputs->quiet = true;
		return 0;
	case 'v':
		inputs->verbose = true;
		return 0;
	case KEY_PROGRESS:
		inputs->progress = arguments_when(state, "--progress", arg);
		return 0;
	case ARGP_KEY_ARG:
		return add_path(inputs, arg);
	case ARGP_KEY_END:
		return finish(inputs, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp inputs_unnamed_argp = {
	.options = options,
	.parser = parse,
};

#define NAMES "full|short|mangled|qualified"

static const struct argp_option names_options[] = {
	{"events", KEY_EVENTS, "EVENT", 0,
		"the event of a profile that has several, such as Ir or "
		"alloc_space; 'ctprof info' lists them as costs (default: the "
		"first that measures time)",
		GROUP_INPUT},
	{"names", KEY_NAMES, NAMES, 0,
		"names of functions: as declared (the default), without C++ "
		"parameters, return types and template arguments, as linker "
		"symbols, or short but with Python's classes",
		GROUP_INPUT},
	{"trim-prefix", KEY_TRIM_PREFIX, NULL, 0,
		"strip the directories of Python's module search path from "
		"file names",
		GROUP_INPUT},
	{NULL, 0, NULL, 0, NULL, 0},
};

static error_t parse_names(int key, char *arg, struct argp_state *state)
{
	struct inputs *inputs = state->input;

	if (key == KEY_NAMES)
		inputs->request.names = (enum read_names)arguments_word(
			state, "--names", NAMES, arg);
	else if (key == KEY_TRIM_PREFIX)
		inputs->request.trim_prefix = true;
	else if (key == KEY_EVENTS)
		inputs->request.event = arg;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

static const struct argp names_argp = {
	.options = names_options,
	.parser = parse_names,
};

/* In the order of --help, with a command's own options first. */
static const struct argp_child both_children[] = {
	{&inputs_unnamed_argp, 0, NULL, 0}, {&names_argp, 0, NULL, 0}, {0}};

static error_t parse_both(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = state->input;
	state->child_inputs[1] = state->input;
	return 0;
}

const struct argp inputs_argp = {
	.parser = parse_both,
	.children = both_children,
};

const struct argp_child inputs_children[] = {
	{&inputs_argp, 0, NULL, 0}, {&help_argp, 0, NULL, 0}, {0}};

enum when inputs_progress(const struct inputs *inputs)
{
	return inputs->quiet ? WHEN_NEVER : inputs->progress;
}

void inputs_clear(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->paths[i]);
	memory_free(inputs->paths);
	*inputs = (struct inputs){0};
}
