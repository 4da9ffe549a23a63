/* SPDX-License-Identifier: MIT */
/*
 * Environment variables come from the caller, so a process with more rights
 * than its caller (set-user-ID, set-group-ID, file capabilities) ignores them.
 * All our code reads variables through this header.
 * Source: getauxval(3), AT_SECURE; secure_getenv(3).
 */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* Whether this process has more rights than its caller. If so, nothing is
 * loaded or run for the caller either, however it was requested. */
static inline bool environment_is_refused(void)
{
	return getauxval(AT_SECURE) != 0;
}

/* The variable; NULL if it is not set, or the environment is refused. Borrowed
 * until it is set again. */
static inline const char *environment_find(const char *name)
{
	return secure_getenv(name);
}

#endif
