/* SPDX-License-Identifier: MIT */
/*
 * Gives operators that launched kernels, and kernels, what they did: arguments
 * "kernel_flop" and "kernel_num_gb", where they have none above 0. A kernel has
 * its share of its operator's work; see attribution.h.
 * Source: shared spec 06, "Augment".
 *
 * Events wait until the shares of those before them are known, AUGMENT_LIMIT at
 * most; then what came is divided. Memory: bounded by that, names and what is
 * open.
 */
#ifndef AUGMENT_H
#define AUGMENT_H

#include "trace/event.h"

#define AUGMENT_LIMIT (UINT32_C(1) << 16)

struct augment;

/*
 * Opens a source around `inner`, which is closed with it; its trace is shared,
 * and gets the arguments' names.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status augment_open(struct event_source *inner, struct augment **out,
	struct ctp_error *err);

/* The source of the events; the same object. */
struct event_source *augment_source(struct augment *augment);

/* How many kernels got something so far; and nothing, as they came too late: see
 * attribution_late(). */
uint64_t augment_count(const struct augment *augment);
uint64_t augment_late(const struct augment *augment);

#endif
