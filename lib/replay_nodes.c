/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing, at most half full. */
#include "replay_nodes.h"

#include "memory.h"

void replay_nodes_clear(struct replay_nodes *nodes)
{
	memory_free(nodes->keys);
	memory_free(nodes->values);
	*nodes = (struct replay_nodes){0};
}

static uint32_t slot_of(const struct replay_nodes *nodes, uint64_t key)
{
	uint32_t mask = nodes->size - 1;
	uint32_t slot = (uint32_t)strtab_hash(&key, sizeof(key)) & mask;

	while (nodes->values[slot] != 0 && nodes->keys[slot] != key)
		slot = (slot + 1) & mask;
	return slot;
}

static bool grow(struct replay_nodes *nodes)
{
	struct replay_nodes old = *nodes;
	uint32_t size = old.size == 0 ? 256 : old.size * 2;
	uint64_t *keys = memory_new_zeroed(size, sizeof(*keys));
	uint32_t *values = memory_new_zeroed(size, sizeof(*values));

	if (keys == NULL || values == NULL || old.size > UINT32_MAX / 4) {
		memory_free(keys);
		memory_free(values);
		return false;
	}
	*nodes = (struct replay_nodes){keys, values, size};
	for (uint32_t i = 0; i < old.size; i++) {
		if (old.values[i] != 0) {
			uint32_t slot = slot_of(nodes, old.keys[i]);

			keys[slot] = old.keys[i];
			values[slot] = old.values[i];
		}
	}
	replay_nodes_clear(&old);
	return true;
}

uint32_t replay_nodes_find(struct replay_nodes *nodes, struct profile *profile,
	uint32_t parent, uint32_t function)
{
	uint64_t key = (uint64_t)parent << 32 | function;
	uint32_t node;
	uint32_t slot;

	if (profile->node_count >= nodes->size / 2 && !grow(nodes))
		return PROFILE_NONE;
	slot = slot_of(nodes, key);
	if (nodes->values[slot] != 0)
		return nodes->values[slot];
	node = profile_add_node(profile, parent, function);
	if (node != PROFILE_NONE) {
		nodes->keys[slot] = key;
		nodes->values[slot] = node;
	}
	return node;
}
