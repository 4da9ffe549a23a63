/* SPDX-License-Identifier: MIT */
/* One log of all processes of a run. */
#ifndef RUN_JOIN_H
#define RUN_JOIN_H

#include "record/run_logs.h"

/*
 * Appends the logs of the other processes to `log`, that of the first one, and
 * removes them, also from `logs`. A log stays if its process still records, if
 * it is not complete, or if a signal of spawn_has_signal() arrives.
 *
 * Errors: reported; returns an exit status. Each recording is then whole in one
 * file.
 */
int run_join(struct run_logs *logs, const char *log);

#endif
