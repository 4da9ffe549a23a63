/* SPDX-License-Identifier: MIT */
/*
 * The collectives of all ranks: durations by kind, and by instance, the one
 * collective that all ranks of a group take part in. No clocks are compared:
 * the rank that comes last waits for nobody, so its duration is the shortest
 * and that of the transfer; the rest of the others' durations is waiting.
 * Source: TraceLens, nccl_analyser.py.
 */
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "ranks/collective_kind.h"
#include "ranks/spread.h"

struct collective_stats {
	struct collective_kind kind;
	struct spread durations;
};

struct collective_instance {
	uint64_t series; /* hash: the group and how it is numbered */
	uint64_t number;
	uint32_t kind; /* index; of several, the first in order */
	uint64_t count;
	uint64_t sum_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	int64_t min_rank; /* SPREAD_RANK_NONE: unknown */
};

/* All zero is empty; free with collectives_clear(). */
struct collectives {
	struct collective_stats *kinds;
	uint32_t kind_count;
	uint32_t kind_room;
	struct index kind_index;
	struct collective_instance *instances;
	uint32_t instance_count;
	uint32_t instance_room;
	struct index instance_index;
	uint64_t left_out; /* instances beyond the limit of an input */
};

void collectives_clear(struct collectives *collectives);

/* The index of this kind, new or known; INDEX_NONE if out of memory. */
uint32_t collectives_kind(
	struct collectives *collectives, const struct collective_kind *kind);

/* Adds an instance, or to the known one. False if out of memory. */
bool collectives_add_instance(struct collectives *collectives,
	const struct collective_instance *instance);

/* Commutative and associative. False if out of memory; `to` then has a part. */
bool collectives_add(struct collectives *to, const struct collectives *from);

/* Sorts kinds, and instances by series and number, independently of the order
 * of adding. False if out of memory. */
bool collectives_sort(struct collectives *collectives);

/* A kind's sums over its instances. */
struct collective_sums {
	uint64_t instances; /* with the durations of two ranks or more */
	uint64_t wait_ns;   /* sum over the ranks */
	uint64_t skew_ns;   /* sum of the longest less the shortest duration */
	uint64_t transfers; /* instances, or durations if they do not wait */
	uint64_t transfer_ns; /* their shortest durations */
};

/* By kind, kind_count items; free with memory_free(). NULL if out of memory. */
struct collective_sums *collectives_sum(const struct collectives *collectives);

#endif
