/* SPDX-License-Identifier: MIT */
/* Completes logs whose recorders died, and says what came of it. */
#ifndef RECOVERY_H
#define RECOVERY_H

#include <stdbool.h>
#include <time.h>

#include "record/spawn.h"
#include "recover/recover.h"

struct recovery {
	const char *log;  /* the file, if it is not where the spool says */
	const char *name; /* what to call it; NULL: by its path */
	const char *how;  /* "the program was killed"; NULL: not known */
	const struct clock_sync *death; /* NULL: not known */
	bool quiet;
};

/* Completes the log of this spool, which is not busy. Errors: said, with an
 * exit status. */
int recovery_complete(
	struct spool_file *spool, const struct recovery *recovery);

/* Which process records to it, and what that means. */
void recovery_diag_busy(const struct spool_file *spool, const char *name);

/*
 * Completes the logs of a run that wrote to `output` since `start` and has
 * ended like this; what goes on recording is left alone.
 */
void recovery_after_run(const char *output, struct timespec start,
	const struct spawn_end *end, bool quiet);

#endif
