/* SPDX-License-Identifier: MIT */
/*
 * Which device's time is below which function of the host. The tree has it, at
 * the contexts that launched it, or in leaves below them that are a device's
 * functions. Of a function that occurs several times on a path, the outermost
 * occurrence has all that is below the others, and counts alone.
 */

#include "base/memory.h"
#include "profile/profile.h"
#include "profile/profile_private.h"

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

static bool is_device(
	const struct profile *profile, const struct profile_node *node)
{
	return profile->functions[node->function].device.kind != PROFILE_HOST;
}

/* Device's time that is at a node, and not below it; it is what the function
 * launched itself of the node's, or else of its parent's. */
static uint64_t take_own(struct profile *profile,
	const struct profile_node *node, bool has_leaves)
{
	uint32_t function = node->function;

	if (has_leaves) {
		if (!is_device(profile, node))
			return 0;
		if (node->parent == 0)
			return node->self_ns;
		function = profile->nodes[node->parent].function;
	}
	profile->functions[function].device.self_ns += node->self_ns;
	return node->self_ns;
}

/* Gives the edge to a node the device's time that is below it. */
static bool time_edge(struct profile *profile, const struct profile_node *node,
	uint64_t total_ns, bool counts)
{
	uint32_t edge;

	if (node->parent == 0) {
		profile->functions[node->function].root.cumtime_ns += total_ns;
		return true;
	}
	edge = profile_add_edge(
		profile, profile->nodes[node->parent].function, node->function);
	if (edge == PROFILE_NONE)
		return false;
	if (counts)
		profile->edges[edge].cost.cumtime_ns += total_ns;
	return true;
}

/* Devices' functions have their times already. */
static bool give_total(struct profile *profile, uint32_t number,
	uint64_t total_ns, const struct profile_device_sum *how)
{
	const struct profile_node *node = &profile->nodes[number];
	struct profile_function *function = &profile->functions[node->function];
	unsigned repeats =
		number < how->repeat_count ? how->repeats[number] : 0;

	if (total_ns == 0 || is_device(profile, node))
		return true;
	if ((repeats & PROFILE_REPEATS_FUNCTION) == 0) {
		function->device.total_ns += total_ns;
		if (how->as_time)
			function->cost.cumtime_ns += total_ns;
	}
	return !how->as_time ||
	       time_edge(profile, node, total_ns,
		       how->document_edges ||
			       (repeats & PROFILE_REPEATS_EDGE) == 0);
}

bool profile_device_sum(
	struct profile *profile, const struct profile_device_sum *how)
{
	uint64_t *total_ns = memory_new_zeroed(
		(size_t)profile->node_count + 1, sizeof(*total_ns));
	bool ok = total_ns != NULL;

	/* From the leaves on: a parent precedes its children. */
	for (uint32_t i = profile->node_count; ok && i-- > 1;) {
		const struct profile_node *node = &profile->nodes[i];

		total_ns[i] += take_own(profile, node, how->has_leaves);
		total_ns[node->parent] += total_ns[i];
		ok = give_total(profile, i, total_ns[i], how);
	}
	memory_free(total_ns);
	return ok;
}
