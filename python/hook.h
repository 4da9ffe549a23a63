/* SPDX-License-Identifier: MIT */
/*
 * Two sources of call events: the monitoring of Python 3.12, which other tools
 * can use at the same time, and the older profile function.
 */
#ifndef PYTHON_HOOK_H
#define PYTHON_HOOK_H

#include "tracer.h"

/* Sets the hook in all threads, including future ones; and removes it. -1 with
 * an exception. */
int hook_monitoring_start(const struct tracer_options *options);
int hook_monitoring_stop(void);
int hook_setprofile_start(const struct tracer_options *options);
int hook_setprofile_stop(void);

#endif
