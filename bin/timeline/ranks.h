/* SPDX-License-Identifier: MIT */
/*
 * What the inputs of a merge are called, and their order: ranks, where the
 * inputs say which they are or their names do; else by their names.
 */
#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define RANKS_LABEL 64

struct rank {
	/* These are set before ranks_label(), and borrowed. */
	const char *path;
	const struct trace *trace;

	char label[RANKS_LABEL]; /* "rank 3"; "": what is in it has some */
	uint32_t order;          /* from 1, different for all */
	bool merged;             /* made by a merge before */
	int64_t number;          /* -1: none */
};

/* Sets the label and order of all. False if out of memory. */
bool ranks_label(struct rank *ranks, size_t count);

#endif
