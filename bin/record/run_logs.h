/* SPDX-License-Identifier: MIT */
/* The logs of a recording: RUN.ctp of the first process, and RUN.PID.ctp of its
 * children. */
#ifndef RUN_LOGS_H
#define RUN_LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The absolute path; free it. NULL if out of memory. */
char *run_logs_absolute(const char *path);

/* Whether each process gets a log of its own by the name: it contains %p, the
 * process, %h, the host, or %r, the rank. */
bool run_logs_is_pattern(const char *path);

/* Where a recording writes its logs. */
struct run_target {
	const char *path; /* of the first log */
	bool is_pattern;  /* as in run_logs_is_pattern() */
};

/* Whether a recording to the target may have made `log`. Both are absolute. */
bool run_logs_belongs_to(const char *log, const struct run_target *target);

struct run_logs {
	char **paths;
	size_t count;
	size_t room;
	char **busy; /* absolute paths of logs that are still written */
	size_t busy_count;
	size_t busy_room;
	bool refused;  /* the program could not be recorded, as reported */
	size_t joined; /* logs that are in the first one; 0: not joined */
};

/* The process number in the name of a log beside `log`; -1 if it has no
 * number. */
int64_t run_logs_pid(const char *path, const char *log);

/* A process still records to this log. Errors: reported. */
void run_logs_add_busy(struct run_logs *logs, const char *absolute);

/* Adds the logs of the recording that changed since `start`, of
 * CLOCK_REALTIME_COARSE: the clock of file times. The first is that of the first
 * process, if it is there. */
void run_logs_find(struct run_logs *logs, const struct run_target *target,
	struct timespec start);
void run_logs_clear(struct run_logs *logs);

/* Whether there are logs, and no process still writes to one. */
bool run_logs_are_complete(const struct run_logs *logs);

/* Adds names to functions known by address. Errors: reported. */
void run_logs_symbolize(const struct run_logs *logs, bool quiet);

/* Compresses logs of level 0. Errors: reported; returns an exit status. */
int run_logs_compress(const struct run_logs *logs);

struct run_logs_options {
	bool gpu;   /* report if no GPU was used */
	bool brief; /* report only problems */
	bool verbose;
};

/* Reports the contents and losses of each log. */
void run_logs_report(
	const struct run_logs *logs, const struct run_logs_options *options);

#endif
