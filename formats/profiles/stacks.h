/* SPDX-License-Identifier: MIT */
/*
 * Builds a profile and its tree from stack samples. Few samples count calls, so
 * each call path counts as one call: it was taken at least once.
 */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct stacks {
	struct profile *profile; /* borrowed */
	struct profile_children children;
	uint32_t *frames; /* of the current sample, the outermost first */
	size_t depth;
	size_t room;
	/* The last sample, from 1, with this function or edge. */
	uint64_t *function_seen;
	uint64_t *edge_seen;
	uint32_t function_room;
	uint32_t edge_room;
	bool *counted; /* by node: the file counted its calls */
	uint32_t counted_room;
	uint64_t count;
	uint64_t total_ns;
};

/* `profile` must be empty. Call stacks_clear() at the end. */
void stacks_init(struct stacks *stacks, struct profile *profile);
void stacks_clear(struct stacks *stacks);

/* Adds a function to the current sample, called by the previous one. False if
 * out of memory. */
bool stacks_push(struct stacks *stacks, uint32_t function);

/* Is there room for a sample of this time in the total? */
bool stacks_has_room(const struct stacks *stacks, uint64_t time_ns);

/* Adds the sample, for which there must be room, and begins a new one. False
 * if out of memory. */
bool stacks_end(struct stacks *stacks, uint64_t time_ns);

/* Likewise for a sample with the number of calls of the last function on this
 * path; 0: unknown. The sum of all calls must not overflow. */
bool stacks_end_counted(
	struct stacks *stacks, uint64_t counted, uint64_t time_ns);

#endif
