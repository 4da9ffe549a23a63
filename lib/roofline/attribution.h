/* SPDX-License-Identifier: MIT */
/*
 * How much of an operator's work each kernel did: follows a stream of events.
 * The operator is the innermost around the call that launched the kernel, or
 * the one with its External id. Where it launched several kernels, its work is
 * that of those which are the product, convolution or attention by their names,
 * by their time; what else ran for these did none of it. So work is counted
 * once, whereas the documents give each kernel all of it.
 *
 * That is known when all kernels of an operator have come; until then they
 * wait, however many there are - but where many have one ticket, it is that
 * which waits - and ATTRIBUTION_LIMIT operators at most: after that the oldest's
 * work is divided among those that came.
 */
#ifndef ATTRIBUTION_H
#define ATTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "roofline/flops.h"

#define ATTRIBUTION_LIMIT (UINT32_C(1) << 18)

enum share_kind {
	SHARE_WORK,    /* it did what is in `work`, if that is known */
	SHARE_HELPER,  /* it ran for an operator whose work another did */
	SHARE_UNKNOWN, /* nothing is known of what it did */
};

struct share {
	uint64_t ticket; /* of attribution_add_kernel() */
	uint64_t
		dur_ns; /* of the kernel, or of several that have this ticket */
	enum share_kind kind;
	struct flops_work work;
};

struct attribution;

/* `trace` is borrowed until attribution_free(). NULL if out of memory. */
struct attribution *attribution_new(const struct trace *trace);
void attribution_free(struct attribution *attribution);

/* Takes each event of the stream, in order. False if out of memory, as all
 * below. Memory: names, open ranges, and what waits. */
bool attribution_add_event(
	struct attribution *attribution, const struct event *event);

/* Takes a kernel, after attribution_add_event(). Those of one operator that have the same
 * ticket may get one share together. */
bool attribution_add_kernel(struct attribution *attribution,
	const struct event *kernel, uint64_t ticket);

/* Waits no more for the oldest operator that waits; for none of them. */
bool attribution_finalize_oldest(struct attribution *attribution);
bool attribution_finalize_all(struct attribution *attribution);

/* How many kernels came when the work of their operator had been divided among
 * others, as it waited no more: these have too much, and those none. */
uint64_t attribution_late(const struct attribution *attribution);

/* The next share that is known. There is none: false. */
bool attribution_next(struct attribution *attribution, struct share *share);

/* What the operator does that is open innermost on this track, if it launched
 * a kernel; once for each. Else false. */
bool attribution_next_op(struct attribution *attribution, uint32_t track,
	struct flops_work *work);

#endif
