/* SPDX-License-Identifier: MIT */
/*
 * Attributes the work of operators in a stream of events to kernels. A kernel's
 * operator is the innermost around the launching call, or the one with its
 * External id. If an operator launched several kernels, its work is divided by
 * duration among those whose names indicate the product, convolution or
 * attention; the others did none of it. So work is counted once, whereas the
 * documents give each kernel all of it.
 *
 * Kernels wait until all kernels of their operator have arrived; many with
 * equal tickets are merged. At most ATTRIBUTION_LIMIT operators wait: after
 * that the oldest's work is divided among the kernels that have arrived.
 */
#ifndef ATTRIBUTION_H
#define ATTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/event.h"
#include "roofline/flops.h"

#define ATTRIBUTION_LIMIT (UINT32_C(1) << 18)

enum share_kind {
	SHARE_WORK,    /* it did `work`, if that is known */
	SHARE_HELPER,  /* another kernel did its operator's work */
	SHARE_UNKNOWN, /* its work is unknown */
};

struct share {
	uint64_t ticket; /* of attribution_add_kernel() */
	uint64_t dur_ns; /* of the kernel, or of several with this ticket */
	enum share_kind kind;
	struct flops_work work;
	/* After attribution_keep_ops(): see attribution_op_name(); 0: none; and
	 * 1 for one of the shares of a call of the operator, else 0. */
	uint32_t op;
	uint32_t calls;
};

struct attribution;

/* `trace` is borrowed until attribution_free(). NULL if out of memory. */
struct attribution *attribution_new(const struct trace *trace);
void attribution_free(struct attribution *attribution);

/* From now on, shares have operators. */
bool attribution_keep_ops(struct attribution *attribution);

/* The name of an operator, and behind a line feed the shapes of its inputs, if
 * known. */
const char *attribution_op_name(
	const struct attribution *attribution, uint32_t op);

/* Adds an event; call it for each event of the stream, in order. False if out
 * of memory, like all functions below. Memory: names, open ranges, and waiting
 * kernels. */
bool attribution_add_event(
	struct attribution *attribution, const struct event *event);

/* Adds a kernel; call it after attribution_add_event(). Kernels of one operator
 * with equal tickets may get one common share. */
bool attribution_add_kernel(struct attribution *attribution,
	const struct event *kernel, uint64_t ticket);

/* Divides the work of the oldest waiting operator, or of all, without waiting
 * for more kernels. */
bool attribution_finalize_oldest(struct attribution *attribution);
bool attribution_finalize_all(struct attribution *attribution);

/* Number of kernels that arrived after their operator's work had been divided:
 * they have no work, and the others too much. */
uint64_t attribution_late(const struct attribution *attribution);

/* Returns the next known share; false if there is none. */
bool attribution_next(struct attribution *attribution, struct share *share);

/* Returns the work of the innermost open operator on this track, once for each,
 * if it launched a kernel. Else false. */
bool attribution_next_op(struct attribution *attribution, uint32_t track,
	struct flops_work *work);

#endif
