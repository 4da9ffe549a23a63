/* SPDX-License-Identifier: MIT */
/* The logs of a recording: RUN.ctp of the first process, and RUN.PID.ctp of its
 * children. */
#ifndef RUN_LOGS_H
#define RUN_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* The absolute path; free it. NULL if out of memory. */
char *run_logs_absolute(const char *path);

/* Whether a recording to `output` may have made `log`. Both are absolute. */
bool run_logs_belongs_to(const char *log, const char *output);

struct run_logs_options {
	struct timespec start; /* CLOCK_REALTIME_COARSE: clock of file times */
	bool symbolize;        /* add names to functions known by address */
	bool gpu;              /* report if no GPU was used */
	bool quiet;
	bool verbose;
};

/* Finishes each log and reports its contents and losses. Only files changed
 * since `start` count. Returns their number. */
size_t run_logs_report(
	const char *path, const struct run_logs_options *options);

#endif
