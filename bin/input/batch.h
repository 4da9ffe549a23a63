/* SPDX-License-Identifier: MIT */
/*
 * The same work on many inputs, several at a time, each in a process of its
 * own: a crash or a lack of memory with one of them leaves the others alone.
 */
#ifndef BATCH_H
#define BATCH_H

#include <stddef.h>

#include "cli/progress.h"

struct batch {
	size_t count;
	unsigned jobs; /* at a time; 0: one for each processor */
	/* Does one of them; returns an exit status. In a child process if
	 * there is more than one and `jobs` is not 1. */
	int (*run)(size_t index, void *user);
	void *user;
	const char *(*name)(size_t index, void *user); /* for messages */
	enum when progress;
};

/* Runs all; returns the largest exit status. */
int batch_run(const struct batch *batch);

#endif
