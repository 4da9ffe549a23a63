/* SPDX-License-Identifier: MIT */
/*
 * The costs of traced functions, from the paths of calls, by cProfile's rules:
 * a path is primitive for its function if the function is not on it before, and
 * for an edge likewise.
 *
 * The functions most worth taking out of the compiled region are chosen one by
 * one. Each saves the whole time of its inlined calls. Calls inside one another
 * count once, and calls that an earlier choice has taken out do not count. A
 * frame stays in its own region, and a program cannot change PyTorch's own
 * functions.
 */
#include "compilations/tracing.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"

/* Arrays for walks over the contexts; numbers in them are from 1. */
struct walk {
	struct tracing *tracing;
	uint32_t *first;     /* child, by parent */
	uint32_t *next;      /* sibling */
	uint64_t *whole_ns;  /* by context */
	uint32_t *open;      /* by function */
	uint32_t *edge_open; /* by edge */
	uint32_t *edge;      /* by context */
	uint64_t *saved_ns;  /* by function */
	bool *is_out;        /* by function */
	/* Returns whether to enter the context. */
	bool (*enter)(struct walk *walk, uint32_t context);
	void (*leave)(struct walk *walk, uint32_t context);
};

static uint32_t parent_of(const struct walk *walk, uint32_t context)
{
	return (uint32_t)tracing_contexts(walk->tracing)[context].key.first;
}

static uint32_t function_of(const struct walk *walk, uint32_t context)
{
	return (uint32_t)tracing_contexts(walk->tracing)[context].key.second;
}

/* All contexts in preorder, without recursion: paths may be long. */
static void run(struct walk *walk)
{
	uint32_t at = walk->first[0];

	while (at != 0) {
		bool entered = walk->enter(walk, at - 1);

		if (entered && walk->first[at] != 0) {
			at = walk->first[at];
			continue;
		}
		if (entered)
			walk->leave(walk, at - 1);
		while (walk->next[at] == 0 && parent_of(walk, at - 1) != 0) {
			at = parent_of(walk, at - 1);
			walk->leave(walk, at - 1);
		}
		at = walk->next[at];
	}
}

static void link_children(struct walk *walk)
{
	for (uint32_t i = walk->tracing->contexts.count; i > 0; i--) {
		uint32_t parent = parent_of(walk, i - 1);

		walk->next[i] = walk->first[parent];
		walk->first[parent] = i;
	}
}

/* Adds the edges between contexts and their parents. */
static bool add_edges(struct walk *walk)
{
	struct tracing *tracing = walk->tracing;

	for (uint32_t i = 0; i < tracing->contexts.count; i++) {
		uint32_t parent = parent_of(walk, i);
		uint32_t edge;

		if (parent == 0)
			continue;
		edge = tracing_find(&tracing->edges,
			sizeof(struct tracing_edge),
			function_of(walk, parent - 1), function_of(walk, i));
		if (edge == TRACE_NONE)
			return false;
		walk->edge[i] = edge + 1;
	}
	return true;
}

static bool init(struct walk *walk, struct tracing *tracing)
{
	size_t contexts = (size_t)tracing->contexts.count + 1;
	size_t functions = (size_t)tracing->functions.count + 1;

	*walk = (struct walk){.tracing = tracing,
		.first = memory_new_zeroed(contexts, sizeof(uint32_t)),
		.next = memory_new_zeroed(contexts, sizeof(uint32_t)),
		.whole_ns = memory_new_zeroed(contexts, sizeof(uint64_t)),
		.edge = memory_new_zeroed(contexts, sizeof(uint32_t)),
		.open = memory_new_zeroed(functions, sizeof(uint32_t)),
		.saved_ns = memory_new_zeroed(functions, sizeof(uint64_t)),
		.is_out = memory_new_zeroed(functions, sizeof(bool))};
	if (walk->first == NULL || walk->next == NULL ||
		walk->whole_ns == NULL || walk->edge == NULL ||
		walk->open == NULL || walk->saved_ns == NULL ||
		walk->is_out == NULL || !add_edges(walk))
		return false;
	walk->edge_open = memory_new_zeroed(
		(size_t)tracing->edges.count + 1, sizeof(uint32_t));
	if (walk->edge_open == NULL)
		return false;
	link_children(walk);
	return true;
}

static void clear(struct walk *walk)
{
	memory_free(walk->first);
	memory_free(walk->next);
	memory_free(walk->whole_ns);
	memory_free(walk->edge);
	memory_free(walk->open);
	memory_free(walk->edge_open);
	memory_free(walk->saved_ns);
	memory_free(walk->is_out);
}

