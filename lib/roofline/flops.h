/* SPDX-License-Identifier: MIT */
/*
 * Number of floating-point operations of a PyTorch operator, and the least
 * bytes that it moves, from the shapes of its inputs: for matrix products,
 * convolutions and attention, forward and backward. A multiplication and an
 * addition are two operations.
 * Source: shared spec 06; torch/utils/flop_counter.py, with the same counts,
 * except where groups, padding or dilation make those wrong.
 */
#ifndef FLOPS_H
#define FLOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "roofline/flops_formula.h"
#include "trace/event.h"

struct flops;

/* The arguments used: see read_request.kept_args. */
extern const char *const flops_args[];

/* `trace` is borrowed until flops_free(). NULL if out of memory. */
struct flops *flops_new(const struct trace *trace);
void flops_free(struct flops *flops);

/* Whether the site is an operator of PyTorch or of its compiled code. */
bool flops_is_op(struct flops *flops, uint32_t site);

/* The family of its formula. */
enum flops_family flops_family_of(struct flops *flops, uint32_t site);

/* Computes the work of the operator at this site from the event's arguments. */
void flops_of_op(struct flops *flops, uint32_t site, const struct event *event,
	struct flops_work *work);

/* The same for the operations only; 0 if unknown. Nothing is parsed if there is
 * no formula. */
uint64_t flops_count_of_op(
	struct flops *flops, uint32_t site, const struct event *event);

/* Reads the work in a kernel's own arguments, which is usually missing. */
void flops_of_kernel(struct flops *flops, const struct event *event,
	struct flops_work *work);

#endif
