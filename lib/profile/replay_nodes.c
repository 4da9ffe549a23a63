/* SPDX-License-Identifier: MIT */
/*
 * Most contexts have one child: the first one of each is found by its parent's
 * number, the others in a hash table with open addressing and linear probing,
 * at most half full. The highest bits of the hash say where a node belongs:
 * nodes keep their order, and so nearly their places in memory, when the table
 * grows.
 */
#include "profile/replay_nodes.h"

#include "base/hash.h"
#include "base/memory.h"

void replay_nodes_clear(struct replay_nodes *nodes)
{
	memory_free(nodes->index.entries);
	memory_free(nodes->first);
	*nodes = (struct replay_nodes){0};
}

/* One that is not its parent's first child. */
static uint32_t find_other(struct replay_nodes *nodes, struct profile *profile,
	uint32_t parent, uint32_t function)
{
	uint64_t hash = hash_word((uint64_t)parent << 32 | function);
	uint32_t node;
	uint32_t slot;

	if (!index_reserve(&nodes->index, nodes->count))
		return PROFILE_NONE;
	slot = index_first(&nodes->index, hash);
	while ((node = index_find(&nodes->index, hash, &slot)) != INDEX_NONE) {
		if (profile->nodes[node].parent == parent &&
			profile->nodes[node].function == function)
			return node;
		slot = index_after(&nodes->index, slot);
	}
	node = profile_add_node(profile, parent, function);
	if (node == PROFILE_NONE)
		return PROFILE_NONE;
	index_set(&nodes->index, slot, hash, node);
	nodes->count++;
	return node;
}

uint32_t replay_nodes_find(struct replay_nodes *nodes, struct profile *profile,
	uint32_t parent, uint32_t function)
{
	uint32_t node;

	if (!array_ensure_index(&nodes->first, parent, &nodes->first_room,
		    sizeof(*nodes->first)))
		return PROFILE_NONE;
	node = nodes->first[parent];
	if (node == 0) {
		node = profile_add_node(profile, parent, function);
		if (node != PROFILE_NONE)
			nodes->first[parent] = node;
		return node;
	}
	return profile->nodes[node].function == function
		       ? node
		       : find_other(nodes, profile, parent, function);
}
