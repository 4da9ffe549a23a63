/* SPDX-License-Identifier: MIT */
#include "recorder/dump_signal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

#include "recorder/session_state.h"

static _Atomic bool wanted;

/* Stores and a system call: a handler may do no more. */
static void on_signal(int number)
{
	const int before = errno;

	(void)number;
	if (session_is_own()) {
		atomic_store(&wanted, true);
		spool_wake(session_spool());
	}
	errno = before;
}

void dump_signal_watch(int number)
{
	struct sigaction found;
	struct sigaction ours = {
		.sa_handler = on_signal, .sa_flags = SA_RESTART};

	(void)sigemptyset(&ours.sa_mask);
	if (number == 0 || sigaction(number, NULL, &found) != 0 ||
		(found.sa_flags & SA_SIGINFO) != 0 ||
		found.sa_handler != SIG_DFL)
		return;
	(void)sigaction(number, &ours, NULL);
}

bool dump_signal_take(void)
{
	return atomic_exchange(&wanted, false);
}
