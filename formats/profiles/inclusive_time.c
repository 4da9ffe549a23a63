/* SPDX-License-Identifier: MIT */
#include "profiles/inclusive_time.h"

#include "profiles/callgraph.h"
#include "base/memory.h"

/* Times of a function, or of a cycle as a whole. */
struct function_times {
	uint64_t own_ns;     /* itself and its calls that leave the cycle */
	uint64_t entered_ns; /* in calls from outside */
	uint64_t inside_ns;  /* longest call within the cycle */
	/* Itself and all its callees, within the cycle too; and in calls from
	 * any caller. A cycle's all_ns is its members' maximum of all_ns -
	 * called_ns. */
	uint64_t all_ns;
	uint64_t called_ns;
	uint64_t outer_calls;
	uint64_t inner_calls;
	bool is_entered; /* a cycle: called from outside */
};

struct totals {
	struct profile *profile;
	uint32_t *cycle_of; /* 0: none */
	struct function_times *known;
	struct function_times *cycles;
};

uint64_t inclusive_time_share(uint64_t whole, uint64_t part, uint64_t of)
{
	__extension__ typedef unsigned __int128 wide;

	return of == 0 || part >= of ? whole
				     : (uint64_t)((wide)whole * part / of);
}

uint64_t inclusive_time_add(uint64_t a, uint64_t b)
{
	uint64_t most = (uint64_t)INT64_MAX;

	return a > most || b > most - a ? most : a + b;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t shorter(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_inside(
	const struct totals *totals, const struct profile_edge *edge)
{
	return edge->caller == edge->callee ||
	       (totals->cycle_of[edge->caller] != 0 &&
		       totals->cycle_of[edge->caller] ==
			       totals->cycle_of[edge->callee]);
}

static void add_edge(struct totals *totals, const struct profile_edge *edge)
{
	struct function_times *caller = &totals->known[edge->caller];
	struct function_times *callee = &totals->known[edge->callee];
	const struct profile_cost *cost = &edge->cost;

	if (edge->caller != edge->callee) {
		caller->all_ns =
			inclusive_time_add(caller->all_ns, cost->cumtime_ns);
		callee->called_ns =
			inclusive_time_add(callee->called_ns, cost->cumtime_ns);
	}
	if (!is_inside(totals, edge)) {
		caller->own_ns =
			inclusive_time_add(caller->own_ns, cost->cumtime_ns);
		callee->entered_ns = inclusive_time_add(
			callee->entered_ns, cost->cumtime_ns);
		callee->outer_calls =
			inclusive_time_add(callee->outer_calls, cost->ncalls);
		return;
	}
	callee->inner_calls =
		inclusive_time_add(callee->inner_calls, cost->ncalls);
	if (edge->caller != edge->callee)
		callee->inside_ns = longer(callee->inside_ns, cost->cumtime_ns);
}

/* A function's time that no caller accounts for. */
static uint64_t not_called(const struct function_times *known)
{
	return known->all_ns - shorter(known->all_ns, known->called_ns);
}

static void add_known(struct totals *totals)
{
	struct profile *profile = totals->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		totals->known[i] = (struct function_times){
			.own_ns = function->cost.tottime_ns,
			.all_ns = function->cost.tottime_ns,
			.called_ns = function->root.cumtime_ns,
			.entered_ns = function->root.cumtime_ns,
			.outer_calls = function->root.ncalls};
	}
	for (uint32_t i = 0; i < profile->edge_count; i++)
		add_edge(totals, &profile->edges[i]);
	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct function_times *cycle =
			&totals->cycles[totals->cycle_of[i]];
		const struct function_times *known = &totals->known[i];

		cycle->own_ns =
			inclusive_time_add(cycle->own_ns, known->own_ns);
		cycle->all_ns = longer(cycle->all_ns, not_called(known));
		cycle->is_entered |= known->outer_calls != 0;
	}
}

/* Without a recorded caller except itself: it was called once. */
static bool is_root(const struct totals *totals, uint32_t function)
{
	return totals->cycle_of[function] == 0 &&
	       totals->known[function].outer_calls == 0;
}

/* Lower bound of the inclusive time of a cycle's member. */
static uint64_t least(const struct totals *totals, uint32_t function)
{
	const struct function_times *known = &totals->known[function];
	uint64_t time_ns = longer(
		known->own_ns, longer(known->entered_ns, known->inside_ns));

	return shorter(
		time_ns, totals->cycles[totals->cycle_of[function]].own_ns);
}

/* A cycle without an outside caller is entered at the member with the most
 * unattributed time: it has one more call, without a caller. */
