/* SPDX-License-Identifier: MIT */
/*
 * Sorting and pruning of a profile. Both copy into new tables through a map of
 * function numbers and swap at the end, so that a failure leaves the profile
 * unchanged.
 */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"

/* ---- the tree ---- */

/*
 * Copies a tree of calling contexts with new function numbers. The nodes are
 * first merged as edges (parent, function) of a scratch profile, whose table
 * finds equal ones, and then put into preorder. Neither step recurses, because
 * the input determines the depth.
 */

/* A merged node: number i of the scratch edges is node i + 1; 0 is the root. */
struct merged_node {
	uint32_t parent;
	uint32_t function;
	uint32_t node;
};

/* Merges the nodes into `scratch`; `merged` has the new number of each. */
static bool merge_nodes(struct profile *scratch, const struct profile *from,
	const uint32_t *map, uint32_t folded, uint32_t *merged)
{
	merged[0] = 0;
	for (uint32_t i = 1; i < from->node_count; i++) {
		const struct profile_node *node = &from->nodes[i];
		uint32_t parent = merged[node->parent];
		uint32_t function = map[node->function];
		struct profile_edge *edge;

		merged[i] = parent;
		if (function != folded || parent == 0 ||
			scratch->edges[parent - 1].callee != folded) {
			uint32_t number =
				profile_add_edge(scratch, parent, function);

			if (number == PROFILE_NONE)
				return false;
			merged[i] = number + 1;
		}
		edge = &scratch->edges[merged[i] - 1];
		edge->cost.ncalls =
			saturate_sum(edge->cost.ncalls, node->ncalls);
		edge->cost.tottime_ns =
			saturate_sum(edge->cost.tottime_ns, node->self_ns);
	}
	return true;
}

static int compare_merged(const void *left, const void *right)
{
	const struct merged_node *a = left;
	const struct merged_node *b = right;

	if (a->parent != b->parent)
		return a->parent > b->parent ? 1 : -1;
	return (a->function > b->function) - (a->function < b->function);
}

/* Arrays for ordering. */
struct preorder {
	struct merged_node *nodes; /* by (parent, function) */
	uint32_t *first;           /* of each merged node's children */
	uint32_t *stack;           /* nodes not yet added */
	uint32_t *number;          /* in the new tree, of each merged node */
};

static bool preorder_init(struct preorder *order, const struct profile *scratch)
{
	size_t count = scratch->edge_count;

	order->nodes = memory_new((count + 1) * sizeof(*order->nodes));
	order->first = memory_new_zeroed(count + 2, sizeof(*order->first));
	order->stack = memory_new((count + 1) * sizeof(*order->stack));
	order->number = memory_new((count + 1) * sizeof(*order->number));
	if (order->nodes == NULL || order->first == NULL ||
		order->stack == NULL || order->number == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_edge *edge = &scratch->edges[i];

		order->nodes[i] =
			(struct merged_node){edge->caller, edge->callee, i + 1};
		order->first[edge->caller + 1]++;
	}
	for (uint32_t i = 0; i < count; i++)
		order->first[i + 1] += order->first[i];
	qsort(order->nodes, count, sizeof(*order->nodes), compare_merged);
	return true;
}

static void preorder_clear(struct preorder *order)
{
	memory_free(order->nodes);
	memory_free(order->first);
	memory_free(order->stack);
	memory_free(order->number);
}

/* Pushes a node's children, the first one on top. */
static uint32_t push_children(
	const struct preorder *order, uint32_t node, uint32_t depth)
{
	for (uint32_t i = order->first[node + 1]; i > order->first[node]; i--)
		order->stack[depth++] = i - 1;
	return depth;
}

static bool add_ordered(struct profile *to, const struct profile *scratch,
	const struct preorder *order)
{
	uint32_t depth;

	if (profile_add_node(to, 0, PROFILE_NONE) == PROFILE_NONE)
		return false;
	order->number[0] = 0;
	depth = push_children(order, 0, 0);
	while (depth > 0) {
		const struct merged_node *merged =
			&order->nodes[order->stack[--depth]];
		const struct profile_cost *cost =
			&scratch->edges[merged->node - 1].cost;
		uint32_t node = profile_add_node(
			to, order->number[merged->parent], merged->function);

		if (node == PROFILE_NONE)
			return false;
		to->nodes[node].ncalls = cost->ncalls;
		to->nodes[node].self_ns = cost->tottime_ns;
		order->number[merged->node] = node;
		depth = push_children(order, merged->node, depth);
	}
	return true;
}

