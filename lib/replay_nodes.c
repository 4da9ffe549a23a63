/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing, at most half full. The highest bits of
 * the hash say where a node belongs: nodes keep their order, and so nearly
 * their places in memory, when the table grows.
 */
#include "replay_nodes.h"

#include "memory.h"

void replay_nodes_clear(struct replay_nodes *nodes)
{
	memory_free(nodes->slots);
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
	uint64_t hash = strtab_hash(&key, sizeof(key)) >> 32;
	uint32_t slot = (uint32_t)(hash * nodes->size >> 32);

	while (nodes->slots[slot].node != 0 &&
		!is_node(&nodes->slots[slot], parent, function))
		slot = (slot + 1) & (nodes->size - 1);
	return &nodes->slots[slot];
}

static bool grow(struct replay_nodes *nodes)
{
	struct replay_nodes old = *nodes;
	uint32_t size = old.size == 0 ? 256 : old.size * 2;
	struct replay_node *slots;

	if (old.size > UINT32_MAX / 4)
		return false;
	slots = memory_new_zeroed(size, sizeof(*slots));
	if (slots == NULL)
		return false;
	*nodes = (struct replay_nodes){slots, size};
	for (uint32_t i = 0; i < old.size; i++) {
		const struct replay_node *slot = &old.slots[i];

		if (slot->node != 0)
			*slot_of(nodes, slot->parent, slot->function) = *slot;
	}
	replay_nodes_clear(&old);
	return true;
}

uint32_t replay_nodes_find(struct replay_nodes *nodes, struct profile *profile,
	uint32_t parent, uint32_t function)
{
	struct replay_node *slot;
	uint32_t node;

	if (profile->node_count >= nodes->size / 2 && !grow(nodes))
		return PROFILE_NONE;
	slot = slot_of(nodes, parent, function);
	if (slot->node != 0)
		return slot->node;
	node = profile_add_node(profile, parent, function);
	if (node != PROFILE_NONE)
		*slot = (struct replay_node){parent, function, node};
	return node;
}
