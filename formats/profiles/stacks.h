/* SPDX-License-Identifier: MIT */
/*
 * Samples of a stack become a profile and its tree. How often a function was
 * called few samples tell: each path of calls counts as one call, since it was
 * taken once at least.
 */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/replay_nodes.h"

struct stacks {
	struct profile *profile; /* borrowed */
	struct replay_nodes nodes;
	uint32_t *frames; /* of the sample being made, the outermost first */
	size_t depth;
	size_t room;
	/* The last sample, counted from 1, that had this function or edge. */
	uint64_t *function_seen;
	uint64_t *edge_seen;
	uint32_t function_room;
	uint32_t edge_room;
	bool *counted; /* by node: its calls were said */
	uint32_t counted_room;
	uint64_t count;
	uint64_t total_ns;
};

/* Adds to this profile, which is empty. Call stacks_clear() at the end. */
void stacks_init(struct stacks *stacks, struct profile *profile);
void stacks_clear(struct stacks *stacks);

/* A function of the sample being made, called by the one before. False if out
 * of memory. */
bool stacks_push(struct stacks *stacks, uint32_t function);

/* Can there be a sample of so much time, with all that was before? */
bool stacks_has_room(const struct stacks *stacks, uint64_t time_ns);

/* Adds the sample, for which there must be room, and begins a new one. False
 * if out of memory. */
bool stacks_end(struct stacks *stacks, uint64_t time_ns);

/* The same of a sample that says how often the last function was called on this
 * path; 0: it does not say. All of them must not be more than can be counted. */
bool stacks_end_counted(
	struct stacks *stacks, uint64_t counted, uint64_t time_ns);

#endif
