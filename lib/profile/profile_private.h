/* SPDX-License-Identifier: MIT */
/* What profile.c, profile_order.c and profile_tree.c share. */
#ifndef PROFILE_PRIVATE_H
#define PROFILE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* Frees the tables but not the text, which may belong to another profile. */
void profile_clear_tables(struct profile *profile);

/* Adds a function whose text is interned, with its costs, if it is new;
 * PROFILE_NONE if out of memory. */
uint32_t profile_put_function(
	struct profile *profile, const struct profile_function *function);

/* Adds the edges of `from` to `to`, whose functions map[] names. False if out
 * of memory. */
bool profile_add_edges(
	struct profile *to, const struct profile *from, const uint32_t *map);

/* Of a node's function, and of the edge that leads there: it is on the path
 * above as well. */
#define PROFILE_REPEATS_FUNCTION 1U
#define PROFILE_REPEATS_EDGE 2U

struct profile_device_sum {
	/* The tree has a device's functions; else self_ns of a node is the
	 * device's time of what was launched there. */
	bool has_leaves;
	bool as_time;           /* is the functions' and edges' time as well */
	bool document_edges;    /* see struct replay_options */
	const uint8_t *repeats; /* by node: PROFILE_REPEATS_… */
	uint32_t repeat_count;  /* of nodes after these nothing repeats */
};

/*
 * Gives the host's functions the device's time that is below them in the tree;
 * as time it is also the cumtime of functions and edges, which have counts
 * only. False if out of memory.
 */
bool profile_device_sum(
	struct profile *profile, const struct profile_device_sum *how);

/* Takes the tree away. */
void profile_clear_nodes(struct profile *profile);

/*
 * Adds the tree of `from` to `to`, whose functions map[] names, in preorder
 * with siblings by function. Siblings that became the same function are
 * merged, and so is `folded` with a child that is `folded` too (PROFILE_NONE:
 * no function is). False if out of memory.
 */
bool profile_tree_add(struct profile *to, const struct profile *from,
	const uint32_t *map, uint32_t folded);

#endif
