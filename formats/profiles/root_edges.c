/* SPDX-License-Identifier: MIT */
#include "profiles/root_edges.h"

uint64_t root_edges_share(uint64_t whole, uint64_t part, uint64_t of)
{
	__extension__ typedef unsigned __int128 wide;

	return of == 0 || part >= of ? whole
				     : (uint64_t)((wide)whole * part / of);
}

static uint64_t left(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

void root_edges_find(struct profile *profile)
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
