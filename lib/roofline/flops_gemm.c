/* SPDX-License-Identifier: MIT */
/* Products of matrices and vectors. */
#include "roofline/flops_private.h"
#include "base/saturate.h"

#define NONE FLOPS_NO_INPUT

/* What is multiplied, and what is added to it. */
enum { LEFT, RIGHT, ADDED };

/* In, and out, which is as wide as the left input. */
static void set_bytes(const struct flops_formula *formula,
	const struct op_inputs *inputs, uint64_t written,
	struct flops_work *work)
{
	const struct op_input *left = op_inputs_at(inputs, formula->at[LEFT]);
	const struct op_input *right = op_inputs_at(inputs, formula->at[RIGHT]);
	const struct op_input *added = op_inputs_at(inputs, formula->at[ADDED]);
	uint64_t sum;
	uint64_t more;

	if (!op_input_bytes(left, &sum) || !op_input_bytes(right, &more))
		return;
	sum = saturate_sum(sum, more);
	if (added != NULL && !op_input_bytes(added, &more))
		return;
	if (added != NULL)
		sum = saturate_sum(sum, more);
	work->bytes = saturate_sum(
		sum, saturate_product(written, left->element.bytes));
	work->has_bytes = true;
}

static void set_flops(struct flops_work *work, uint64_t products)
{
	work->flops = saturate_product(2, products);
	work->has_flops = true;
}

/* (M, K) by (K, N), or as many of these as the first dimension says. */
static bool multiply(const struct op_input *left, const struct op_input *right,
	uint64_t *products, uint64_t *written)
{
	uint32_t batch = left->rank == 3;
	uint64_t columns;

	if (left->is_list || right->is_list || left->rank != right->rank ||
		left->rank < 2 || left->rank > 3 ||
		(batch == 1 && left->dims[0] != right->dims[0]) ||
		left->dims[batch + 1] != right->dims[batch])
		return false;
	columns = (uint64_t)right->dims[batch + 1];
	*products = saturate_product(left->elements, columns);
	*written = saturate_product((uint64_t)left->dims[batch], columns);
	if (batch == 1)
		*written = saturate_product(*written, (uint64_t)left->dims[0]);
	return true;
}

static void product(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *left = op_inputs_at(inputs, formula->at[LEFT]);
	const struct op_input *right = op_inputs_at(inputs, formula->at[RIGHT]);
	uint64_t products;
	uint64_t written;

	if (left == NULL || right == NULL ||
		!multiply(left, right, &products, &written))
		return;
	set_flops(work, products);
	set_bytes(formula, inputs, written, work);
}

/* The result is of another type, which the shapes do not tell. */
static void narrow_product(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	product(formula, inputs, work);
	work->has_bytes = false;
}

/* (M, K) by (K); or (K) by (K). */
static void vector(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *left = op_inputs_at(inputs, formula->at[LEFT]);
	const struct op_input *right = flops_tensor(formula, RIGHT, inputs, 1);
	uint64_t written;

	if (left == NULL || left->is_list || right == NULL || left->rank < 1 ||
		left->rank > 2 || left->dims[left->rank - 1] != right->dims[0])
		return;
	written = left->rank == 2 ? (uint64_t)left->dims[0] : 1;
	set_flops(work, left->elements);
	set_bytes(formula, inputs, written, work);
}

/* (..., K) by the transpose of (N, K). */
static void linear(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *left = op_inputs_at(inputs, formula->at[LEFT]);
	const struct op_input *right = flops_tensor(formula, RIGHT, inputs, 2);
	uint64_t depth;
	uint64_t columns;

	if (left == NULL || left->is_list || right == NULL || left->rank < 1 ||
		left->rank > OP_DIMS_MAX ||
		left->dims[left->rank - 1] != right->dims[1])
		return;
	columns = (uint64_t)right->dims[0];
	depth = (uint64_t)right->dims[1];
	set_flops(work, saturate_product(left->elements, columns));
	set_bytes(formula, inputs,
		depth == 0 ? 0
			   : saturate_product(left->elements / depth, columns),
		work);
}

/* Is there a tensor of the product's shape behind both? */
static bool has_result(const struct op_inputs *inputs, uint32_t first,
	uint32_t second, uint64_t written)
{
	const struct op_input *left = &inputs->inputs[first];
	const struct op_input *right = &inputs->inputs[second];
	uint32_t last = left->rank - 1;

	for (uint32_t i = second + 1; i < inputs->count; i++) {
		const struct op_input *other = &inputs->inputs[i];

		if (!other->is_list && other->rank == left->rank &&
			other->elements == written &&
			other->dims[last - 1] == left->dims[last - 1] &&
			other->dims[last] == right->dims[last])
			return true;
	}
	return false;
}

static void template(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	uint64_t products;
	uint64_t written;

	(void)formula;
	for (uint32_t i = 0; i < inputs->count; i++)
		for (uint32_t j = i + 1; j < inputs->count; j++) {
			if (!multiply(&inputs->inputs[i], &inputs->inputs[j],
				    &products, &written) ||
				!has_result(inputs, i, j, written))
				continue;
			set_flops(work, products);
			return;
		}
}

const struct flops_formula flops_gemms[] = {
	{"mm", product, {0, 1, NONE}},
	{"bmm", product, {0, 1, NONE}},
	{"addmm", product, {1, 2, 0}},
	{"addmm_", product, {1, 2, 0}},
	{"_addmm_activation", product, {1, 2, 0}},
	{"baddbmm", product, {1, 2, 0}},
	{"baddbmm_", product, {1, 2, 0}},
	{"_int_mm", narrow_product, {0, 1, NONE}},
	{"_scaled_mm", narrow_product, {0, 1, NONE}},
	{"mv", vector, {0, 1, NONE}},
	{"addmv", vector, {1, 2, 0}},
	{"addmv_", vector, {1, 2, 0}},
	{"dot", vector, {0, 1, NONE}},
	{"vdot", vector, {0, 1, NONE}},
	{"linear", linear, {0, 1, 2}},
	{"mkldnn_linear", linear, {0, 1, 2}},
	{NULL, NULL, {0}},
};

const struct flops_formula flops_gemm_template = {"", template, {0}};
