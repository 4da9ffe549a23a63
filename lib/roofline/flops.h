/* SPDX-License-Identifier: MIT */
/*
 * How many floating point operations an operator of PyTorch takes, and how many
 * bytes it moves at least, as far as the shapes of its inputs tell: of products
 * of matrices, convolutions and attention, forward and backward. A
 * multiplication and an addition are two.
 * Source: shared spec 06; torch/utils/flop_counter.py, whose counts these are,
 * but where groups, padding or dilation make those wrong.
 */
#ifndef FLOPS_H
#define FLOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "roofline/flops_formula.h"
#include "trace/event.h"

struct flops;

/* The arguments that are looked at: see read_request.kept_args. */
extern const char *const flops_args[];

/* `trace` is borrowed until flops_free(). NULL if out of memory. */
struct flops *flops_new(const struct trace *trace);
void flops_free(struct flops *flops);

/* Is it an operator of PyTorch's, or of what it compiled? */
bool flops_is_op(struct flops *flops, uint32_t site);

/* Which formulas its work follows from. */
enum flops_family flops_family_of(struct flops *flops, uint32_t site);

/* What the operator at this site does, whose arguments the event has. */
void flops_of_op(struct flops *flops, uint32_t site, const struct event *event,
	struct flops_work *work);

/* The same, of which only the operations are wanted; 0 if they are not known.
 * Of what has no formula nothing is read then. */
uint64_t flops_count_of_op(
	struct flops *flops, uint32_t site, const struct event *event);

/* What a kernel's own arguments say, which is nothing as a rule. */
void flops_of_kernel(struct flops *flops, const struct event *event,
	struct flops_work *work);

#endif
