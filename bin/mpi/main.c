/* SPDX-License-Identifier: MIT */
/*
 * mpirun ctprof-mpi COMMAND … is `ctprof COMMAND …` by all processes of an MPI
 * job, for commands that add inputs up. It is a program of its own so that the
 * usual one needs no MPI.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/machine.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/diag.h"
#include "cli/output.h"
#include "cli/quantity.h"
#include "mpi/reader.h"
#include "mpi/team.h"

/* A command whose run() adds up all inputs once: aggregate_run(). */
static const struct team_command {
	const struct command *command;
	const char *title; /* in messages */
	char *option;      /* that makes it add them up; NULL: it always does */
} commands_here[] = {
	/* The first one needs no name. */
	{&cmd_summarize, "ctprof-mpi", NULL},
	{&cmd_stats, "ctprof-mpi stats", NULL},
	{&cmd_phases, "ctprof-mpi phases", NULL},
	{&cmd_ranks, "ctprof-mpi ranks", NULL},
	{&cmd_kernels, "ctprof-mpi kernels", (char[]){"--sum"}},
	{&cmd_gaps, "ctprof-mpi gaps", (char[]){"--sum"}},
	{&cmd_info, "ctprof-mpi info", (char[]){"--sum"}},
	{&cmd_report, "ctprof-mpi report", (char[]){"--sum"}},
};
#define COMMAND_COUNT (sizeof(commands_here) / sizeof(commands_here[0]))

static const char help[] =
	"Usage: mpirun [OPTION...] ctprof-mpi [OPTION...] [COMMAND] "
	"[ARGUMENT...]\n"
	"Run a command of ctprof by all processes of an MPI job: each reads "
	"some of the\n"
	"inputs, and the first one writes their sum.\n"
	"\n"
	"Commands (kernels, gaps, info and report imply --sum):\n";

static const char options_help[] =
	"\n"
	"Options before the command:\n"
	"  --checkpoint=DIR   write parts of the sums to DIR, so that another "
	"job can\n"
	"                     continue this one after an accident\n"
	"  --resume=DIR       continue the job that wrote this checkpoint; the "
	"command,\n"
	"                     its options and its inputs must be the same\n"
	"  --every=TIME       time between the parts (default: 60s)\n"
	"\n"
	"Other options are those of the command; see 'ctprof COMMAND "
	"--help'.\n";

/* The arguments, and what else is in them. */
struct request {
	struct team_options team;
	char problem[256]; /* of the options; "": none */
	int argc;
	char **argv;
};

static void print_help(void)
{
	fputs(help, stdout);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		printf("  %-10s %s%s\n", commands_here[i].command->name,
			commands_here[i].command->summary,
			i == 0 ? " (the default)" : "");
	fputs(options_help, stdout);
}

static const struct team_command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(name, commands_here[i].command->name) == 0)
			return &commands_here[i];
	return NULL;
}

/* Whether the next argument is --NAME=VALUE or --NAME VALUE, which it removes. */
static bool take_option(
	struct request *request, const char *name, const char **value)
{
	const char *text = request->argc > 1 ? request->argv[1] : "";
	size_t size = strlen(name);
	int taken = 1;

	if (strncmp(text, "--", 2) != 0 || strncmp(text + 2, name, size) != 0)
		return false;
	text += 2 + size;
	if (*text == '=') {
		*value = text + 1;
	} else if (*text == '\0' && request->argc > 2) {
		*value = request->argv[2];
		taken = 2;
	} else {
		return false;
	}
	request->argc -= taken;
	request->argv += taken;
	return true;
}

static void take_options(struct request *request)
{
	struct checkpoint *checkpoint = &request->team.checkpoint;
	const char *value;

	for (;;) {
		if (take_option(request, "every", &value)) {
			if (!quantity_read_time(value, &request->team.round_ns))
				(void)snprintf(request->problem,
					sizeof(request->problem),
					"--every: '%s' is not a time (60s, 5m)",
					value);
			continue;
		}
		if (take_option(request, "checkpoint", &value))
			checkpoint->resumes = false;
		else if (take_option(request, "resume", &value))
			checkpoint->resumes = true;
		else
			break;
		if (checkpoint->directory != NULL || *value == '\0')
			(void)snprintf(request->problem,
				sizeof(request->problem),
				"--checkpoint and --resume: one directory is "
				"needed");
		checkpoint->directory = value;
	}
}

static bool reads_names_from_stdin(const struct request *request)
{
	static const char option[] = "--files0-from";
	size_t size = strlen(option);

	for (int i = 1; i < request->argc; i++) {
		const char *text = request->argv[i];

		if (strncmp(text, option, size) == 0 &&
			(strcmp(text + size, "=-") == 0 ||
				(text[size] == '\0' && i + 1 < request->argc &&
					strcmp(request->argv[i + 1], "-") ==
						0)))
			return true;
	}
	return false;
}

static int run(int argc, char **argv)
{
	const struct team_command *command =
		argc > 1 ? find_command(argv[1]) : NULL;
	char **arguments = calloc((size_t)argc + 3, sizeof(*arguments));
	int count = 0;
	int begin = command == NULL ? 1 : 2;
	int status;

	if (arguments == NULL)
		return diag_no_memory(NULL);
	if (command == NULL)
		command = &commands_here[0];
	arguments[count++] = (char *)(uintptr_t)command->title;
	if (command->option != NULL)
		arguments[count++] = command->option;
	for (int i = begin; i < argc; i++)
		arguments[count++] = argv[i];
	status = command->command->run(count, arguments);
	free(arguments);
	return status;
}

int main(int argc, char **argv)
{
	struct request request = {.argc = argc, .argv = argv};
	int started;
	int status;

	if (environment_is_refused())
		(void)clearenv();
	(void)signal(SIGCHLD, SIG_DFL);
	memory_set_usual_limit(machine_memory_bytes("") / 4 * 3);
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 ||
				 strcmp(argv[1], "-h") == 0)) {
		print_help();
		return output_finish_stdout();
	}
	take_options(&request);
	if (reads_names_from_stdin(&request))
		(void)snprintf(request.problem, sizeof(request.problem),
			"--files0-from: standard input reaches only one "
			"process; use a file");
	started = reader_start(request.argc, request.argv, run);
	status = team_start(&argc, &argv, &request.team);
	if (status == EXIT_DONE)
		status = started;
	if (status == EXIT_DONE && request.problem[0] != '\0') {
		diag("%s", request.problem);
		status = EXIT_USAGE;
	}
	if (status == EXIT_DONE)
		status = run(request.argc, request.argv);
	if (status != EXIT_OUTPUT && output_finish_stdout() != EXIT_DONE)
		status = EXIT_OUTPUT;
	return team_end(status);
}
