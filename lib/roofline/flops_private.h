/* SPDX-License-Identifier: MIT */
/* What flops.c and flops_convolution.c share. */
#ifndef FLOPS_PRIVATE_H
#define FLOPS_PRIVATE_H

#include "roofline/flops.h"
#include "roofline/op_inputs.h"

#define FLOPS_NO_INPUT UINT8_MAX
#define FLOPS_POSITIONS 8

/* How an operator's work follows from its inputs. */
struct flops_formula {
	const char *name; /* without "aten::"; NULL ends a table */
	/* Sets flops and bytes of `work`, and whether they are known, which
	 * they are not before. */
	void (*estimate)(const struct flops_formula *formula,
		const struct op_inputs *inputs, struct flops_work *work);
	/* The numbers of the inputs that it looks at; each family has its own
	 * order of these. */
	uint8_t at[FLOPS_POSITIONS];
};

extern const struct flops_formula flops_convolutions[];

/* Of the templates that Inductor fills in for Triton: the inputs and outputs of
 * the kernel, in an order that differs by version. */
extern const struct flops_formula flops_convolution_template;

/* The tensor of this rank that is the formula's input; NULL if there is none.
 */
static inline const struct op_input *flops_tensor(
	const struct flops_formula *formula, int position,
	const struct op_inputs *inputs, uint32_t rank)
{
	const struct op_input *input =
		op_inputs_at(inputs, formula->at[position]);

	return input != NULL && !input->is_list && input->rank == rank ? input
								       : NULL;
}

#endif
