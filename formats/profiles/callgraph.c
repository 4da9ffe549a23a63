/* SPDX-License-Identifier: MIT */
#include "profiles/callgraph.h"

#include <stdlib.h>

#include "base/memory.h"

static int compare_times(
	const struct profile_edge *a, const struct profile_edge *b)
{
	if (a->cost.cumtime_ns != b->cost.cumtime_ns)
		return a->cost.cumtime_ns > b->cost.cumtime_ns ? -1 : 1;
	return (a->cost.ncalls < b->cost.ncalls) -
	       (a->cost.ncalls > b->cost.ncalls);
}

static int compare_in(const void *left, const void *right)
{
	const struct profile_edge *a =
		*(const struct profile_edge *const *)left;
	const struct profile_edge *b =
		*(const struct profile_edge *const *)right;
	int order = (a->callee > b->callee) - (a->callee < b->callee);

	if (order == 0)
		order = compare_times(a, b);
	if (order == 0)
		order = (a->caller > b->caller) - (a->caller < b->caller);
	return order;
}

static int compare_out(const void *left, const void *right)
{
	const struct profile_edge *a =
		*(const struct profile_edge *const *)left;
	const struct profile_edge *b =
		*(const struct profile_edge *const *)right;
	int order = (a->caller > b->caller) - (a->caller < b->caller);

	if (order == 0)
		order = compare_times(a, b);
	if (order == 0)
		order = (a->callee > b->callee) - (a->callee < b->callee);
	return order;
}

enum ctp_status callgraph_init(struct callgraph *graph,
	const struct profile *profile, struct ctp_error *err)
{
	size_t functions = (size_t)profile->function_count + 1;
	size_t edges = (size_t)profile->edge_count + 1;

	graph->profile = profile;
	graph->in = memory_new(edges * sizeof(*graph->in));
	graph->out = memory_new(edges * sizeof(*graph->out));
	graph->in_first =
		memory_new_zeroed(functions, sizeof(*graph->in_first));
	graph->out_first =
		memory_new_zeroed(functions, sizeof(*graph->out_first));
	if (graph->in == NULL || graph->out == NULL ||
		graph->in_first == NULL || graph->out_first == NULL)
		return ctp_fail(err, CTP_ERR_NOMEM,
			"out of memory while making the call graph");
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *edge = &profile->edges[i];

		graph->in[i] = edge;
		graph->out[i] = edge;
		graph->in_first[edge->callee + 1]++;
		graph->out_first[edge->caller + 1]++;
	}
	for (uint32_t i = 0; i < profile->function_count; i++) {
		graph->in_first[i + 1] += graph->in_first[i];
		graph->out_first[i + 1] += graph->out_first[i];
	}
	qsort(graph->in, edges - 1, sizeof(*graph->in), compare_in);
	qsort(graph->out, edges - 1, sizeof(*graph->out), compare_out);
	return CTP_OK;
}

void callgraph_clear(struct callgraph *graph)
{
	memory_free(graph->in);
	memory_free(graph->out);
	memory_free(graph->in_first);
	memory_free(graph->out_first);
	*graph = (struct callgraph){.profile = NULL};
}

/* Tarjan's algorithm with an explicit stack, because call chains get deep. */
struct cycle_search {
	const struct callgraph *graph;
	uint32_t *order;  /* order of visit, from 1; 0: not visited */
	uint32_t *low;    /* the earliest reachable function */
	uint32_t *next;   /* next edge of `out` */
	uint32_t *path;   /* from the search's start to its current function */
	uint32_t *open;   /* visited, but not in a finished component */
	uint32_t *member; /* its component; 0: open or not visited */
	uint32_t depth;
	uint32_t open_count;
	uint32_t met;
	uint32_t components;
};

static void enter(struct cycle_search *search, uint32_t function)
{
	search->order[function] = ++search->met;
	search->low[function] = search->met;
	search->next[function] = search->graph->out_first[function];
	search->path[search->depth++] = function;
	search->open[search->open_count++] = function;
}

/* Returns to the caller; finishes a component at its first function. */
static void leave(struct cycle_search *search)
{
	uint32_t function = search->path[--search->depth];
	uint32_t last;

	if (search->depth > 0) {
		uint32_t caller = search->path[search->depth - 1];

		if (search->low[function] < search->low[caller])
			search->low[caller] = search->low[function];
	}
	if (search->low[function] != search->order[function])
		return;
	search->components++;
	do {
		last = search->open[--search->open_count];
		search->member[last] = search->components;
	} while (last != function);
}

static void search_from(struct cycle_search *search, uint32_t start)
{
	enter(search, start);
	while (search->depth > 0) {
		uint32_t at = search->path[search->depth - 1];
		uint32_t callee;

		if (search->next[at] == search->graph->out_first[at + 1]) {
			leave(search);
			continue;
		}
		callee = search->graph->out[search->next[at]++]->callee;
		if (search->order[callee] == 0)
			enter(search, callee);
		else if (search->member[callee] == 0 &&
			 search->order[callee] < search->low[at])
			search->low[at] = search->order[callee];
	}
}

/* Numbers components of more than one function; `sizes` and `numbers` are
 * zeroed, with room for all components. */
static uint32_t number_cycles(const struct cycle_search *search, uint32_t count,
	uint32_t *sizes, uint32_t *numbers)
{
	uint32_t cycles = 0;

	for (uint32_t i = 0; i < count; i++)
		sizes[search->member[i]]++;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t component = search->member[i];

		if (sizes[component] > 1 && numbers[component] == 0)
			numbers[component] = ++cycles;
		search->member[i] = numbers[component];
	}
	return cycles;
}

uint32_t *callgraph_cycles(const struct callgraph *graph, uint32_t *count)
{
	uint32_t functions = graph->profile->function_count;
	size_t room = (size_t)functions + 1;
	uint32_t *tables = memory_new_zeroed(room * 7, sizeof(*tables));
	uint32_t *member = memory_new_zeroed(room, sizeof(*member));
	struct cycle_search search = {.graph = graph, .member = member};

	if (tables == NULL || member == NULL) {
		memory_free(tables);
		memory_free(member);
		return NULL;
	}
	search.order = tables;
	search.low = tables + room;
	search.next = tables + room * 2;
	search.path = tables + room * 3;
	search.open = tables + room * 4;
	for (uint32_t i = 0; i < functions; i++)
		if (search.order[i] == 0)
			search_from(&search, i);
	*count = number_cycles(
		&search, functions, tables + room * 5, tables + room * 6);
	memory_free(tables);
	return member;
}
