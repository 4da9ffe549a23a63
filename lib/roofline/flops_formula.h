/* SPDX-License-Identifier: MIT */
/*
 * Formulas for the work of operators: products of matrices and vectors,
 * convolutions and attention.
 */
#ifndef FLOPS_FORMULA_H
#define FLOPS_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "roofline/dtype.h"
#include "roofline/op_inputs.h"

enum flops_family {
	FLOPS_NONE, /* there is no formula */
	FLOPS_GEMM,
	FLOPS_CONVOLUTION,
	FLOPS_ATTENTION,
};

struct flops_work {
	enum flops_family family;
	bool has_flops;
	bool has_bytes;
	bool own_flops;   /* the trace says so itself, in "kernel_flop" */
	bool own_bytes;   /* likewise, in "kernel_num_gb" */
	enum dtype dtype; /* of the largest input */
	uint64_t flops;
	uint64_t bytes; /* of inputs, and of what is known to be written */
};

#define FLOPS_POSITIONS 8

/* How an operator's work follows from its inputs. */
struct flops_formula {
	const char *
		name; /* without "aten::"; "": a template's; NULL ends a table */
	/* Sets flops and bytes of `work`, and whether they are known, which
	 * they are not before. */
	void (*estimate)(const struct flops_formula *formula,
		const struct op_inputs *inputs, struct flops_work *work);
	/* The numbers of the inputs that it looks at; each family has its own
	 * order of these. */
	uint8_t at[FLOPS_POSITIONS];
};

/* The formula of an operator or kernel of this name, and its family; NULL, and
 * FLOPS_NONE, if there is none. */
const struct flops_formula *flops_formula_find(
	const char *name, enum flops_family *family);

/* Is it one of those that Inductor fills in for Triton? Their inputs are the
 * inputs and outputs of the kernel, in an order that differs by version. */
bool flops_formula_is_template(const struct flops_formula *formula);

#endif
