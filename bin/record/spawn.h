/* SPDX-License-Identifier: MIT */
/* Runs a program as if it had been started directly: terminal, job control and
 * signals work as usual. */
#ifndef SPAWN_H
#define SPAWN_H

#include <sys/types.h>

#include "base/clock.h"

struct spawn_end {
	int exec_errno; /* why it could not be started; 0: started */
	int status;     /* from waitpid(), if it was started */
	pid_t pid;
	struct clock_sync death; /* when we noticed its end, by the counter */
};

/* Starts the program, searched for in PATH, and waits for its end. Errors:
 * reported; returns an exit status; EXIT_DONE if `end` is set. */
int spawn_run(char *const *argv, struct spawn_end *end);

/* Ends this process by the signal that ended the child, so that a shell sees
 * the same; returns 128 + signal if that fails. */
int spawn_die_by_same_signal(int status);

#endif
