/* SPDX-License-Identifier: MIT */
/* Operations of collectives: from the names and arguments in traces. */
#ifndef COLLECTIVE_KIND_H
#define COLLECTIVE_KIND_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"

enum collective_op {
	COLLECTIVE_OTHER,
	COLLECTIVE_ALL_REDUCE,
	COLLECTIVE_REDUCE_SCATTER,
	COLLECTIVE_ALL_GATHER,
	COLLECTIVE_ALL_TO_ALL,
	COLLECTIVE_ALL_TO_ALL_V, /* of unequal sizes */
	COLLECTIVE_BROADCAST,
	COLLECTIVE_REDUCE,
	COLLECTIVE_SCATTER,
	COLLECTIVE_GATHER,
	COLLECTIVE_SEND_RECV,
	COLLECTIVE_SEND,
	COLLECTIVE_RECV,
	COLLECTIVE_BARRIER,
	COLLECTIVE_OPS
};

/* "all_reduce" */
const char *collective_op_name(enum collective_op op);

/* From a kernel's or an annotation's name, or a "Collective name":
 * "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)", "nccl:all_reduce",
 * "_allgather_base". */
enum collective_op collective_op_of(const char *name, size_t size);

/* Whether every rank waits for all others, so that a longer duration is time
 * spent waiting. Source: TraceLens, nccl_analyser.py. */
bool collective_op_waits(enum collective_op op);

/*
 * The bus bandwidth as a part of the algorithm bandwidth for this number of
 * ranks: numerator / denominator. False if it is not defined.
 * Source: nccl-tests, doc/PERFORMANCE.md.
 */
bool collective_op_bus(enum collective_op op, uint64_t ranks,
	uint64_t *numerator, uint64_t *denominator);

#define COLLECTIVE_BYTES_UNKNOWN UINT64_MAX

/* The text members are empty and the numbers 0 if unknown. */
struct collective_kind {
	enum collective_op op;
	char dtype[32];   /* "bfloat16" */
	char group[64];   /* the process group's description, or its name */
	uint32_t ranks;   /* in the group */
	uint64_t bytes;   /* per rank: the larger of input and output */
	uint64_t members; /* a hash of the group's name and ranks */
};

/* The kind that an annotation or a kernel describes by its name and
 * arguments. */
struct collective_kind collective_kind_of(
	const struct trace *trace, const struct event *event);

/* Sets the members that are unknown from another description. */
void collective_kind_complete(
	struct collective_kind *kind, const struct collective_kind *from);

/* Compare and hash all members but `members`. */
int collective_kind_compare(
	const struct collective_kind *one, const struct collective_kind *other);
uint64_t collective_kind_hash(const struct collective_kind *kind);

/* The arguments used: see read_request.kept_args. */
extern const char *const collective_args[];

/* The number of the collective within its group; false if unknown. */
bool collective_number(
	const struct trace *trace, const struct event *event, uint64_t *number);

#endif
