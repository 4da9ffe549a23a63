/* SPDX-License-Identifier: MIT */
#include "view/opener.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/memory.h"
#include "cli/diag.h"

static bool is_set(const char *name)
{
	const char *value = environment_find(name);

	return value != NULL && *value != '\0';
}

bool opener_has_display(void)
{
	return is_set("DISPLAY") || is_set("WAYLAND_DISPLAY");
}

/* Starts it in a session of its own, so that it outlives the terminal; returns
 * an error number. */
static int start(char *program, char *address)
{
	char *argv[] = {program, address, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	pid_t pid;
	int error = posix_spawn_file_actions_init(&actions);

	if (error != 0)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (error == 0) {
		(void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
		(void)posix_spawn_file_actions_addopen(
			&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
		(void)posix_spawn_file_actions_adddup2(
			&actions, STDIN_FILENO, STDOUT_FILENO);
		(void)posix_spawn_file_actions_adddup2(
			&actions, STDIN_FILENO, STDERR_FILENO);
		error = posix_spawnp(
			&pid, program, &actions, &attributes, argv, environ);
		(void)posix_spawnattr_destroy(&attributes);
	}
	(void)posix_spawn_file_actions_destroy(&actions);
	return error;
}

bool opener_open(char *address)
{
	/* The first of a list. */
	const char *named =
		is_set("BROWSER") ? environment_find("BROWSER") : "xdg-open";
	char *program = memory_copy_text(named, strcspn(named, ":"));
	int error;

	if (program == NULL) {
		diag_no_memory(NULL);
		return false;
	}
	error = start(program, address);
	if (error != 0)
		diag("cannot run %s: %s; open the page by hand", program,
			strerror(error));
	memory_free(program);
	return error == 0;
}
