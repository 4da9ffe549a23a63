/* SPDX-License-Identifier: MIT */
/* Completes logs whose recorders died, and reports the result. */
#ifndef RECOVERY_H
#define RECOVERY_H

#include <stdbool.h>
#include <time.h>

#include "record/spawn.h"
#include "recover/recover.h"

struct recovery {
	const char *log;  /* the file, if not at the path in the spool */
	const char *name; /* name in messages; NULL: its path */
	const char *how;  /* "the program was killed"; NULL: unknown */
	const struct clock_sync *death; /* NULL: unknown */
	bool quiet;
};

/* Completes the log of this spool, which is not busy. Errors: reported; returns
 * an exit status. */
int recovery_complete(
	struct spool_file *spool, const struct recovery *recovery);

/* Reports which process is recording to the spool. */
void recovery_diag_busy(const struct spool_file *spool, const char *name);

/*
 * Completes the logs of a run that wrote to `output` since `start` and ended
 * with `end`; processes still recording are left alone.
 */
void recovery_after_run(const char *output, struct timespec start,
	const struct spawn_end *end, bool quiet);

#endif
