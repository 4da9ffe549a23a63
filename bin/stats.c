/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define MILLION 1000000

static enum ctp_status no_memory(struct ctp_error *err)
{
	return ctp_fail(err, CTP_ERR_NOMEM, ERROR_NO_OFFSET, "out of memory");
}

/* Finds or makes the functions; `map` gets their numbers in `sum`. */
static bool sum_functions(
	struct profile *sum, const struct profile *profile, uint32_t *map)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *from = &profile->functions[i];
		uint32_t number = profile_add_function(
			sum, from->name, from->file, from->line);

		if (number == PROFILE_NONE)
			return false;
		map[i] = number;
		profile_cost_add(&sum->functions[number].cost, &from->cost);
		profile_cost_add(&sum->functions[number].root, &from->root);
	}
	return true;
}

static bool sum_edges(
	struct profile *sum, const struct profile *profile, const uint32_t *map)
{
	for (uint32_t i = 0; i < profile->edge_count; i++) {
		const struct profile_edge *from = &profile->edges[i];
		uint32_t number = profile_add_edge(
			sum, map[from->caller], map[from->callee]);

		if (number == PROFILE_NONE)
			return false;
		profile_cost_add(&sum->edges[number].cost, &from->cost);
	}
	return true;
}

enum ctp_status stats_sum(struct profile *sum, const struct profile *profile,
	struct ctp_error *err)
{
	uint32_t *map = memory_resize_array(
		NULL, (size_t)profile->function_count + 1, sizeof(*map));
	bool done = map != NULL && sum_functions(sum, profile, map) &&
		    sum_edges(sum, profile, map);

	memory_free(map);
	if (!done)
		return no_memory(err);
	sum->open_calls += profile->open_calls;
	sum->thread_count += profile->thread_count;
	return CTP_OK;
}

static uint64_t percall(const struct profile_cost *cost)
{
	return cost->pcalls == 0 ? 0 : cost->cumtime_ns / cost->pcalls;
}

static uint64_t figure(const struct profile_cost *cost, enum stats_key key)
{
	switch (key) {
	case STATS_TOTTIME:
		return cost->tottime_ns;
	case STATS_NCALLS:
		return cost->ncalls;
	case STATS_PCALLS:
		return cost->pcalls;
	case STATS_PERCALL:
		return percall(cost);
	case STATS_CUMTIME:
	case STATS_NAME:
		break;
	}
	return cost->cumtime_ns;
}

/* Ties keep the profile's own order, which is total. */
static int compare(const void *a, const void *b, void *user)
{
	const struct stats *stats = user;
	const uint32_t *left = a;
	const uint32_t *right = b;
	const struct profile_function *one = &stats->profile->functions[*left];
	const struct profile_function *two = &stats->profile->functions[*right];
	enum stats_key key = stats->options->key;

	if (key == STATS_NAME) {
		int names = strcmp(one->name, two->name);

		if (names != 0)
			return names;
	} else {
		uint64_t first = figure(&one->cost, key);
		uint64_t second = figure(&two->cost, key);

		if (first != second)
			return first > second ? -1 : 1;
	}
	return *left < *right ? -1 : *left > *right;
}

static uint64_t least_cumtime(const struct stats *stats)
{
	uint64_t total = stats->profile->total_ns;
	uint64_t parts = stats->options->min_parts;
	uint64_t share =
		total / MILLION * parts + total % MILLION * parts / MILLION;

	return share > stats->options->min_cumtime_ns
		       ? share
		       : stats->options->min_cumtime_ns;
}

static void choose(struct stats *stats)
{
	const struct profile *profile = stats->profile;
	uint64_t least = least_cumtime(stats);
	uint32_t top = stats->options->top;

	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].cost.cumtime_ns >= least)
			stats->order[stats->count++] = i;
	qsort_r(stats->order, stats->count, sizeof(*stats->order), compare,
		stats);
	if (top != 0 && stats->count > top)
		stats->count = top;
	stats->hidden = profile->function_count - stats->count;
}

/* Edges are by callee; here they are counted out by caller. */
static bool index_callees(struct stats *stats)
{
	const struct profile *profile = stats->profile;
	uint32_t *first = memory_new_zeroed(
		(size_t)profile->function_count + 2, sizeof(*first));
	uint32_t *edges = memory_resize_array(
		NULL, (size_t)profile->edge_count + 1, sizeof(*edges));

	stats->callees = first;
	stats->callee_edges = edges;
	if (first == NULL || edges == NULL)
		return false;
	for (uint32_t i = 0; i < profile->edge_count; i++)
		first[profile->edges[i].caller + 2]++;
	for (uint32_t i = 2; i < profile->function_count + 2; i++)
		first[i] += first[i - 1];
	/* Filling one place late moves every start to where it belongs. */
	for (uint32_t i = 0; i < profile->edge_count; i++)
		edges[first[profile->edges[i].caller + 1]++] = i;
	return true;
}

enum ctp_status stats_init(struct stats *stats, const struct profile *profile,
	const struct stats_options *options, struct ctp_error *err)
{
	*stats = (struct stats){.profile = profile, .options = options};
	stats->order = memory_resize_array(NULL,
		(size_t)profile->function_count + 1, sizeof(*stats->order));
	if (stats->order == NULL)
		return no_memory(err);
	choose(stats);
	if (options->callers) {
		stats->callers = profile_callers(profile);
		if (stats->callers == NULL)
			return no_memory(err);
	}
	if (options->callees && !index_callees(stats))
		return no_memory(err);
	return CTP_OK;
}

void stats_clear(struct stats *stats)
{
	memory_free(stats->order);
	memory_free(stats->callers);
	memory_free(stats->callees);
	memory_free(stats->callee_edges);
}
