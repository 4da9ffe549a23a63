/* SPDX-License-Identifier: MIT */
#include "profile/estimated_tree.h"

#include "base/memory.h"

/* A path with less than 1/PARTS of the time is not followed further. */
#define PARTS 10000
#define DEPTH_MAX 512
#define NODES_MAX (1u << 20)
/* Most edges to look at, so that no input takes minutes. */
#define VISITS_MAX (1u << 26)

/* Products of two 64-bit numbers. */
__extension__ typedef unsigned __int128 wide;

struct estimate {
	struct profile *profile;
	uint64_t *total_ns; /* by node: of the path with all below it */
	uint32_t total_room;
	uint32_t *depth; /* by node */
	uint32_t depth_room;
	uint32_t *order; /* edges by caller */
	uint32_t *first; /* of a caller, in `order` */
	uint32_t *seen;  /* by function: the last node whose path has it */
	bool *reached;   /* by function: does a root call it, or its callers? */
	uint32_t *queue; /* functions whose callees are still to be reached */
	bool timed;      /* do edges have times? */
	uint64_t least_ns;
	uint32_t visits;
};

static uint64_t scale(uint64_t value, uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (uint64_t)((wide)value * part / whole);
}

static uint64_t edge_ns(
	const struct estimate *estimate, const struct profile_edge *edge)
{
	const struct profile_cost *callee =
		&estimate->profile->functions[edge->callee].cost;

	return estimate->timed ? edge->cost.cumtime_ns
			       : scale(callee->cumtime_ns, edge->cost.ncalls,
					 callee->ncalls);
}

/* Sorts the numbers of the edges by caller. */
static bool order_edges(struct estimate *estimate)
{
	const struct profile *profile = estimate->profile;
	size_t functions = profile->function_count;
	uint32_t *next = memory_new_zeroed(functions + 1, sizeof(*next));

	estimate->order = memory_new(
		((size_t)profile->edge_count + 1) * sizeof(*estimate->order));
	estimate->first =
		memory_new_zeroed(functions + 1, sizeof(*estimate->first));
	if (next == NULL || estimate->order == NULL ||
		estimate->first == NULL) {
		memory_free(next);
		return false;
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		estimate->first[profile->edges[i].caller + 1]++;
		estimate->timed |= profile->edges[i].cost.cumtime_ns > 0;
	}
	for (size_t i = 0; i < functions; i++) {
		estimate->first[i + 1] += estimate->first[i];
		next[i + 1] = estimate->first[i + 1];
	}
	for (uint32_t i = 0; i < profile->edge_count; i++)
		estimate->order[next[profile->edges[i].caller]++] = i;
	memory_free(next);
	return true;
}

static bool add_node(struct estimate *estimate, uint32_t parent,
	uint32_t function, uint64_t total_ns, uint64_t calls)
{
	struct profile *profile = estimate->profile;
	uint32_t node = profile_add_node(profile, parent, function);

	if (node == PROFILE_NONE ||
		!array_ensure_index(&estimate->total_ns, node,
			&estimate->total_room, sizeof(*estimate->total_ns)) ||
		!array_ensure_index(&estimate->depth, node,
			&estimate->depth_room, sizeof(*estimate->depth)))
		return false;
	if (node == 0)
		return true;
	profile->nodes[node].ncalls = calls;
	profile->nodes[node].self_ns = total_ns;
	estimate->total_ns[node] = total_ns;
	estimate->depth[node] = parent == 0 ? 1 : estimate->depth[parent] + 1;
	return true;
}

/* Marks the function and all that it calls, at any depth. */
static void mark_reachable(struct estimate *estimate, uint32_t function)
{
	const struct profile_edge *edges = estimate->profile->edges;
	uint32_t count = 0;

	estimate->reached[function] = true;
	estimate->queue[count++] = function;
	while (count > 0) {
		uint32_t caller = estimate->queue[--count];

		for (uint32_t i = estimate->first[caller];
			i < estimate->first[caller + 1]; i++) {
			uint32_t callee = edges[estimate->order[i]].callee;

			if (estimate->reached[callee])
				continue;
			estimate->reached[callee] = true;
			estimate->queue[count++] = callee;
		}
	}
}

/* Marks the functions of the path, which its next call cannot enter. */
static void mark_path(struct estimate *estimate, uint32_t node)
{
	const struct profile_node *nodes = estimate->profile->nodes;

	for (uint32_t at = node; at != 0; at = nodes[at].parent)
		estimate->seen[nodes[at].function] = node;
}

static bool is_followed(const struct estimate *estimate,
	const struct profile_edge *edge, uint32_t node)
{
	return estimate->seen[edge->callee] != node &&
	       estimate->profile->functions[edge->callee].device.kind ==
		       PROFILE_HOST;
}

/* The own time of the path's function and of all its calls that can be
 * followed; the path's time is divided among these. */