static void set_beginnings(struct totals *totals)
{
	struct profile *profile = totals->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct function_times *cycle =
			&totals->cycles[totals->cycle_of[i]];
		struct profile_function *function = &profile->functions[i];
		struct profile_cost *cost = &function->cost;

		if (totals->cycle_of[i] == 0 || cycle->is_entered ||
			not_called(&totals->known[i]) != cycle->all_ns)
			continue;
		cycle->is_entered = true;
		cost->cumtime_ns = cycle->own_ns;
		cost->ncalls =
			inclusive_time_add(totals->known[i].inner_calls, 1);
		cost->pcalls = 1;
		function->root.ncalls = 1;
		function->root.cumtime_ns = cost->cumtime_ns;
	}
}

static void set_functions(struct totals *totals)
{
	struct profile *profile = totals->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct function_times *known = &totals->known[i];
		struct profile_cost *cost = &profile->functions[i].cost;

		cost->cumtime_ns = totals->cycle_of[i] == 0 ? known->own_ns
							    : least(totals, i);
		cost->ncalls = inclusive_time_add(
			known->outer_calls, known->inner_calls);
		cost->pcalls = known->outer_calls;
		if (is_root(totals, i) &&
			(cost->ncalls | cost->cumtime_ns) != 0)
			cost->ncalls = inclusive_time_add(cost->ncalls, 1);
		/* callgrind writes zero calls after its counters were reset. */
		if (cost->ncalls == 0 && cost->cumtime_ns != 0)
			cost->ncalls = 1;
		if (cost->pcalls == 0 && cost->ncalls != 0)
			cost->pcalls = 1;
	}
}

static void set_edges(struct totals *totals)
{
	struct profile *profile = totals->profile;

	for (uint32_t i = 0; i < profile->edge_count; i++) {
		struct profile_edge *edge = &profile->edges[i];
		const struct profile_cost *callee =
			&profile->functions[edge->callee].cost;
		struct profile_cost *cost = &edge->cost;

		cost->cumtime_ns =
			shorter(cost->cumtime_ns, callee->cumtime_ns);
		cost->pcalls = is_inside(totals, edge)
				       ? shorter(cost->ncalls, callee->pcalls)
				       : cost->ncalls;
		cost->tottime_ns = inclusive_time_share(
			callee->tottime_ns, cost->ncalls, callee->ncalls);
	}
}

/* Functions without a recorded caller, plus explicit roots. */
static void set_roots(struct totals *totals)
{
	struct profile *profile = totals->profile;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct profile_function *function = &profile->functions[i];
		struct profile_cost *root = &function->root;

		if (is_root(totals, i)) {
			*root = function->cost;
			root->ncalls = shorter(root->ncalls, 1);
		}
		root->pcalls = root->ncalls;
		root->cumtime_ns =
			shorter(root->cumtime_ns, function->cost.cumtime_ns);
		root->tottime_ns =
			root->ncalls == 0
				? 0
				: inclusive_time_share(
					  function->cost.tottime_ns,
					  root->ncalls, function->cost.ncalls);
	}
}

enum ctp_status inclusive_time_find(
	struct profile *profile, struct ctp_error *err)
{
	struct totals totals = {.profile = profile};
	struct callgraph graph;
	uint32_t cycle_count = 0;
	enum ctp_status status = callgraph_init(&graph, profile, err);

	if (status == CTP_OK) {
		totals.cycle_of = callgraph_cycles(&graph, &cycle_count);
		totals.known =
			memory_new_zeroed((size_t)profile->function_count + 1,
				sizeof(*totals.known));
		totals.cycles = memory_new_zeroed(
			(size_t)cycle_count + 1, sizeof(*totals.cycles));
		if (totals.cycle_of == NULL || totals.known == NULL ||
			totals.cycles == NULL)
			status = ctp_fail(err, CTP_ERR_NOMEM,
				"out of memory while summing up calls");
	}
	if (status == CTP_OK) {
		add_known(&totals);
		set_functions(&totals);
		set_beginnings(&totals);
		set_edges(&totals);
		set_roots(&totals);
	}
	memory_free(totals.cycle_of);
	memory_free(totals.known);
	memory_free(totals.cycles);
	callgraph_clear(&graph);
	return status;
}

static uint64_t left(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

void inclusive_time_find_roots(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++)
		profile->functions[i].root = profile->functions[i].cost;
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_cost *cost = &profile->edges[i].cost;
		struct profile_cost *root =
			&profile->functions[profile->edges[i].callee].root;

		root->ncalls = left(root->ncalls, cost->ncalls);
		root->pcalls = left(root->pcalls, cost->pcalls);
		root->tottime_ns = left(root->tottime_ns, cost->tottime_ns);
		root->cumtime_ns = left(root->cumtime_ns, cost->cumtime_ns);
	}
	for (uint32_t i = 0; i < profile->function_count; i++) {
		struct profile_cost *root = &profile->functions[i].root;

		if (root->ncalls == 0)
			*root = (struct profile_cost){0};
		profile->total_ns += profile->functions[i].cost.tottime_ns;
	}
}
