/* SPDX-License-Identifier: MIT */
/* Records a Python process that runs already. */
#ifndef ATTACH_H
#define ATTACH_H

#include "record/python.h"
#include "record/spawn.h"

struct attach {
	const struct python *python; /* the process, and the options */
	const char *log;             /* of the process */
	const char *out;             /* the same, for ctp_start() */
	bool quiet;
};

/*
 * Records the process until it ends, the time is over or a signal arrives.
 *
 * Errors: reported; returns an exit status. `has_log` is set if there is a log,
 * complete or of a process that has ended. Signals to us wait until
 * spawn_take_signals().
 */
int attach_run(
	const struct attach *attach, struct spawn_end *end, bool *has_log);

#endif