/*
 * Adds the tree of `from` to `to` in preorder with siblings by function; map[]
 * translates function numbers. Siblings that became the same function are
 * merged, and so is `folded` with a child that is also `folded` (PROFILE_NONE:
 * none). False if out of memory.
 */
static bool add_tree(struct profile *to, const struct profile *from,
	const uint32_t *map, uint32_t folded)
{
	struct profile scratch = {.text = NULL};
	struct preorder order = {0};
	uint32_t *merged;
	bool ok;

	if (from->node_count == 0)
		return true;
	merged = memory_new(from->node_count * sizeof(*merged));
	ok = merged != NULL &&
	     merge_nodes(&scratch, from, map, folded, merged) &&
	     preorder_init(&order, &scratch) &&
	     add_ordered(to, &scratch, &order);
	preorder_clear(&order);
	profile_clear_tables(&scratch);
	memory_free(merged);
	return ok;
}

/* ---- the order ---- */

/* A function with its sort key, which avoids cache misses on the functions
 * themselves. */
struct rank {
	uint64_t cumtime_ns;
	const char *name;
	const char *file;
	uint32_t number;
};

/* Equal texts have equal pointers. */
static int compare_ranks(const void *left, const void *right, void *user)
{
	const struct profile *profile = user;
	const struct rank *a = left;
	const struct rank *b = right;
	uint32_t line;
	uint32_t other;

	if (a->cumtime_ns != b->cumtime_ns)
		return a->cumtime_ns > b->cumtime_ns ? -1 : 1;
	if (a->name != b->name)
		return strcmp(a->name, b->name);
	if (a->file != b->file)
		return strcmp(a->file, b->file);
	line = profile->functions[a->number].line;
	other = profile->functions[b->number].line;
	return (line > other) - (line < other);
}

/* Adds the edges and nodes of `from` to `to`; map[] translates function
 * numbers. */
static bool add_mapped(struct profile *to, const struct profile *from,
	const uint32_t *map, uint32_t folded)
{
	return profile_add_edges(to, from, map) &&
	       add_tree(to, from, map, folded);
}

/* Replaces the tables of `profile` by those of `next`. */
static void replace_tables(struct profile *profile, struct profile *next)
{
	next->total_ns = profile->total_ns;
	next->open_calls = profile->open_calls;
	next->unmatched = profile->unmatched;
	next->flops = profile->flops;
	next->thread_count = profile->thread_count;
	next->no_root = profile->no_root;
	next->tree_estimated = profile->tree_estimated;
	profile_clear_tables(profile);
	*profile = *next;
}

/* Fills `next` with the sorted functions, and `map` with their new numbers. */
static bool copy_sorted(
	struct profile *next, struct profile *profile, uint32_t *map)
{
	uint32_t count = profile->function_count;
	size_t room = (size_t)count + 1;
	struct rank *ranks = memory_resize_array(NULL, room, sizeof(*ranks));

	next->functions =
		memory_resize_array(NULL, room, sizeof(*next->functions));
	if (ranks == NULL || next->functions == NULL) {
		memory_free(ranks);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		ranks[i] = (struct rank){function->cost.cumtime_ns,
			function->name, function->file, i};
	}
	qsort_r(ranks, count, sizeof(*ranks), compare_ranks, profile);
	for (uint32_t i = 0; i < count; i++) {
		map[ranks[i].number] = i;
		next->functions[i] = profile->functions[ranks[i].number];
	}
	next->function_count = count;
	next->function_room = count;
	memory_free(ranks);
	return true;
}

/* Stable counting sort of edges by one of their ends: `first` has the count of
 * each, and then the position of the next one. */
static void order_edges(const struct profile *profile, const uint32_t *from,
	uint32_t *to, uint32_t *first, bool by_callee)
{
	uint32_t sum = 0;

	memset(first, 0, profile->function_count * sizeof(*first));
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		first[by_callee ? edge->callee : edge->caller]++;
	}
	for (uint32_t i = 0; i < profile->function_count; i++) {
		uint32_t count = first[i];

		first[i] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[from[i]];

		to[first[by_callee ? edge->callee : edge->caller]++] = from[i];
	}
}

/* Sorts the edges of `profile` by callee, then caller; functions are sorted
 * already. */
