/* SPDX-License-Identifier: MIT */
/*
 * Ranks, or groups of them, in order of their own time: that of their steps
 * without the waiting for others in collectives. All ranks of a synchronous job
 * have steps of equal length; the straggler is the one that waits least.
 */
#ifndef STRAGGLERS_H
#define STRAGGLERS_H

#include <stdbool.h>
#include <stdint.h>

#include "ranks/ranks.h"

/* The part of its own time that exceeds the median over ranks the most. */
enum straggler_reason {
	STRAGGLER_COMPUTE,       /* kernels */
	STRAGGLER_LAUNCH,        /* idle: the host launches late */
	STRAGGLER_INPUT,         /* idle: the host loads data */
	STRAGGLER_COMMUNICATION, /* exposed transfers, without waiting */
	STRAGGLER_COPIES,        /* not hidden behind kernels */
	STRAGGLER_REASONS,
	STRAGGLER_NONE = STRAGGLER_REASONS, /* not slower than others */
};

/* "slow compute"; NULL for STRAGGLER_NONE. */
const char *straggler_reason_name(enum straggler_reason reason);

struct straggler {
	const struct rank_row *row; /* the first one */
	uint32_t rows;              /* that were added up */
	struct rank_times times;
	uint64_t wait_ns;    /* in collectives */
	uint64_t matched;    /* collectives that other ranks have, too */
	uint64_t last_count; /* of these, those to which it came last */
	uint64_t own_ns;     /* per step, or per recording */
	uint64_t behind_ns;  /* own time above the median; 0: not above */
	enum straggler_reason reason;
};

struct stragglers {
	struct straggler *items; /* the slowest first */
	uint32_t count;
	bool per_step; /* all rows have steps; else times are per recording */
};

/* How rows are grouped: each for itself, by host, or this many consecutive
 * ranks. */
struct stragglers_by {
	bool host;
	uint32_t ranks; /* 0: not */
};

/* `ranks` must be sorted and is borrowed. False if out of memory; call
 * stragglers_clear() in any case. */
bool stragglers_find(struct stragglers *stragglers, const struct ranks *ranks,
	struct stragglers_by by);
void stragglers_clear(struct stragglers *stragglers);

/* Whether a group by host has several rows, and all of them, found one by one,
 * are behind with a reason. */
bool straggler_is_slow_host(
	const struct straggler *host, const struct stragglers *rows);

#endif