/* An inlined context of a function that was taken out. */
static bool is_out(const struct walk *walk, uint32_t context)
{
	return parent_of(walk, context) != 0 &&
	       walk->is_out[function_of(walk, context)];
}

/* The time of each context with those in it that are not taken out. */
static void sum_up(struct walk *walk)
{
	const struct tracing_context *contexts =
		tracing_contexts(walk->tracing);
	uint32_t count = walk->tracing->contexts.count;

	for (uint32_t i = 0; i < count; i++)
		walk->whole_ns[i] = contexts[i].self_ns;
	for (uint32_t i = count; i > 0; i--) {
		uint32_t parent = parent_of(walk, i - 1);

		if (parent != 0 && !is_out(walk, i - 1))
			walk->whole_ns[parent - 1] =
				saturate_sum(walk->whole_ns[parent - 1],
					walk->whole_ns[i - 1]);
	}
}

/* ---- costs ---- */

static void add_cost(struct profile_cost *cost,
	const struct tracing_context *context, uint64_t whole_ns,
	bool primitive)
{
	cost->ncalls = saturate_sum(cost->ncalls, context->ncalls);
	cost->tottime_ns = saturate_sum(cost->tottime_ns, context->self_ns);
	if (!primitive)
		return;
	cost->pcalls = saturate_sum(cost->pcalls, context->ncalls);
	cost->cumtime_ns = saturate_sum(cost->cumtime_ns, whole_ns);
}

static bool enter_cost(struct walk *walk, uint32_t number)
{
	struct tracing *tracing = walk->tracing;
	const struct tracing_context *context =
		&tracing_contexts(tracing)[number];
	uint32_t function = function_of(walk, number);
	uint32_t edge = walk->edge[number];

	add_cost(&tracing_functions(tracing)[function].cost, context,
		walk->whole_ns[number], walk->open[function]++ == 0);
	if (edge != 0)
		add_cost(&tracing_edges(tracing)[edge - 1].cost, context,
			walk->whole_ns[number],
			walk->edge_open[edge - 1]++ == 0);
	return true;
}

static void leave_cost(struct walk *walk, uint32_t number)
{
	walk->open[function_of(walk, number)]--;
	if (walk->edge[number] != 0)
		walk->edge_open[walk->edge[number] - 1]--;
}

static void count_costs(struct walk *walk)
{
	struct tracing *tracing = walk->tracing;

	sum_up(walk);
	walk->enter = enter_cost;
	walk->leave = leave_cost;
	run(walk);
	for (uint32_t i = 0; i < tracing->functions.count; i++) {
		const struct tracing_function *function =
			&tracing_functions(tracing)[i];

		tracing->call_count = saturate_sum(
			tracing->call_count, function->cost.ncalls);
		tracing->traced_ns = saturate_sum(
			tracing->traced_ns, function->cost.tottime_ns);
		tracing->traced_bytecode = saturate_sum(
			tracing->traced_bytecode, function->traced_bytecode);
	}
}

/* ---- functions to take out ---- */

static bool enter_saved(struct walk *walk, uint32_t number)
{
	uint32_t function = function_of(walk, number);

	if (parent_of(walk, number) == 0)
		return true;
	if (walk->is_out[function])
		return false;
	if (walk->open[function]++ == 0)
		walk->saved_ns[function] = saturate_sum(
			walk->saved_ns[function], walk->whole_ns[number]);
	return true;
}

static void leave_saved(struct walk *walk, uint32_t number)
{
	if (parent_of(walk, number) != 0)
		walk->open[function_of(walk, number)]--;
}

static bool is_in_torch(const struct tracing *tracing, const char *file)
{
	return (tracing->torch != NULL &&
		       strncmp(file, tracing->torch, strlen(tracing->torch)) ==
			       0) ||
	       strncmp(file, "torch/", strlen("torch/")) == 0 ||
	       strstr(file, "-packages/torch/") != NULL;
}

/* The function that saves most, the first in the table among equals. */
static uint32_t find_best(const struct walk *walk)
{
	const struct tracing *tracing = walk->tracing;
	uint32_t best = TRACE_NONE;

	for (uint32_t i = 0; i < tracing->functions.count; i++) {
		uint32_t number = tracing->order[i];

		if (walk->saved_ns[number] != 0 &&
			!tracing_functions(tracing)[number].is_torch &&
			(best == TRACE_NONE ||
				walk->saved_ns[number] > walk->saved_ns[best]))
			best = number;
	}
	return best;
}

