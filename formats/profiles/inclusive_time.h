/* SPDX-License-Identifier: MIT */
/*
 * Times that files of profiles lack: inclusive times, computed from self times
 * and the times of calls, and the costs of calls without a caller.
 */
#ifndef INCLUSIVE_TIME_H
#define INCLUSIVE_TIME_H

#include "base/error.h"
#include "profile/profile.h"

/*
 * Given each function's tottime_ns, each edge's ncalls and cumtime_ns, and the
 * roots' (zeros if unknown), sets the rest, including roots; a function that
 * nobody calls gets one call.
 *
 * Exact except within cycles: a cycle as a whole is exact, but a function in it
 * gets the largest known lower bound of its time.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status inclusive_time_find(
	struct profile *profile, struct ctp_error *err);

/* The sum, saturated at the longest time. */
uint64_t inclusive_time_add(uint64_t a, uint64_t b);

/* Sets all roots to the costs that callers do not account for, and sets
 * total_ns. */
void inclusive_time_find_roots(struct profile *profile);

/* A caller's share of a time, in proportion to its calls. */
uint64_t inclusive_time_share(uint64_t whole, uint64_t part, uint64_t of);

#endif
