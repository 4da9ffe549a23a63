/* SPDX-License-Identifier: MIT */
/*
 * Keeps the longest nodes. A parent is at least as long as its child and
 * precedes it, so the parents of kept nodes are kept, too. There is no
 * recursion, because the input determines the depth.
 */
#include "profile/flame_tree.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

/* A node that is not yet in its final place. */
struct pending_node {
	struct flame_node node; /* its parent is a pending number */
	uint32_t number;
	uint32_t other; /* pending number of its "(other)"; 0: none */
};

struct maker {
	const struct profile *profile;
	const struct flame_options *options;
	struct flame_tree *tree;
	uint64_t *total_ns;      /* by node of the profile */
	uint64_t *base_total_ns; /* the same; NULL without a base */
	uint32_t *depth;         /* likewise */
	/* By node: first 1 if it is kept, then the number of its pending node
	 * or of the "(other)" that contains it. */
	uint32_t *place;
	struct pending_node *pending;
	uint32_t count;
};

/* Saturating addition. */
static void add(uint64_t *to, uint64_t more)
{
	*to = *to > UINT64_MAX - more ? UINT64_MAX : *to + more;
}

/* Whether the node belongs to the shown side; otherwise it only leads there. */
static bool is_shown(const struct maker *maker, uint32_t number)
{
	const struct profile *profile = maker->profile;
	uint32_t function = profile->nodes[number].function;
	bool device = profile->functions[function].device.kind != PROFILE_HOST;

	return device == (maker->options->side == FLAME_DEVICE);
}

static uint64_t self_of(const struct maker *maker, uint32_t number)
{
	return is_shown(maker, number) ? maker->profile->nodes[number].self_ns
				       : 0;
}

static uint64_t base_self_of(const struct maker *maker, uint32_t number)
{
	return is_shown(maker, number) ? maker->options->base[number].self_ns
				       : 0;
}

static bool allocate(struct maker *maker)
{
	size_t count = (size_t)maker->profile->node_count + 1;

	maker->total_ns = memory_new_zeroed(count, sizeof(*maker->total_ns));
	maker->depth = memory_new_zeroed(count, sizeof(*maker->depth));
	maker->place = memory_new_zeroed(count, sizeof(*maker->place));
	if (maker->options->base != NULL)
		maker->base_total_ns =
			memory_new_zeroed(count, sizeof(*maker->base_total_ns));
	return maker->total_ns != NULL && maker->depth != NULL &&
	       maker->place != NULL &&
	       (maker->options->base == NULL || maker->base_total_ns != NULL);
}

/* Leaves first: a parent precedes its children. */
static void sum(struct maker *maker)
{
	const struct profile *profile = maker->profile;
	struct flame_tree *tree = maker->tree;

	for (uint32_t i = profile->node_count; i-- > 1;) {
		uint32_t parent = profile->nodes[i].parent;

		add(&maker->total_ns[i], self_of(maker, i));
		add(&maker->total_ns[parent], maker->total_ns[i]);
		if (maker->base_total_ns == NULL)
			continue;
		add(&maker->base_total_ns[i], base_self_of(maker, i));
		add(&maker->base_total_ns[parent], maker->base_total_ns[i]);
		if (maker->total_ns[i] > 0 || maker->base_total_ns[i] == 0)
			continue;
		tree->gone++;
		add(&tree->gone_ns, base_self_of(maker, i));
	}
	for (uint32_t i = 1; i < profile->node_count; i++)
		maker->depth[i] = maker->depth[profile->nodes[i].parent] + 1;
}

/* Whether the node may be kept. */
static bool is_candidate(const struct maker *maker, uint32_t number)
{
	return maker->total_ns[number] > 0 &&
	       maker->depth[number] <= maker->options->depth;
}

/* The shortest time of the `kept` longest candidates, of which there are more,
 * digit by digit from the highest. `equal` is how many of the candidates with
 * this time are among them. */
static uint64_t find_shortest(
	const struct maker *maker, uint32_t kept, uint32_t *equal)
{
	uint64_t shortest_ns = 0;
	uint64_t known = 0; /* the bits of the digits that are known */

	for (unsigned shift = 64; shift > 0;) {
		uint32_t counts[256] = {0};
		unsigned digit = 255;

		shift -= 8;
		for (uint32_t i = 1; i < maker->profile->node_count; i++)
			if (is_candidate(maker, i) &&
				(maker->total_ns[i] & known) == shortest_ns)
				counts[maker->total_ns[i] >> shift & 255]++;
		while (counts[digit] < kept)
			kept -= counts[digit--];
		shortest_ns |= (uint64_t)digit << shift;
		known |= UINT64_C(255) << shift;
	}
	*equal = kept;
	return shortest_ns;
}

