/* SPDX-License-Identifier: MIT */
#include "profiles/stacks.h"

#include "base/memory.h"

void stacks_init(struct stacks *stacks, struct profile *profile)
{
	*stacks = (struct stacks){.profile = profile};
}

void stacks_clear(struct stacks *stacks)
{
	profile_children_clear(&stacks->children);
	memory_free(stacks->frames);
	memory_free(stacks->function_seen);
	memory_free(stacks->edge_seen);
	memory_free(stacks->counted);
	*stacks = (struct stacks){.profile = NULL};
}

bool stacks_push(struct stacks *stacks, uint32_t function)
{
	if (!array_reserve(&stacks->frames, stacks->depth, &stacks->room,
		    sizeof(*stacks->frames)))
		return false;
	stacks->frames[stacks->depth++] = function;
	return true;
}

bool stacks_has_room(const struct stacks *stacks, uint64_t time_ns)
{
	return time_ns <= (uint64_t)INT64_MAX - stacks->total_ns;
}

/*
 * Adds calls to a function or an edge: the time counts once, no matter how
 * often it occurs in the sample.
 */
static void add_calls(
	struct profile_cost *cost, uint64_t calls, bool again, uint64_t time_ns)
{
	cost->ncalls += calls;
	if (again)
		return;
	cost->pcalls += calls;
	cost->cumtime_ns += time_ns;
}

static bool add_function(struct stacks *stacks, uint32_t function,
	uint64_t calls, uint64_t time_ns)
{
	if (!array_ensure_index(&stacks->function_seen, function,
		    &stacks->function_room, sizeof(*stacks->function_seen)))
		return false;
	add_calls(&stacks->profile->functions[function].cost, calls,
		stacks->function_seen[function] == stacks->count, time_ns);
	stacks->function_seen[function] = stacks->count;
	return true;
}

static bool add_edge(
	struct stacks *stacks, size_t depth, uint64_t calls, uint64_t time_ns)
{
	uint32_t edge = profile_add_edge(stacks->profile,
		stacks->frames[depth - 1], stacks->frames[depth]);
	struct profile_cost *cost;

	if (edge == PROFILE_NONE ||
		!array_ensure_index(&stacks->edge_seen, edge,
			&stacks->edge_room, sizeof(*stacks->edge_seen)))
		return false;
	cost = &stacks->profile->edges[edge].cost;
	add_calls(
		cost, calls, stacks->edge_seen[edge] == stacks->count, time_ns);
	if (depth + 1 == stacks->depth)
		cost->tottime_ns += time_ns;
	stacks->edge_seen[edge] = stacks->count;
	return true;
}

static void add_root(struct stacks *stacks, uint64_t calls, uint64_t time_ns)
{
	struct profile_cost *root =
		&stacks->profile->functions[stacks->frames[0]].root;

	add_calls(root, calls, false, time_ns);
	if (stacks->depth == 1)
		root->tottime_ns += time_ns;
}

/* The calls to add to a path for a sample that ends there. If the file counts
 * calls, the one that created the path is among them. */
static bool count_calls(
	struct stacks *stacks, uint32_t node, bool is_new, uint64_t *calls)
{
	if (*calls == 0) {
		*calls = is_new;
		return true;
	}
	if (!array_ensure_index(&stacks->counted, node, &stacks->counted_room,
		    sizeof(*stacks->counted)))
		return false;
	if (!is_new && !stacks->counted[node])
		(*calls)--;
	stacks->counted[node] = true;
	return true;
}

bool stacks_end(struct stacks *stacks, uint64_t time_ns)
{
	return stacks_end_counted(stacks, 0, time_ns);
}

bool stacks_end_counted(
	struct stacks *stacks, uint64_t counted, uint64_t time_ns)
{
	struct profile *profile = stacks->profile;
	uint32_t node = profile_add_node(profile, 0, PROFILE_NONE);

	if (node == PROFILE_NONE)
		return false;
	stacks->count++;
	stacks->total_ns += time_ns;
	for (size_t i = 0; i < stacks->depth; i++) {
		uint32_t count = profile->node_count;
		uint64_t calls;
		bool is_new;

		node = profile_children_find(
			&stacks->children, profile, node, stacks->frames[i]);
		if (node == PROFILE_NONE)
			return false;
		is_new = profile->node_count > count;
		calls = i + 1 < stacks->depth ? 0 : counted;
		if (!count_calls(stacks, node, is_new, &calls))
			return false;
		profile->nodes[node].ncalls += calls;
		if (!add_function(stacks, stacks->frames[i], calls, time_ns))
			return false;
		if (i > 0 && !add_edge(stacks, i, calls, time_ns))
			return false;
		if (i == 0)
			add_root(stacks, calls, time_ns);
	}
	if (stacks->depth > 0) {
		profile->nodes[node].self_ns += time_ns;
		profile->functions[stacks->frames[stacks->depth - 1]]
			.cost.tottime_ns += time_ns;
	}
	stacks->depth = 0;
	return true;
}
