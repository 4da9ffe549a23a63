/* SPDX-License-Identifier: MIT */
/*
 * The ways to be told of calls: the monitoring of Python 3.12, which other
 * tools can use at the same time, and the older profile function.
 */
#ifndef PYTHON_HOOK_H
#define PYTHON_HOOK_H

#include "tracer.h"

/* In all threads, those to come too; and takes the hook out. -1 with an
 * exception. */
int hook_monitoring_start(const struct tracer_options *options);
int hook_monitoring_stop(void);
int hook_setprofile_start(const struct tracer_options *options);
int hook_setprofile_stop(void);

#endif
