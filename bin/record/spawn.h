/* SPDX-License-Identifier: MIT */
/* Runs a program as if it had been started without us: its terminal, job
 * control and signals stay its own. */
#ifndef SPAWN_H
#define SPAWN_H

#include <sys/types.h>

#include "base/clock.h"

struct spawn_end {
	int exec_errno; /* why it could not be started; 0: it was */
	int status;     /* as from waitpid(), if it was started */
	pid_t pid;
	struct clock_sync death; /* by the counter: when we heard of it */
};

/* Starts the program, which is looked for in PATH, and waits for its end.
 * Errors: said, with an exit status; EXIT_DONE if there is an `end`. */
int spawn_run(char *const *argv, struct spawn_end *end);

/* Ends this process by the signal that ended the child, so that a shell sees
 * what it would have seen; returns 128 + signal if that does not work. */
int spawn_die_by_same_signal(int status);

#endif
