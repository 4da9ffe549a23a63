/* SPDX-License-Identifier: MIT */
/* Completes logs whose recorders died, and reports the result. */
#ifndef RECOVERY_H
#define RECOVERY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "record/run_logs.h"
#include "record/spawn.h"
#include "recover/recover.h"

struct recovery {
	const char *log;  /* the file, if not at the path in the spool */
	const char *name; /* name in messages; NULL: its path */
	const char *how;  /* "the program was killed"; NULL: unknown */
	const struct clock_sync *death; /* NULL: unknown */
	bool quiet;
	/* Counts an ordinary completion instead of reporting it; NULL: no. */
	struct recovery_counts *counts;
};

struct recovery_counts {
	uint64_t logs;
	uint64_t events;
};

/* Completes the log of this spool, which is not busy. Errors: reported; returns
 * an exit status. */
int recovery_complete(
	struct spool_file *spool, const struct recovery *recovery);

/* Reports which process is recording to the spool. */
void recovery_diag_busy(const struct spool_file *spool, const char *name);

/* A run that has ended. */
struct recovery_run {
	struct run_target target;
	struct timespec start;
	const struct spawn_end *end;
	bool quiet;
	bool joins; /* logs will be joined: one line for all children */
	bool brief; /* without that line */
};

/* Completes the logs of a run; processes still recording are left alone, and
 * added to the busy ones of `logs`. */
void recovery_after_run(
	struct run_logs *logs, const struct recovery_run *given);

#endif
