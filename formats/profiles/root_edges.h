/* SPDX-License-Identifier: MIT */
/* What the callers of a function do not account for, in files that do not say
 * it. */
#ifndef ROOT_EDGES_H
#define ROOT_EDGES_H

#include "profile/profile.h"

/* What callers do not account for was called by nobody: sets all roots, and
 * total_ns. */
void root_edges_find(struct profile *profile);

/* A caller's part of a time, by its calls. */
uint64_t root_edges_share(uint64_t whole, uint64_t part, uint64_t of);

#endif
