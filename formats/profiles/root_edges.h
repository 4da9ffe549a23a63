/* SPDX-License-Identifier: MIT */
/* Calls without a caller, for files that do not list them. */
#ifndef ROOT_EDGES_H
#define ROOT_EDGES_H

#include "profile/profile.h"

/* Sets all roots to the costs that callers do not account for, and sets
 * total_ns. */
void root_edges_find(struct profile *profile);

/* A caller's share of a time, in proportion to its calls. */
uint64_t root_edges_share(uint64_t whole, uint64_t part, uint64_t of);

#endif