static bool sort_edges(struct profile *profile)
{
	size_t count = profile->edge_count;
	struct profile_edge *sorted =
		memory_resize_array(NULL, count, sizeof(*sorted));
	uint32_t *order = memory_resize_array(
		NULL, 2 * count + profile->function_count, sizeof(*order));
	uint32_t *first;

	if (sorted == NULL || order == NULL) {
		memory_free(sorted);
		memory_free(order);
		return false;
	}
	first = order + 2 * count;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	order_edges(profile, order, order + count, first, false);
	order_edges(profile, order + count, order, first, true);
	for (size_t i = 0; i < count; i++)
		sorted[i] = profile->edges[order[i]];
	memory_free(order);
	memory_free(profile->edges);
	profile->edges = sorted;
	return true;
}

/* Copies the edges of `profile` one to one; map[] translates function
 * numbers. */
static bool copy_edges(struct profile *next, const struct profile *profile,
	const uint32_t *map)
{
	uint32_t count = profile->edge_count;

	if (count == 0)
		return true;
	next->edges = memory_resize_array(NULL, count, sizeof(*next->edges));
	if (next->edges == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		next->edges[i] = profile->edges[i];
		next->edges[i].caller = map[profile->edges[i].caller];
		next->edges[i].callee = map[profile->edges[i].callee];
	}
	next->edge_count = count;
	next->edge_room = count;
	return sort_edges(next);
}

enum ctp_status profile_sort(struct profile *profile, struct ctp_error *err)
{
	struct profile next = {.text = profile->text,
		.memory = profile->memory,
		.events = profile->events,
		.lines = profile->lines};
	uint32_t *map = memory_new(
		((size_t)profile->function_count + 1) * sizeof(*map));

	if (map == NULL || !copy_sorted(&next, profile, map) ||
		!copy_edges(&next, profile, map) ||
		!add_tree(&next, profile, map, PROFILE_NONE)) {
		memory_free(map);
		profile_clear_tables(&next);
		return ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while sorting the profile");
	}
	memory_free(map);
	replace_tables(profile, &next);
	profile->total_ns = 0;
	for (uint32_t i = 0; i < profile->function_count; i++)
		profile->total_ns = saturate_sum(profile->total_ns,
			profile->functions[i].cost.tottime_ns);
	return CTP_OK;
}

uint32_t *profile_callers(const struct profile *profile)
{
	uint32_t *first = memory_new_zeroed(
		(size_t)profile->function_count + 1, sizeof(*first));

	if (first == NULL)
		return NULL;
	for (uint32_t i = 0; i < profile->edge_count; i++)
		first[profile->edges[i].callee + 1]++;
	for (uint32_t i = 0; i < profile->function_count; i++)
		first[i + 1] += first[i];
	return first;
}

/* ---- pruning ---- */

static const char OTHER_NAME[] = "(other)";
static const char OTHER_FILE[] = "~";

static bool is_other(const struct profile_function *function)
{
	return function->line == 0 && strcmp(function->name, OTHER_NAME) == 0 &&
	       strcmp(function->file, OTHER_FILE) == 0;
}

struct limits {
	uint64_t min_cumtime_ns;
	uint32_t top; /* 0: all */
};

/* Whether the function after the `kept` ones so far is below a limit. */
static bool is_below(const struct profile_function *function, uint32_t kept,
	struct limits limits)
{
	return function->cost.cumtime_ns < limits.min_cumtime_ns ||
	       (limits.top != 0 && kept >= limits.top);
}

/*
 * Copies the kept functions into `next` and fills `map` with their new numbers;
 * PROFILE_NONE: pruned. An existing "(other)" is pruned, too, and not counted
 * in `top`.
 */
static bool add_kept(struct profile *next, const struct profile *profile,
	uint32_t *map, struct limits limits)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		map[i] = PROFILE_NONE;
		if (is_other(function) ||
			is_below(function, next->function_count, limits))
			continue;
		map[i] = profile_put_function(next, function);
		if (map[i] == PROFILE_NONE)
			return false;
	}
	return true;
}

/* Device time below several functions may overlap. */
static void cap_device(
	const struct profile *profile, struct profile_device *device)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].device.kind != PROFILE_HOST)
			most = saturate_sum(
				most, profile->functions[i].device.self_ns);
	if (device->self_ns > most)
		device->self_ns = most;
	if (device->total_ns > most)
		device->total_ns = most;
	if (device->captured_ns > most)
		device->captured_ns = most;
}

