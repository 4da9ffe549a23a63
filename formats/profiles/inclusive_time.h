/* SPDX-License-Identifier: MIT */
/*
 * The times that a callgrind file does not say: how long a function took with
 * all that it called, where only its own time and those of its calls are known.
 */
#ifndef INCLUSIVE_TIME_H
#define INCLUSIVE_TIME_H

#include "base/error.h"
#include "profile/profile.h"

/*
 * Given each function's tottime_ns, each edge's ncalls and cumtime_ns, and the
 * roots' (zeros where nothing is said), sets all the rest, roots included; what
 * nobody calls was called once.
 *
 * Exact but for functions that call each other in a circle: a circle as a whole
 * is exact, but in it a function has the longest time that it must have had.
 *
 * Errors: CTP_ERR_NOMEM.
 */
enum ctp_status inclusive_time_find(
	struct profile *profile, struct ctp_error *err);

/* The sum, or the longest time that there is. */
uint64_t inclusive_time_add(uint64_t a, uint64_t b);

#endif
