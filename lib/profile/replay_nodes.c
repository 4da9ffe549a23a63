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
	memory_free(nodes->slots);
	memory_free(nodes->first);
	*nodes = (struct replay_nodes){0};
}

static bool is_node(
	const struct replay_node *slot, uint32_t parent, uint32_t function)
{
	return slot->parent == parent && slot->function == function;
}

/* The slot that has this node, or the free one where it belongs. */
static struct replay_node *slot_of(
	const struct replay_nodes *nodes, uint32_t parent, uint32_t function)
{
	uint64_t key = (uint64_t)parent << 32 | function;
	uint64_t hash = hash_word(key) >> 32;
	uint32_t slot = (uint32_t)(hash * nodes->size >> 32);

	while (nodes->slots[slot].node != 0 &&
		!is_node(&nodes->slots[slot], parent, function))
		slot = (slot + 1) & (nodes->size - 1);
	return &nodes->slots[slot];
}

static bool grow(struct replay_nodes *nodes)
{
	struct replay_node *old = nodes->slots;
	uint32_t old_size = nodes->size;
	uint32_t size = old_size == 0 ? 256 : old_size * 2;
	struct replay_node *slots;

	if (old_size > UINT32_MAX / 4)
		return false;
	slots = memory_new_zeroed(size, sizeof(*slots));
	if (slots == NULL)
		return false;
	nodes->slots = slots;
	nodes->size = size;
	for (uint32_t i = 0; i < old_size; i++)
		if (old[i].node != 0)
			*slot_of(nodes, old[i].parent, old[i].function) =
				old[i];
	memory_free(old);
	return true;
}

/* One that is not its parent's first child. */
static uint32_t find_other(struct replay_nodes *nodes, struct profile *profile,
	uint32_t parent, uint32_t function)
{
	struct replay_node *slot;
	uint32_t node;

	if (nodes->count >= nodes->size / 2 && !grow(nodes))
		return PROFILE_NONE;
	slot = slot_of(nodes, parent, function);
	if (slot->node != 0)
		return slot->node;
	node = profile_add_node(profile, parent, function);
	if (node == PROFILE_NONE)
		return PROFILE_NONE;
	*slot = (struct replay_node){parent, function, node};
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
