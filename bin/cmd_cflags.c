/* SPDX-License-Identifier: MIT */
/*
 * Prints the flags that make a compiler instrument functions. The compiler is
 * run to find out which flags it accepts: its name is not reliable, since cc
 * may be any compiler.
 */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"
#include "cli/arguments.h"
#include "cli/diag.h"

/* Words of a compiler's command, such as "ccache gcc". */
#define WORDS_MAX 16
#define FLAGS_MAX 2
#define BLANKS " \t\n"

/* The best first. Both leave out the small functions of the standard library:
 * clang instruments after inlining, gcc skips the headers. */
static const char *const choices[][FLAGS_MAX] = {
	{"-finstrument-functions-after-inlining"},
	{"-finstrument-functions",
		"-finstrument-functions-exclude-file-list=/usr/include"},
};

#define CHOICES (sizeof(choices) / sizeof(choices[0]))

struct compiler {
	const char *name; /* as given */
	char *words[WORDS_MAX];
	size_t count;
};

/* Splits the name at blanks, as make does. Changes `text`. */
static bool split(struct compiler *compiler, char *text)
{
	char *rest = NULL;

	for (char *word = strtok_r(text, BLANKS, &rest); word != NULL;
		word = strtok_r(NULL, BLANKS, &rest)) {
		if (compiler->count == WORDS_MAX)
			return false;
		compiler->words[compiler->count++] = word;
	}
	return compiler->count != 0;
}

/* Runs the command without its output. Returns its status from waitpid(), or -1
 * with errno set if it cannot be run. */
static int run_silently(char **argv)
{
	posix_spawn_file_actions_t actions;
	int status = -1;
	pid_t pid;
	int error = posix_spawn_file_actions_init(&actions);

	if (error == 0) {
		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			(void)posix_spawn_file_actions_addopen(
				&actions, fd, "/dev/null", O_RDWR, 0);
		error = posix_spawnp(
			&pid, argv[0], &actions, NULL, argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	if (error != 0) {
		errno = error;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* Compiles an empty file of this language. Returns as run_silently(). */
static int compile(const struct compiler *compiler,
	const char *const flags[FLAGS_MAX], const char *language)
{
	const char *const empty[] = {
		"-fsyntax-only", "-x", language, "/dev/null"};
	char *argv[WORDS_MAX + FLAGS_MAX + sizeof(empty) / sizeof(empty[0]) +
		   1] = {NULL};
	size_t count = compiler->count;

	memcpy(argv, compiler->words, count * sizeof(*argv));
	for (size_t i = 0; i < FLAGS_MAX && flags[i] != NULL; i++)
		argv[count++] = (char *)(uintptr_t)flags[i];
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
		argv[count++] = (char *)(uintptr_t)empty[i];
	return run_silently(argv);
}

/* Returns as run_silently(). C++ is tried too, since the name may contain
 * options such as -std=c++20. */
static int try_flags(
	const struct compiler *compiler, const char *const flags[FLAGS_MAX])
{
	int status = compile(compiler, flags, "c");

	return status > 0 ? compile(compiler, flags, "c++") : status;
}

static int print_flags(const struct compiler *compiler)
{
	for (size_t i = 0; i < CHOICES; i++) {
		int status = try_flags(compiler, choices[i]);

		if (status == -1) {
			diag("%s: cannot run: %s", compiler->name,
				strerror(errno));
			return EXIT_INPUT;
		}
		if (status != 0)
			continue;
		printf("-g");
		for (size_t j = 0; j < FLAGS_MAX && choices[i][j] != NULL; j++)
			printf(" %s", choices[i][j]);
		printf("\n");
		return EXIT_DONE;
	}
	diag("%s: does not accept -finstrument-functions; use gcc or clang",
		compiler->name);
	return EXIT_INPUT;
}

static int run(int argc, char **argv)
{
	struct compiler compiler = {.name = environment_find("CC")};
	char *text;
	int status = EXIT_USAGE;

	if (compiler.name == NULL || compiler.name[0] == '\0')
		compiler.name = "cc";
	arguments_parse(&cmd_cflags, argc, argv, &compiler);
	text = strdup(compiler.name);
	if (text == NULL)
		return diag_no_memory(NULL);
	if (split(&compiler, text))
		status = print_flags(&compiler);
	else
		diag("'%s' is not the name of a compiler", compiler.name);
	free(text);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct compiler, member)
static const struct argument options[] = {
	ARGUMENT_HEADING("Input:", GROUP_INPUT),
	{"cc", 0, "COMPILER", ARGUMENT_TEXT,
		"print the flags for this compiler (default: the environment "
		"variable CC, or cc)", GROUP_INPUT, OF(name)},
	ARGUMENT_HEADING("Other:", GROUP_OTHER),
};
/* clang-format on */

const struct command cmd_cflags = {
	.name = "cflags",
	.group = "Record",
	.summary = "print the compiler's flags for recording functions",
	.arguments = {ARGUMENTS(options)},
	.help = "Print the compiler's flags for 'ctprof record': they "
		"instrument functions, but not the small ones of the C++ "
		"library.\vExamples:\n"
		"  cc -O2 $(ctprof cflags --cc=cc) program.c -o program\n"
		"  g++ -O2 $(ctprof cflags --cc=g++) program.cc -o program\n"
		"  make CXX=clang++ CXXFLAGS=\"-O2 $(ctprof cflags "
		"--cc=clang++)\"",
	.run = run,
};
