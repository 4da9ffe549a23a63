/* SPDX-License-Identifier: MIT */
/*
 * Processes many inputs in parallel, each in its own process, so that a crash
 * or a lack of memory in one does not affect the others.
 */
#ifndef BATCH_H
#define BATCH_H

#include <stddef.h>

#include "cli/progress.h"

struct batch {
	size_t count;
	unsigned jobs; /* parallel jobs; 0: one per processor */
	/* Processes one input; returns an exit status. Runs in a child process
	 * if there are several inputs and `jobs` is not 1. */
	int (*run)(size_t index, void *user);
	void *user;
	const char *(*name)(size_t index, void *user); /* for messages */
	enum when progress;
};

/* Runs all; returns the largest exit status. */
int batch_run(const struct batch *batch);

#endif
