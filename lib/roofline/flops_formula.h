/* SPDX-License-Identifier: MIT */
/*
 * Formulas for the work of operators: matrix and vector products, convolutions
 * and attention.
 */
#ifndef FLOPS_FORMULA_H
#define FLOPS_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "roofline/dtype.h"
#include "roofline/op_inputs.h"

enum flops_family {
	FLOPS_NONE, /* no formula */
	FLOPS_GEMM,
	FLOPS_CONVOLUTION,
	FLOPS_ATTENTION,
};

struct flops_work {
	enum flops_family family;
	bool has_flops;
	bool has_bytes;
	bool own_flops;   /* from the trace's "kernel_flop" */
	bool own_bytes;   /* from the trace's "kernel_num_gb" */
	enum dtype dtype; /* of the largest input */
	uint64_t flops;
	uint64_t bytes; /* of the inputs and known outputs */
};

#define FLOPS_POSITIONS 8

/* Computes an operator's work from its inputs. */
struct flops_formula {
	const char *name; /* without "aten::"; "": for templates; NULL ends a
		       * table */
	/* Sets flops and bytes of `work` and their has_ flags, which are false
	 * before. */
	void (*estimate)(const struct flops_formula *formula,
		const struct op_inputs *inputs, struct flops_work *work);
	/* Indexes of the inputs used, in an order that each family defines. */
	uint8_t at[FLOPS_POSITIONS];
};

/* Finds the formula and family of an operator or kernel by name; NULL and
 * FLOPS_NONE if there is none. */
const struct flops_formula *flops_formula_find(
	const char *name, enum flops_family *family);

/* Whether it is for one of Inductor's Triton templates. Their inputs are the
 * inputs and outputs of the kernel, in an order that depends on the version. */
bool flops_formula_is_template(const struct flops_formula *formula);

#endif