static wide sum_of_parts(
	const struct estimate *estimate, uint32_t node, uint32_t function)
{
	const struct profile *profile = estimate->profile;
	wide sum = profile->functions[function].cost.tottime_ns;

	for (uint32_t i = estimate->first[function];
		i < estimate->first[function + 1]; i++) {
		const struct profile_edge *edge =
			&profile->edges[estimate->order[i]];

		if (is_followed(estimate, edge, node))
			sum += edge_ns(estimate, edge);
	}
	return sum;
}

/* Gives the path's callees their shares of its time; the rest is its own. */
static bool share(struct estimate *estimate, uint32_t node)
{
	struct profile *profile = estimate->profile;
	uint32_t function = profile->nodes[node].function;
	uint64_t total_ns = estimate->total_ns[node];
	uint64_t function_ns = profile->functions[function].cost.cumtime_ns;
	wide parts;

	mark_path(estimate, node);
	parts = sum_of_parts(estimate, node, function);
	estimate->visits +=
		estimate->first[function + 1] - estimate->first[function];
	for (uint32_t i = estimate->first[function];
		i < estimate->first[function + 1]; i++) {
		const struct profile_edge *edge =
			&profile->edges[estimate->order[i]];
		uint64_t ns;
		uint64_t calls;

		if (!is_followed(estimate, edge, node) || parts == 0)
			continue;
		ns = (uint64_t)((wide)total_ns * edge_ns(estimate, edge) /
				parts);
		calls = total_ns >= function_ns
				? edge->cost.ncalls
				: scale(edge->cost.ncalls, total_ns,
					  function_ns);
		if (ns == 0 || profile->node_count >= NODES_MAX)
			continue;
		if (!add_node(estimate, node, edge->callee, ns,
			    calls == 0 ? 1 : calls))
			return false;
		profile->nodes[node].self_ns -= ns;
	}
	return true;
}

/* Follows the paths from node `from` on. */
static bool follow(struct estimate *estimate, uint32_t from)
{
	struct profile *profile = estimate->profile;

	for (uint32_t node = from; node < profile->node_count; node++) {
		if (estimate->total_ns[node] < estimate->least_ns ||
			estimate->depth[node] >= DEPTH_MAX ||
			estimate->visits >= VISITS_MAX ||
			profile->node_count >= NODES_MAX)
			continue;
		if (!share(estimate, node))
			return false;
	}
	return true;
}

static bool add_roots(struct estimate *estimate)
{
	const struct profile *profile = estimate->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (function->device.kind != PROFILE_HOST ||
			function->root.cumtime_ns == 0)
			continue;
		if (!add_node(estimate, 0, i, function->root.cumtime_ns,
			    function->root.ncalls))
			return false;
		mark_reachable(estimate, i);
	}
	return follow(estimate, 1);
}

/* Functions that no root reaches, such as a circle of callers. The profile is
 * sorted, so the longest of a circle comes first. */
static bool add_unreached(struct estimate *estimate)
{
	const struct profile *profile = estimate->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];
		uint32_t node = profile->node_count;

		if (estimate->reached[i] || function->cost.cumtime_ns == 0 ||
			function->device.kind != PROFILE_HOST ||
			node >= NODES_MAX)
			continue;
		if (!add_node(estimate, 0, i, function->cost.cumtime_ns,
			    function->cost.ncalls) ||
			!follow(estimate, node))
			return false;
		mark_reachable(estimate, i);
	}
	return true;
}

static bool make_tree(struct estimate *estimate)
{
	struct profile *profile = estimate->profile;
	size_t functions = (size_t)profile->function_count + 1;

	estimate->seen = memory_new_zeroed(functions, sizeof(*estimate->seen));
	estimate->reached =
		memory_new_zeroed(functions, sizeof(*estimate->reached));
	estimate->queue = memory_new(functions * sizeof(*estimate->queue));
	estimate->least_ns = profile->total_ns / PARTS;
	return estimate->seen != NULL && estimate->reached != NULL &&
	       estimate->queue != NULL && order_edges(estimate) &&
	       add_node(estimate, 0, PROFILE_NONE, 0, 0) &&
	       add_roots(estimate) && add_unreached(estimate);
}

enum ctp_status profile_estimate_tree(
	struct profile *profile, struct ctp_error *err)
{
	struct estimate estimate = {.profile = profile};
	enum ctp_status status = profile_sort(profile, err);
	bool done = status == CTP_OK && make_tree(&estimate);

	memory_free(estimate.total_ns);
	memory_free(estimate.depth);
	memory_free(estimate.order);
	memory_free(estimate.first);
	memory_free(estimate.seen);
	memory_free(estimate.reached);
	memory_free(estimate.queue);
	if (status != CTP_OK)
		return status;
	if (!done) {
		profile_clear_nodes(profile);
		return ctp_no_memory(err);
	}
	profile->tree_estimated = true;
	return CTP_OK;
}
