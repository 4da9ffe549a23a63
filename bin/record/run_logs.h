/* SPDX-License-Identifier: MIT */
/* The logs that a recording has left: RUN.ctp of the first process, and
 * RUN.PID.ctp of its children beside it. */
#ifndef RUN_LOGS_H
#define RUN_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* The path from the root; free it. NULL if out of memory. */
char *run_logs_absolute(const char *path);

/* Is `log` one that a recording to `output` may have made? Both from the
 * root. */
bool run_logs_belongs_to(const char *log, const char *output);

struct run_logs_options {
	struct timespec start; /* CLOCK_REALTIME_COARSE: of file times */
	bool symbolize;        /* give names to functions known by address */
	bool gpu;              /* say if no GPU was used */
	bool quiet;
	bool verbose;
};

/* Finishes each log that was left and says how much is in it and what was lost.
 * Only files that changed since `start` count. Returns how many there are. */
size_t run_logs_report(
	const char *path, const struct run_logs_options *options);

#endif