/* Marks the kept nodes in `place`; returns their number. */
static uint32_t select_nodes(struct maker *maker)
{
	uint64_t shortest_ns = 0;
	uint32_t count = 0;
	uint32_t equal = 0;

	for (uint32_t i = 1; i < maker->profile->node_count; i++)
		count += is_candidate(maker, i);
	if (count > maker->options->nodes) {
		count = maker->options->nodes;
		shortest_ns = find_shortest(maker, count, &equal);
	}
	for (uint32_t i = 1; i < maker->profile->node_count; i++) {
		if (!is_candidate(maker, i) || maker->total_ns[i] < shortest_ns)
			continue;
		if (maker->total_ns[i] == shortest_ns) {
			if (equal == 0)
				continue;
			equal--;
		}
		maker->place[i] = 1;
	}
	return count;
}

/* Adds the node's costs in the profile and in the base. */
static void add_cost(
	const struct maker *maker, uint32_t number, struct flame_node *node)
{
	bool shown = is_shown(maker, number);

	/* The host nodes that lead to device work show their own calls. */
	if (shown || maker->options->side == FLAME_DEVICE)
		add(&node->cost.calls, maker->profile->nodes[number].ncalls);
	add(&node->cost.total_ns, maker->total_ns[number]);
	if (maker->base_total_ns == NULL)
		return;
	add(&node->base.calls, maker->options->base[number].calls);
	add(&node->base.total_ns, maker->base_total_ns[number]);
}

/* Adds a pending node without costs. */
static struct flame_node *add_pending(
	struct maker *maker, uint32_t function, uint32_t parent)
{
	struct pending_node *pending_node = &maker->pending[maker->count];

	pending_node->number = maker->count++;
	pending_node->node.function = function;
	pending_node->node.parent = parent;
	return &pending_node->node;
}

static void add_path(struct maker *maker, uint32_t number, uint32_t parent)
{
	struct flame_node *node;

	maker->place[number] = maker->count;
	node = add_pending(
		maker, maker->profile->nodes[number].function, parent);
	add_cost(maker, number, node);
	node->cost.self_ns = self_of(maker, number);
	if (maker->base_total_ns != NULL)
		node->base.self_ns = base_self_of(maker, number);
}

/* Folds a node into the "(other)" of its parent, which is kept. */
static void fold(struct maker *maker, uint32_t number, uint32_t parent)
{
	uint32_t other = maker->pending[parent].other;
	struct flame_node *node;

	if (other == 0) {
		other = maker->count;
		maker->pending[parent].other = other;
		(void)add_pending(maker, FLAME_OTHER, parent);
	}
	node = &maker->pending[other].node;
	add_cost(maker, number, node);
	node->cost.self_ns = node->cost.total_ns;
	node->base.self_ns = node->base.total_ns;
	node->folded++;
	maker->place[number] = other;
}

static bool allocate_pending(struct maker *maker, uint32_t kept)
{
	struct flame_node *root;

	/* Each node may have an "(other)". */
	maker->pending = memory_new_zeroed(
		2 * ((size_t)kept + 1), sizeof(*maker->pending));
	if (maker->pending == NULL)
		return false;
	root = add_pending(maker, FLAME_ALL, 0);
	root->cost.total_ns = maker->total_ns[0];
	if (maker->base_total_ns != NULL)
		root->base.total_ns = maker->base_total_ns[0];
	return true;
}

static void fill_pending(struct maker *maker)
{
	const struct profile *profile = maker->profile;

	for (uint32_t i = 1; i < profile->node_count; i++) {
		uint32_t parent = maker->place[profile->nodes[i].parent];

		if (maker->total_ns[i] == 0)
			continue;
		if (maker->place[i] == 1) {
			add_path(maker, i, parent);
			continue;
		}
		maker->tree->folded++;
		if (maker->pending[parent].node.function != FLAME_OTHER) {
			fold(maker, i, parent);
			continue;
		}
		maker->pending[parent].node.folded++;
		maker->place[i] = parent;
	}
}