/* False if out of memory. */
static bool add_use(const struct profile *profile, struct profile_use *to,
	const struct profile_use *from)
{
	to->flops = saturate_sum(to->flops, from->flops);
	if (from->memory != 0)
		profile_memory_add_list(
			profile->memory, &to->memory, from->memory);
	return profile_events_add_row(
		profile->events, &to->events, profile->events, from->events);
}

/*
 * Sums the costs of the pruned functions. Only calls from kept functions count:
 * a call between two pruned functions is within the time of the call that
 * entered them. False if out of memory.
 */
static bool sum_other(const struct profile *profile, const uint32_t *map,
	struct profile_function *other)
{
	struct profile_cost *cost = &other->cost;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (map[i] != PROFILE_NONE)
			continue;
		cost->ncalls =
			saturate_sum(cost->ncalls, function->cost.ncalls);
		cost->tottime_ns = saturate_sum(
			cost->tottime_ns, function->cost.tottime_ns);
		profile_cost_add(&other->root, &function->root);
		other->device.self_ns = saturate_sum(
			other->device.self_ns, function->device.self_ns);
		other->device.total_ns = saturate_sum(
			other->device.total_ns, function->device.total_ns);
		other->device.captured_ns =
			saturate_sum(other->device.captured_ns,
				function->device.captured_ns);
		if (!add_use(profile, &other->use, &function->use))
			return false;
	}
	cap_device(profile, &other->device);
	cost->pcalls = other->root.pcalls;
	cost->cumtime_ns = other->root.cumtime_ns;
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		if (map[edge->callee] != PROFILE_NONE ||
			map[edge->caller] == PROFILE_NONE)
			continue;
		cost->pcalls = saturate_sum(cost->pcalls, edge->cost.pcalls);
		cost->cumtime_ns =
			saturate_sum(cost->cumtime_ns, edge->cost.cumtime_ns);
	}
	if (cost->pcalls > cost->ncalls)
		cost->pcalls = cost->ncalls;
	if (cost->cumtime_ns > profile->total_ns)
		cost->cumtime_ns = profile->total_ns;
	if (cost->cumtime_ns < cost->tottime_ns)
		cost->cumtime_ns = cost->tottime_ns;
	return true;
}

/*
 * Merged edges may have been open at the same time: limits their time to that
 * of the callee.
 */
static void cap_edges(struct profile *profile, uint32_t other)
{
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		struct profile_edge *edge = &profile->edges[i];
		uint64_t most =
			profile->functions[edge->callee].cost.cumtime_ns;

		if ((edge->caller == other || edge->callee == other) &&
			edge->cost.cumtime_ns > most)
			edge->cost.cumtime_ns = most;
	}
}

static bool make_pruned(struct profile *next, const struct profile *profile,
	uint32_t *map, struct limits limits)
{
	struct profile_function empty = {.cost = {0}};
	uint32_t other;

	if (!add_kept(next, profile, map, limits))
		return false;
	other = profile_add_function(next, OTHER_NAME, OTHER_FILE, 0);
	if (other == PROFILE_NONE)
		return false;
	empty.name = next->functions[other].name;
	empty.file = next->functions[other].file;
	if (!sum_other(profile, map, &empty))
		return false;
	if (profile->memory != NULL && profile->memory->failed)
		return false;
	next->functions[other] = empty;
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (map[i] == PROFILE_NONE)
			map[i] = other;
	if (!add_mapped(next, profile, map, other))
		return false;
	cap_edges(next, other);
	return true;
}

/* Whether there is a function to prune, besides an existing "(other)". */
static bool is_over(const struct profile *profile, struct limits limits)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (is_other(function))
			continue;
		if (is_below(function, kept, limits))
			return true;
		kept++;
	}
	return false;
}

enum ctp_status profile_prune(struct profile *profile, uint64_t min_cumtime_ns,
	uint32_t top, struct ctp_error *err)
{
	struct limits limits = {min_cumtime_ns, top};
	struct profile next = {.text = profile->text,
		.memory = profile->memory,
		.events = profile->events,
		.lines = profile->lines};
	enum ctp_status status = profile_sort(profile, err);
	uint32_t *map;

	if (status != CTP_OK || !is_over(profile, limits))
		return status;
	map = memory_new(profile->function_count * sizeof(*map));
	if (map == NULL || !make_pruned(&next, profile, map, limits)) {
		memory_free(map);
		profile_clear_tables(&next);
		return ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while pruning the profile");
	}
	memory_free(map);
	replace_tables(profile, &next);
	return profile_sort(profile, err);
}
