/* SPDX-License-Identifier: MIT */
/*
 * Labels and order of the inputs of a merge: ranks, if the inputs or their
 * names have them; otherwise by name.
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

	char label[RANKS_LABEL]; /* "rank 3"; "": merged before, has labels */
	uint32_t order;          /* unique, from 1 */
	bool merged;             /* result of an earlier merge */
	int64_t number;          /* -1: none */
};

/* The rank of one input, by its metadata or by a number after "rank" or "worker"
 * in its name; -1: unknown. `trace` has been read. */
int64_t ranks_find(const char *path, const struct trace *trace);

/* Sets all labels and orders. False if out of memory. */
bool ranks_label(struct rank *ranks, size_t count);

#endif