static int compare_pending(const void *left, const void *right)
{
	const struct flame_node *a = &((const struct pending_node *)left)->node;
	const struct flame_node *b =
		&((const struct pending_node *)right)->node;
	bool other = a->function == FLAME_OTHER;

	if (a->parent != b->parent)
		return a->parent > b->parent ? 1 : -1;
	if (other != (b->function == FLAME_OTHER))
		return other ? 1 : -1;
	if (a->cost.total_ns != b->cost.total_ns)
		return a->cost.total_ns > b->cost.total_ns ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* Arrays for ordering the pending nodes, by their numbers. */
struct order {
	uint32_t *first;  /* index of the first child after sorting */
	uint32_t *number; /* in the tree */
	uint32_t *stack;  /* nodes that are not in the tree yet */
	uint64_t *end_ns; /* end of the children placed so far, by tree node */
};

static bool order_init(struct order *order, struct maker *maker)
{
	size_t count = maker->count;

	*order = (struct order){
		.first = memory_new_zeroed(count + 2, sizeof(*order->first)),
		.number = memory_new(count * sizeof(*order->number)),
		.stack = memory_new(count * sizeof(*order->stack)),
		.end_ns = memory_new(count * sizeof(*order->end_ns)),
	};
	if (order->first == NULL || order->number == NULL ||
		order->stack == NULL || order->end_ns == NULL)
		return false;
	/* The root, which is its own parent, stays first. */
	qsort(maker->pending + 1, count - 1, sizeof(*maker->pending),
		compare_pending);
	order->first[0] = 1;
	for (uint32_t i = 1; i < count; i++)
		order->first[maker->pending[i].node.parent + 1]++;
	for (uint32_t i = 0; i < count; i++)
		order->first[i + 1] += order->first[i];
	return true;
}

static void order_clear(struct order *order)
{
	memory_free(order->first);
	memory_free(order->number);
	memory_free(order->stack);
	memory_free(order->end_ns);
}

/* Appends a pending node to the tree. */
static void place_node(struct maker *maker, struct order *order, uint32_t at)
{
	struct flame_tree *tree = maker->tree;
	uint32_t number = tree->count++;
	struct flame_node *node = &tree->nodes[number];

	*node = maker->pending[at].node;
	order->number[maker->pending[at].number] = number;
	if (number > 0) {
		node->parent = order->number[node->parent];
		node->depth = tree->nodes[node->parent].depth + 1;
		node->start_ns = order->end_ns[node->parent];
		add(&order->end_ns[node->parent], node->cost.total_ns);
	}
	order->end_ns[number] = node->start_ns;
	if (node->depth > tree->depth)
		tree->depth = node->depth;
}

static bool place_nodes(struct maker *maker)
{
	struct order order;
	uint32_t waiting = 1;
	bool ok = order_init(&order, maker);

	maker->tree->nodes = memory_resize_array(
		NULL, maker->count, sizeof(*maker->tree->nodes));
	if (!ok || maker->tree->nodes == NULL) {
		order_clear(&order);
		return false;
	}
	order.stack[0] = 0;
	while (waiting > 0) {
		uint32_t at = order.stack[--waiting];
		uint32_t number = maker->pending[at].number;

		place_node(maker, &order, at);
		for (uint32_t i = order.first[number + 1];
			i > order.first[number]; i--)
			order.stack[waiting++] = i - 1;
	}
	order_clear(&order);
	return true;
}

static bool build(struct maker *maker)
{
	if (!allocate(maker))
		return false;
	sum(maker);
	if (!allocate_pending(maker, select_nodes(maker)))
		return false;
	fill_pending(maker);
	return place_nodes(maker);
}

enum ctp_status flame_tree_new(const struct profile *profile,
	const struct flame_options *options, struct flame_tree **out,
	struct ctp_error *err)
{
	struct maker maker = {.profile = profile, .options = options};
	bool ok;

	maker.tree = memory_new_zeroed(1, sizeof(*maker.tree));
	ok = maker.tree != NULL && build(&maker);
	memory_free(maker.total_ns);
	memory_free(maker.base_total_ns);
	memory_free(maker.depth);
	memory_free(maker.place);
	memory_free(maker.pending);
	if (!ok) {
		flame_tree_free(maker.tree);
		return ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while making a flame graph");
	}
	*out = maker.tree;
	return CTP_OK;
}

void flame_tree_free(struct flame_tree *tree)
{
	if (tree == NULL)
		return;
	memory_free(tree->nodes);
	memory_free(tree);
}
