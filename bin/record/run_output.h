/* SPDX-License-Identifier: MIT */
/* The output of a recording: one log, or a file converted from it. */
#ifndef RUN_OUTPUT_H
#define RUN_OUTPUT_H

#include <stdbool.h>

#include "format.h"

struct run_output {
	const char *path;            /* as given */
	const struct format *format; /* NULL: the output is the log */
	char *log;                   /* the first process writes this one */
	bool force;
	bool separate;   /* each process has its own log */
	bool is_pattern; /* the name of each log is made from `log` */
};

/* Chooses the format by the suffix of `path`, and names the log. Errors:
 * reported; returns an exit status. */
int run_output_init(struct run_output *output);
/* The log that this process would write; free it. NULL if out of memory. */
char *run_output_own_log(const struct run_output *output);

void run_output_clear(struct run_output *output);

/* Converts the log, and removes it. Errors: reported; returns an exit status;
 * the log stays. */
int run_output_convert(const struct run_output *output);

#endif
