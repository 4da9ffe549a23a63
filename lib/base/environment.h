/* SPDX-License-Identifier: MIT */
/*
 * The environment, which is the caller's word: a process that has rights which
 * its caller has not (set-user-ID, set-group-ID, capabilities of its file) does
 * not take it. All of ours that reads a variable does so here.
 * Source: getauxval(3), AT_SECURE; secure_getenv(3).
 */
#ifndef ENVIRONMENT_H
#define ENVIRONMENT_H

#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* Has this process rights that its caller has not? Then nothing is loaded or
 * run for it either, whatever the way in which it was asked for. */
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
