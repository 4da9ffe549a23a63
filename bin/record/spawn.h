/* SPDX-License-Identifier: MIT */
/* Runs a program as if it had been started directly: terminal, job control and
 * signals work as usual. */
#ifndef SPAWN_H
#define SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/clock.h"

struct spawn_end {
	int exec_errno; /* why it could not be started; 0: started */
	int status;     /* from waitpid(), if it was started */
	pid_t pid;
	sigset_t mask;           /* before */
	struct clock_sync death; /* when we noticed its end, by the counter */
};

/*
 * Starts the program, searched for in PATH, and waits for its end. With
 * `bound`, the program is killed if this process is.
 *
 * Errors: reported; returns an exit status; EXIT_DONE if `end` is set. Signals
 * to us then wait until spawn_take_signals().
 */
int spawn_run(char *const *argv, bool bound, struct spawn_end *end);

/* Discards signals so far: they were meant for the program. */
void spawn_discard_signals(void);

/* Whether a signal that ends this process has arrived since then. */
bool spawn_has_signal(void);

/* Lets signals arrive again. */
void spawn_take_signals(const struct spawn_end *end);

/* Ends this process by the signal that ended the child, so that a shell sees
 * the same; returns 128 + signal if that fails. */
int spawn_die_by_same_signal(int status);

#endif
