/* SPDX-License-Identifier: MIT */
/*
 * Copies a tree of calling contexts while its functions get other numbers.
 * The nodes are first merged as edges (parent, function) of a profile made for
 * that, whose table finds equal ones, and then put into preorder: neither step
 * recurses, since the depth is the input's.
 */
#include "base/memory.h"
#include "profile/profile.h"

#include <stdlib.h>

#include "profile/profile_private.h"

/* A merged node: number i of the scratch edges is node i + 1; 0 is the root. */
struct branch {
	uint32_t parent;
	uint32_t function;
	uint32_t node;
};

/* Merges the nodes into `scratch`; `moved` says where each one went. */
static bool merge(struct profile *scratch, const struct profile *from,
	const uint32_t *map, uint32_t folded, uint32_t *moved)
{
	moved[0] = 0;
	for (uint32_t i = 1; i < from->node_count; i++) {
		const struct profile_node *node = &from->nodes[i];
		uint32_t parent = moved[node->parent];
		uint32_t function = map[node->function];
		struct profile_edge *edge;

		moved[i] = parent;
		if (function != folded || parent == 0 ||
			scratch->edges[parent - 1].callee != folded) {
			uint32_t number =
				profile_add_edge(scratch, parent, function);

			if (number == PROFILE_NONE)
				return false;
			moved[i] = number + 1;
		}
		edge = &scratch->edges[moved[i] - 1];
		edge->cost.ncalls += node->ncalls;
		edge->cost.tottime_ns += node->self_ns;
	}
	return true;
}

static int compare_branches(const void *left, const void *right)
{
	const struct branch *a = left;
	const struct branch *b = right;

	if (a->parent != b->parent)
		return a->parent > b->parent ? 1 : -1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The arrays that ordering needs, in one piece of memory each. */
struct sorted_source {
	struct branch *branches; /* by (parent, function) */
	uint32_t *first;         /* of each merged node's children */
	uint32_t *stack;         /* branches still to be added */
	uint32_t *number;        /* in the new tree, of each merged node */
};

static bool order_init(
	struct sorted_source *order, const struct profile *scratch)
{
	size_t count = scratch->edge_count;

	order->branches = memory_new((count + 1) * sizeof(*order->branches));
	order->first = memory_new_zeroed(count + 2, sizeof(*order->first));
	order->stack = memory_new((count + 1) * sizeof(*order->stack));
	order->number = memory_new((count + 1) * sizeof(*order->number));
	if (order->branches == NULL || order->first == NULL ||
		order->stack == NULL || order->number == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_edge *edge = &scratch->edges[i];

		order->branches[i] =
			(struct branch){edge->caller, edge->callee, i + 1};
		order->first[edge->caller + 1]++;
	}
	for (uint32_t i = 0; i < count; i++)
		order->first[i + 1] += order->first[i];
	qsort(order->branches, count, sizeof(*order->branches),
		compare_branches);
	return true;
}

static void order_clear(struct sorted_source *order)
{
	memory_free(order->branches);
	memory_free(order->first);
	memory_free(order->stack);
	memory_free(order->number);
}

/* Puts a node's children onto the stack, the first one on top. */
static uint32_t push_children(
	const struct sorted_source *order, uint32_t node, uint32_t depth)
{
	for (uint32_t i = order->first[node + 1]; i > order->first[node]; i--)
		order->stack[depth++] = i - 1;
	return depth;
}

static bool add_ordered(struct profile *to, const struct profile *scratch,
	const struct sorted_source *order)
{
	uint32_t depth;

	if (profile_add_node(to, 0, PROFILE_NONE) == PROFILE_NONE)
		return false;
	order->number[0] = 0;
	depth = push_children(order, 0, 0);
	while (depth > 0) {
		const struct branch *branch =
			&order->branches[order->stack[--depth]];
		const struct profile_cost *cost =
			&scratch->edges[branch->node - 1].cost;
		uint32_t node = profile_add_node(
			to, order->number[branch->parent], branch->function);

		if (node == PROFILE_NONE)
			return false;
		to->nodes[node].ncalls = cost->ncalls;
		to->nodes[node].self_ns = cost->tottime_ns;
		order->number[branch->node] = node;
		depth = push_children(order, branch->node, depth);
	}
	return true;
}

bool profile_tree_add(struct profile *to, const struct profile *from,
	const uint32_t *map, uint32_t folded)
{
	struct profile scratch = {.text = NULL};
	struct sorted_source order = {0};
	uint32_t *moved;
	bool ok;

	if (from->node_count == 0)
		return true;
	moved = memory_new(from->node_count * sizeof(*moved));
	ok = moved != NULL && merge(&scratch, from, map, folded, moved) &&
	     order_init(&order, &scratch) && add_ordered(to, &scratch, &order);
	order_clear(&order);
	profile_clear_tables(&scratch);
	memory_free(moved);
	return ok;
}
