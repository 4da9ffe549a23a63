/* SPDX-License-Identifier: MIT */
/*
 * Adds the work of kernels, and of operators that launched them: arguments
 * "kernel_flop" and "kernel_num_gb", unless they already have one above 0. A
 * kernel gets its share of its operator's work; see attribution.h.
 * Source: shared spec 06, "Augment".
 *
 * Events wait until the shares of all earlier ones are known, AUGMENT_LIMIT at
 * most; then the work is divided among the kernels that have arrived. Memory:
 * bounded by this limit, names and open ranges.
 */
#ifndef AUGMENT_H
#define AUGMENT_H

#include "trace/event.h"

#define AUGMENT_LIMIT (UINT32_C(1) << 16)

struct augment;

/*
 * Opens a source around `inner`, which is closed with it. Its trace is shared;
 * the argument names are added to it.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status augment_open(struct event_source *inner, struct augment **out,
	struct ctp_error *err);

/* The same object, as an event source. */
struct event_source *augment_source(struct augment *augment);

/* Number of kernels with added work so far, and of those that got none because
 * they arrived too late: see attribution_late(). */
uint64_t augment_count(const struct augment *augment);
uint64_t augment_late(const struct augment *augment);

#endif
