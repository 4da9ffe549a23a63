/* SPDX-License-Identifier: MIT */
/* A profile's edges by caller and by callee, and its cycles. */
#ifndef CALLGRAPH_H
#define CALLGRAPH_H

#include "base/error.h"
#include "profile/profile.h"

/*
 * The callers of function i are the edges in[in_first[i]] up to, and without,
 * in[in_first[i + 1]], and its callees those in `out`: the longest first.
 */
struct callgraph {
	const struct profile *profile; /* borrowed */
	const struct profile_edge **in;
	const struct profile_edge **out;
	uint32_t *in_first;
	uint32_t *out_first;
};

/* Errors: CTP_ERR_NOMEM. Ownership: clear with callgraph_clear(), also after a
 * failure. */
enum ctp_status callgraph_init(struct callgraph *graph,
	const struct profile *profile, struct ctp_error *err);
void callgraph_clear(struct callgraph *graph);

/*
 * Functions that call each other, directly or indirectly, form a cycle. Returns
 * the cycle of each function, from 1 in the order of their first members; 0:
 * none. A function that only calls itself is not a cycle. Free with free();
 * NULL if out of memory. Source: R. E. Tarjan, Depth-first search and linear
 * graph algorithms, 1972.
 */
uint32_t *callgraph_cycles(const struct callgraph *graph, uint32_t *count);

#endif
