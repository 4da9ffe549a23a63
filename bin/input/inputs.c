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

bool inputs_insert(struct inputs *inputs, size_t at, const char *path)
{
	char *added;

	if (add_path(inputs, path) != 0)
		return false;
	added = inputs->paths[inputs->count - 1];
	memmove(&inputs->paths[at + 1], &inputs->paths[at],
		(inputs->count - 1 - at) * sizeof(*inputs->paths));
	inputs->paths[at] = added;
	return true;
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

static error_t add(void *structure, char *text, struct argp_state *state)
{
	(void)state;
	return add_path(structure, text);
}

static error_t finish_paths(
	struct inputs *inputs, const struct argp_state *state)
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

static error_t finish(void *structure, const struct argp_state *state)
{
	struct inputs *inputs = structure;
	error_t failed = finish_paths(inputs, state);

	/* Many inputs may be open at a time, each with its threads. */
	if (inputs->count > 2)
		inputs->request.jobs = 1;
	return failed;
}

static void set_max_mem(const struct argument_value *value)
{
	memory_set_limit(argument_size(value));
}

void inputs_read_edge_times(const struct argument_value *value)
{
	*(bool *)value->member = argument_word(value) == 0;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct inputs, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Input:", GROUP_INPUT),
	{"from", 'f', "FORMAT", ARGUMENT_CALL,
		"format of the input (default: by its content)", GROUP_INPUT,
		OF(from), .call = format_names_read},
	{"files0-from", 0, "FILE", ARGUMENT_INPUT,
		"read the names of the inputs, each terminated by a zero byte, "
		"from FILE (-: standard input)", GROUP_INPUT, OF(files0_from)},
	{"strict", 0, NULL, ARGUMENT_FLAG,
		"exit with status 4 if an input is damaged or incomplete",
		GROUP_INPUT, OF(strict)},
	{"join", 0, INPUTS_JOIN, ARGUMENT_WORD,
		"link GPU work in Chrome traces to the op with the same "
		"External id, to the caller with the same correlation, or to "
		"the right one of the two (auto, the default)", GROUP_INPUT,
		OF(request.join)},
	{"max-mem", 0, "SIZE", ARGUMENT_CALL,
		"give up with status 6 on an input that needs more memory than "
		"this (default: three quarters of the machine's or of the "
		"control group's, and 1 GiB + 64 times the size of the inputs; "
		"0: no limit)", GROUP_INPUT, .call = set_max_mem},
	ARGUMENT_HEADING("Other:", GROUP_OTHER),
	{"quiet", 'q', NULL, ARGUMENT_FLAG, "print only errors", GROUP_OTHER,
		OF(quiet)},
	{"verbose", 'v', NULL, ARGUMENT_FLAG,
		"also print what was left out or changed without harm",
		GROUP_OTHER, OF(verbose)},
	{"progress", 0, WHEN_VALUES, ARGUMENT_WORD,
		"show progress on standard error (auto: on a terminal, after a "
		"second)", GROUP_OTHER, OF(progress)},
};

const struct arguments inputs_unnamed_arguments = {
	ARGUMENTS(options), .add = add, .check = finish};

static const struct argument all_options[] = {
	ARGUMENTS_OF(&inputs_unnamed_arguments, .offset = 0),
	{"events", 0, "EVENT", ARGUMENT_TEXT,
		"the event of a profile that has several, such as Ir or "
		"alloc_space; 'ctprof info' lists them as costs (default: the "
		"first that measures time)", GROUP_INPUT, OF(request.event)},
	{"names", 0, "full|short|mangled|qualified", ARGUMENT_WORD,
		"names of functions: as declared (the default), without C++ "
		"parameters, return types and template arguments, as linker "
		"symbols, or short but with Python's classes", GROUP_INPUT,
		OF(request.names)},
	{"trim-prefix", 0, NULL, ARGUMENT_FLAG,
		"strip the directories of Python's module search path from "
		"file names", GROUP_INPUT, OF(request.trim_prefix)},
};
/* clang-format on */

const struct arguments inputs_arguments = {ARGUMENTS(all_options)};

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
