/* SPDX-License-Identifier: MIT */
/*
 * The ranks of a job: a row for each rank and device, the spread of functions,
 * kernels and phases over the ranks, and their collectives. Adding is
 * commutative and associative: unsigned sums that saturate, minima and maxima;
 * texts identify rows.
 *
 * Memory: ranks, names, and collectives per group, not per rank.
 */
#ifndef RANKS_STATE_H
#define RANKS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/strtab.h"
#include "gaps/gaps.h"
#include "ranks/collectives.h"
#include "ranks/spread.h"

#define RANKS_NO_DEVICE (-1)

/* Sums over the recordings of a rank. */
struct rank_times {
	uint64_t recordings;
	uint64_t steps;
	uint64_t step_ns;
	uint64_t step_max_ns;
	uint64_t span_ns;
	uint64_t busy_ns;
	uint64_t kernel_ns;
	uint64_t compute_ns;
	uint64_t communication_ns;
	uint64_t copy_ns;
	uint64_t idle_ns;
	uint64_t cause_ns[GAP_CAUSES];
	uint64_t collectives;   /* those that have an instance */
	uint64_t collective_ns; /* their durations */
};

/* Collectives of one series with consecutive numbers. */
struct rank_run {
	uint64_t series;
	uint64_t first;
	uint64_t last;
};

struct rank_row {
	int64_t rank;   /* SPREAD_RANK_NONE: unknown, and then: */
	uint32_t input; /* strtab number of the input's name, else 0 */
	int64_t pid;    /* else 0 */
	int64_t device; /* or RANKS_NO_DEVICE */
	uint32_t host;  /* strtab number; 0: unknown; the first of several */
	struct rank_times times;
	struct rank_run *runs;
	uint32_t run_count;
	uint32_t run_room;
};

enum rank_item_kind { RANK_FUNCTION, RANK_KERNEL, RANK_PHASE, RANK_ITEM_KINDS };

/* A quantity that each recording has once, or lacks. */
struct rank_item {
	enum rank_item_kind kind;
	uint32_t name; /* strtab numbers */
	uint32_t file;
	uint32_t line;
	struct spread self;
	struct spread total; /* only of functions and phases */
};

struct ranks {
	struct strtab *text;
	struct rank_row *rows;
	uint32_t row_count;
	uint32_t row_room;
	struct index row_index;
	struct rank_item *items;
	uint32_t item_count;
	uint32_t item_room;
	struct index item_index;
	struct collectives collectives;
	uint64_t recordings;
	uint64_t world; /* number of ranks of the job; 0: unknown */
};

/* An empty one; NULL if out of memory. */
struct ranks *ranks_new(void);
void ranks_free(struct ranks *ranks); /* NULL is allowed */

/* The row with these texts and numbers, new or known; NULL if out of memory.
 * Borrowed until the next call. */
struct rank_row_key {
	int64_t rank;
	const char *input;
	int64_t pid;
	int64_t device;
};
struct rank_row *ranks_row(struct ranks *ranks, const struct rank_row_key *key);

/* Sets the host of a row. False if out of memory. */
bool ranks_set_host(
	struct ranks *ranks, struct rank_row *row, const char *host);

/* The same for an item. */
struct rank_item_key {
	enum rank_item_kind kind;
	const char *name;
	const char *file;
	uint32_t line;
};
struct rank_item *ranks_item(
	struct ranks *ranks, const struct rank_item_key *key);

/* Adds a run to a row. False if out of memory. */
bool rank_row_add_run(struct rank_row *row, const struct rank_run *run);

void rank_times_add(struct rank_times *to, const struct rank_times *from);

/* Adds the ranks of other inputs. False if out of memory; `to` then has a
 * part. */
bool ranks_add(struct ranks *to, const struct ranks *from);

/* Sorts everything independently of the order of adding; rows by rank. False if
 * out of memory. */
bool ranks_sort(struct ranks *ranks);

#endif
