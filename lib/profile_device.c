/* SPDX-License-Identifier: MIT */
/*
 * Which device's time is below which function of the host. The tree has it: a
 * device's functions are its leaves, below the context that launched them. Of
 * a function that occurs several times on a path, the outermost occurrence has
 * all that is below the others, and counts alone.
 */
#include <string.h>

#include "memory.h"
#include "profile.h"
#include "profile_private.h"

void profile_device_add(
	struct profile_device *to, const struct profile_device *from)
{
	to->self_ns += from->self_ns;
	to->total_ns += from->total_ns;
	to->captured_ns += from->captured_ns;
	to->bytes += from->bytes;
	if (from->kind == PROFILE_HOST)
		return;
	if (to->kind == PROFILE_HOST || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (to->kind == PROFILE_HOST || from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->kind = from->kind;
	to->number = from->number;
}

bool profile_has_device(const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].device.kind != PROFILE_HOST)
			return true;
	return false;
}

void profile_clear_nodes(struct profile *profile)
{
	memory_free(profile->nodes);
	profile->nodes = NULL;
	profile->node_count = 0;
	profile->node_room = 0;
}

/* A walk over the nodes that have device's time below them; without a stack,
 * since the depth is the input's. */
struct walk {
	struct profile *profile;
	bool as_time;        /* is the functions' and edges' time as well */
	bool document_edges; /* see struct replay_options */
	uint64_t *total_ns;  /* by node */
	uint32_t *child;     /* by node: the first one; 0: none */
	uint32_t *sibling;   /* by node: the next one; 0: none */
	uint32_t *functions; /* how often each is on the path */
	uint32_t *edges;
};

static bool is_device(const struct profile *profile, uint32_t node)
{
	const struct profile_function *function =
		&profile->functions[profile->nodes[node].function];

	return function->device.kind != PROFILE_HOST;
}

/* Sums up, from the leaves on: a parent precedes its children. */
static void sum_nodes(struct walk *walk)
{
	struct profile *profile = walk->profile;

	for (uint32_t i = profile->node_count; i-- > 1;) {
		const struct profile_node *node = &profile->nodes[i];
		uint32_t parent = node->parent;

		if (is_device(profile, i)) {
			walk->total_ns[i] += node->self_ns;
			if (parent != 0)
				profile->functions[profile->nodes[parent]
							   .function]
					.device.self_ns += node->self_ns;
		}
		if (walk->total_ns[i] == 0)
			continue;
		walk->total_ns[parent] += walk->total_ns[i];
		walk->sibling[i] = walk->child[parent];
		walk->child[parent] = i;
	}
}

/* The edge that leads to a node; its parent is not the root. */
static uint32_t edge_to(const struct walk *walk, uint32_t number)
{
	const struct profile_node *node = &walk->profile->nodes[number];

	return profile_add_edge(walk->profile,
		walk->profile->nodes[node->parent].function, node->function);
}

/* Gives the way to a node the device's time that is below it. */
static bool time_way(struct walk *walk, uint32_t number)
{
	struct profile *profile = walk->profile;
	const struct profile_node *node = &profile->nodes[number];
	uint32_t edge;

	if (node->parent == 0) {
		profile->functions[node->function].root.cumtime_ns +=
			walk->total_ns[number];
		return true;
	}
	edge = edge_to(walk, number);
	if (edge == PROFILE_NONE)
		return false;
	if (walk->edges[edge]++ == 0 || walk->document_edges)
		profile->edges[edge].cost.cumtime_ns += walk->total_ns[number];
	return true;
}

/* Devices' functions have their times already. */
static bool enter(struct walk *walk, uint32_t number)
{
	uint32_t function = walk->profile->nodes[number].function;
	struct profile_function *entry = &walk->profile->functions[function];

	if (is_device(walk->profile, number))
		return true;
	if (walk->functions[function]++ == 0) {
		entry->device.total_ns += walk->total_ns[number];
		if (walk->as_time)
			entry->cost.cumtime_ns += walk->total_ns[number];
	}
	return !walk->as_time || time_way(walk, number);
}

static void leave(struct walk *walk, uint32_t number)
{
	const struct profile_node *node = &walk->profile->nodes[number];

	if (is_device(walk->profile, number))
		return;
	walk->functions[node->function]--;
	if (walk->as_time && node->parent != 0)
		walk->edges[edge_to(walk, number)]--;
}

static bool walk_nodes(struct walk *walk)
{
	uint32_t at = walk->child[0];

	while (at != 0) {
		if (!enter(walk, at))
			return false;
		if (walk->child[at] != 0) {
			at = walk->child[at];
			continue;
		}
		leave(walk, at);
		while (at != 0 && walk->sibling[at] == 0) {
			at = walk->profile->nodes[at].parent;
			if (at != 0)
				leave(walk, at);
		}
		at = walk->sibling[at];
	}
	return true;
}

bool profile_device_sum(
	struct profile *profile, bool as_time, bool document_edges)
{
	size_t nodes = (size_t)profile->node_count + 1;
	struct walk walk = {.profile = profile,
		.as_time = as_time,
		.document_edges = document_edges};
	bool ok;

	walk.total_ns = memory_new_zeroed(nodes, sizeof(*walk.total_ns));
	walk.child = memory_new_zeroed(nodes, sizeof(*walk.child));
	walk.sibling = memory_new_zeroed(nodes, sizeof(*walk.sibling));
	walk.functions = memory_new_zeroed(
		(size_t)profile->function_count + 1, sizeof(*walk.functions));
	walk.edges = memory_new_zeroed(
		(size_t)profile->edge_count + 1, sizeof(*walk.edges));
	ok = walk.total_ns != NULL && walk.child != NULL &&
	     walk.sibling != NULL && walk.functions != NULL &&
	     walk.edges != NULL;
	if (ok) {
		sum_nodes(&walk);
		ok = walk_nodes(&walk);
	}
	memory_free(walk.total_ns);
	memory_free(walk.child);
	memory_free(walk.sibling);
	memory_free(walk.functions);
	memory_free(walk.edges);
	return ok;
}
