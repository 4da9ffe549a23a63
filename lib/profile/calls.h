/* SPDX-License-Identifier: MIT */
/*
 * The open calls of a track, and what each call adds to a profile at its end.
 *
 * Bit sets of the open functions and edges determine in O(1) whether a call is
 * primitive. A stack borrows a set while it has open calls, so there are as many
 * sets as threads alive at once, not as threads in all.
 *
 * Threads: one for each struct calls and its stacks and profile.
 */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* A begin is the function's number + 1, with this flag for the call of a
 * device's API; 0 is an end. */
#define CALL_API (UINT32_C(1) << 31)
#define CALL_END 0

static inline uint32_t call_function(uint32_t begin)
{
	return (begin & ~CALL_API) - 1;
}

struct call_frame {
	int64_t start_ns;
	uint64_t children_ns;
	uint32_t function;
	uint32_t edge; /* PROFILE_NONE: a root call, or edges are off */
	uint32_t node; /* 0: not needed yet, only without a tree */
	bool api;
	uint8_t repeats; /* REPEATS_… */
	uint32_t memory; /* list, includes ended callees */
};

struct call_stack {
	struct call_frame *frames;
	uint32_t depth;
	uint32_t room;
	struct call_set *set; /* NULL while no call is open */
};

/* A track whose events are accepted first, and perhaps counted later. */
struct call_track {
	struct call_stack stack; /* of the calls counted so far */
	uint32_t *open;          /* begins of the calls accepted and open */
	uint32_t depth;
	uint32_t room;
	int64_t last_ns;
	bool used;
};

/* See struct replay_options. */
struct calls_options {
	bool tree;
	bool no_edges;
	bool all_edge_times;
	bool no_times; /* calls add their counts only */
};

#define CALLS_HINTS 1024

struct calls {
	struct calls_options options;
	struct profile *profile; /* borrowed; has all functions that begin */
	struct call_set *unused;
	struct profile_children children;
	uint8_t *repeats; /* by node, as in struct device_calls_sum */
	uint32_t repeat_room;
	bool has_memory; /* there was a memory record, and it counts */
	uint32_t edge_hints[CALLS_HINTS];
};

void calls_clear(struct calls *calls);
void call_stack_clear(struct call_stack *stack);

/* Consecutive begins and ends of a track; times do not go back. */
struct call_run {
	const uint32_t *begins; /* or CALL_END */
	const int64_t *times_ns;
	uint32_t count;
	uint32_t at; /* the next one */
};

/* Adds the run's events up to the next end of one of the lowest `kept` calls,
 * which it does not close. False if out of memory. */
bool calls_add(struct calls *calls, struct call_stack *stack,
	struct call_run *run, uint32_t kept);

/* Begins a call; false if out of memory. */
bool calls_begin(struct calls *calls, struct call_stack *stack, uint32_t begin,
	int64_t time_ns);

/* Ends the innermost call. */
void calls_end(struct calls *calls, struct call_stack *stack, int64_t end_ns);

/* Removes the innermost call without counting it. */
void calls_drop(struct calls *calls, struct call_stack *stack);

/* After all `depth` calls of a stack ended at `end_ns`, opens them again; what
 * they added to the profile stays. */
void calls_reopen(struct calls *calls, struct call_stack *stack, uint32_t depth,
	int64_t end_ns);

/* Returns the context of a frame: the node of its path of calls. PROFILE_NONE if
 * out of memory. */
uint32_t calls_context(
	struct calls *calls, struct call_stack *stack, uint32_t number);

/* Returns the edge, added if it is new; PROFILE_NONE if out of memory. */
uint32_t calls_edge(struct calls *calls, uint32_t caller, uint32_t callee);

/* Counts a call. */
static inline void calls_cost(struct profile_cost *cost, uint64_t self_ns,
	uint64_t time_ns, bool primitive, bool add_time)
{
	cost->ncalls++;
	cost->tottime_ns += self_ns;
	if (primitive)
		cost->pcalls++;
	if (add_time)
		cost->cumtime_ns += time_ns;
}

#endif
