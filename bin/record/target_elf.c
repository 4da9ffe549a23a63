/* SPDX-License-Identifier: MIT */
/*
 * The program's own dynamic linker is run by name to list the libraries. So the
 * program itself never runs, whereas LD_TRACE_LOADED_OBJECTS would run a static
 * program.
 */
#include "record/target_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "base/environment.h"
#include "record/run_logs.h"
#include "base/memory.h"
#include "cli/diag.h"
#include "symbols/elf_file.h"

#define PATH_BYTES 4096

char *target_elf_find(const char *name)
{
	const char *search = environment_find("PATH");
	char path[PATH_BYTES];

	if (strchr(name, '/') != NULL)
		return realpath(name, NULL);
	for (const char *at = search; at != NULL;) {
		size_t size = strcspn(at, ":");

		if (snprintf(path, sizeof(path), "%.*s/%s",
			    size == 0 ? 1 : (int)size, size == 0 ? "." : at,
			    name) < (int)sizeof(path) &&
			access(path, X_OK) == 0)
			return realpath(path, NULL);
		at = at[size] == ':' ? at + size + 1 : NULL;
	}
	return NULL;
}

/* Takes over `path`; false if it is NULL or there is no memory. */
static bool add(struct target_elf_modules *modules, char *path)
{
	if (path == NULL || !array_reserve(&modules->paths, modules->count,
				    &modules->room, sizeof(*modules->paths))) {
		free(path);
		return false;
	}
	modules->paths[modules->count++] = path;
	return true;
}

/* Reads the program's dynamic linker; false for a static program or a script. */
static bool read_interpreter(const char *path, char *out)
{
	struct elf_file *file;
	bool found;
	int fd;

	if (elf_open(path, &fd, NULL) != CTP_OK)
		return false;
	if (elf_file_new(fd, &file, NULL) != CTP_OK) {
		(void)close(fd);
		return false;
	}
	found = elf_file_interpreter(file, out, PATH_BYTES);
	elf_file_free(file);
	return found;
}

/* "\tlibfoo.so.1 => /usr/lib/libfoo.so.1 (0x00007f0000000000)" and the like. An
 * entry without a path is not a file, or not found. */
static bool add_line(struct target_elf_modules *modules, char *line)
{
	char *arrow = strstr(line, " => ");
	char *path = arrow == NULL ? line + strspn(line, "\t ") : arrow + 4;
	char *end = strstr(path, " (0x");

	if (end == NULL || memchr(path, '/', (size_t)(end - path)) == NULL)
		return true;
	*end = '\0';
	return add(modules, run_logs_absolute(path));
}

/* False if out of memory. */
static bool read_lines(struct target_elf_modules *modules, int from)
{
	FILE *in = fdopen(from, "r");
	char *line = NULL;
	size_t room = 0;
	bool done = true;

	if (in == NULL) {
		(void)close(from);
		return false;
	}
	while (done && getline(&line, &room, in) > 0)
		done = add_line(modules, line);
	free(line);
	(void)fclose(in);
	return done;
}

static bool list_libraries(struct target_elf_modules *modules,
	const char *interpreter, const char *path)
{
	char list[] = "--list";
	char *const argv[] = {(char *)(uintptr_t)interpreter, list,
		(char *)(uintptr_t)path, NULL};
	posix_spawn_file_actions_t actions;
	bool done = true;
	int pipes[2];
	pid_t pid;
	int error;

	if (pipe2(pipes, O_CLOEXEC) != 0)
		return false;
	error = posix_spawn_file_actions_init(&actions);
	if (error == 0) {
		(void)posix_spawn_file_actions_adddup2(
			&actions, pipes[1], STDOUT_FILENO);
		(void)posix_spawn_file_actions_addopen(
			&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
		error = posix_spawn(
			&pid, interpreter, &actions, NULL, argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	(void)close(pipes[1]);
	if (error != 0) {
		(void)close(pipes[0]);
		return true;
	}
	done = read_lines(modules, pipes[0]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return done;
}

int target_elf_modules_list(
	struct target_elf_modules *modules, const char *path)
{
	char interpreter[PATH_BYTES];

	*modules = (struct target_elf_modules){0};
	if (add(modules, strdup(path)) &&
		(!read_interpreter(path, interpreter) ||
			list_libraries(modules, interpreter, path)))
		return EXIT_DONE;
	target_elf_modules_clear(modules);
	diag("%s: cannot list its libraries: %s", path, strerror(errno));
	return EXIT_LIMIT;
}

void target_elf_modules_clear(struct target_elf_modules *modules)
{
	for (size_t i = 0; i < modules->count; i++)
		free(modules->paths[i]);
	memory_free(modules->paths);
	*modules = (struct target_elf_modules){0};
}