static void save(struct walk *walk)
{
	sum_up(walk);
	memset(walk->saved_ns, 0,
		walk->tracing->functions.count * sizeof(*walk->saved_ns));
	run(walk);
}

static void pick(struct walk *walk)
{
	struct tracing *tracing = walk->tracing;
	struct tracing_function *functions = tracing_functions(tracing);

	walk->enter = enter_saved;
	walk->leave = leave_saved;
	save(walk);
	for (uint32_t i = 0; i < tracing->functions.count; i++) {
		functions[i].alone_ns = walk->saved_ns[i];
		functions[i].is_torch = is_in_torch(tracing, functions[i].file);
	}
	while (tracing->pick_count < TRACING_PICKS) {
		uint32_t best = find_best(walk);

		if (best == TRACE_NONE)
			return;
		tracing->picks[tracing->pick_count++] =
			(struct tracing_pick){best, walk->saved_ns[best]};
		walk->is_out[best] = true;
		save(walk);
	}
}

/* ---- order ---- */

static int compare_numbers(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

static int compare_functions(const void *a, const void *b, void *user)
{
	const struct tracing_function *functions = user;
	const struct tracing_function *left = &functions[*(const uint32_t *)a];
	const struct tracing_function *right = &functions[*(const uint32_t *)b];
	int order =
		compare_numbers(right->cost.cumtime_ns, left->cost.cumtime_ns);

	if (order == 0)
		order = compare_numbers(
			right->cost.tottime_ns, left->cost.tottime_ns);
	if (order == 0)
		order = strcmp(left->name, right->name);
	if (order == 0)
		order = strcmp(left->file, right->file);
	return order != 0 ? order : compare_numbers(left->line, right->line);
}

/* By callee; its callers with most time first. */
static int compare_edges(const void *a, const void *b, void *user)
{
	const struct tracing_function *functions = user;
	const struct tracing_edge *left = a;
	const struct tracing_edge *right = b;
	int order = compare_numbers(left->key.second, right->key.second);

	if (order == 0)
		order = compare_numbers(
			right->cost.cumtime_ns, left->cost.cumtime_ns);
	return order != 0 ? order
			  : compare_numbers(functions[left->key.first].order,
				    functions[right->key.first].order);
}

/* By function; its frames in the order of the inputs. */
static int compare_uses(const void *a, const void *b)
{
	const struct tracing_use *left = a;
	const struct tracing_use *right = b;
	int order = compare_numbers(left->key.first, right->key.first);

	return order != 0
		       ? order
		       : compare_numbers(left->key.second, right->key.second);
}

static bool sort_functions(struct tracing *tracing)
{
	struct tracing_function *functions = tracing_functions(tracing);
	uint32_t count = tracing->functions.count;

	tracing->order = memory_resize_array(
		NULL, (size_t)count + 1, sizeof(*tracing->order));
	if (tracing->order == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++)
		tracing->order[i] = i;
	qsort_r(tracing->order, count, sizeof(*tracing->order),
		compare_functions, functions);
	for (uint32_t i = 0; i < count; i++)
		functions[tracing->order[i]].order = i;
	return true;
}

/* Sorts what functions refer to; its indexes are useless then. */
static void sort_parts(struct tracing *tracing)
{
	struct tracing_function *functions = tracing_functions(tracing);
	struct tracing_edge *edges = tracing_edges(tracing);
	struct tracing_use *uses = tracing_uses(tracing);

	if (tracing->edges.count != 0)
		qsort_r(edges, tracing->edges.count, sizeof(*edges),
			compare_edges, functions);
	for (uint32_t i = 0; i < tracing->edges.count; i++) {
		struct tracing_function *callee =
			&functions[edges[i].key.second];

		if (callee->edge_count++ == 0)
			callee->first_edge = i;
	}
	if (tracing->uses.count != 0)
		qsort(uses, tracing->uses.count, sizeof(*uses), compare_uses);
	for (uint32_t i = 0; i < tracing->uses.count; i++) {
		struct tracing_function *function =
			&functions[uses[i].key.first];

		if (function->use_count++ == 0)
			function->first_use = i;
		tracing_frames(tracing)[uses[i].key.second].function_count++;
	}
}

bool tracing_finish(struct tracing *tracing)
{
	struct walk walk;
	bool done = init(&walk, tracing);

	if (done) {
		count_costs(&walk);
		done = sort_functions(tracing);
	}
	if (done) {
		sort_parts(tracing);
		pick(&walk);
	}
	clear(&walk);
	return done;
}
