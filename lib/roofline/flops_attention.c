/* SPDX-License-Identifier: MIT */
/*
 * Scaled dot product attention, whose two products are of (S_q, D) by (D, S_k)
 * and of (S_q, S_k) by (S_k, D_v), for each head. Backward the first is done
 * again, and each has a gradient for either side. What a causal mask would save
 * is not subtracted.
 * Source: sdpa_flop_count() and sdpa_backward_flop_count() of
 * torch/utils/flop_counter.py.
 */
#include "roofline/flops_private.h"
#include "base/saturate.h"

#define NONE FLOPS_NO_INPUT

/* CUMULATIVE tells where each sequence ends, where those of different lengths
 * lie one after the other in one of four dimensions: the lengths are not in the
 * trace. Others take that in three, which are no case here. */
enum { QUERY, KEY, VALUE, CUMULATIVE, LAYOUT, DIRECTION };
enum { HEADS_FIRST, HEADS_LAST }; /* (B, H, S, D) and (B, S, H, D) */
enum { FORWARD, BACKWARD };

static bool shapes_agree(const struct op_input *query,
	const struct op_input *key, const struct op_input *value)
{
	return query != NULL && key != NULL && value != NULL &&
	       query->dims[0] == key->dims[0] &&
	       query->dims[0] == value->dims[0] &&
	       query->dims[3] == key->dims[3] &&
	       key->dims[1] == value->dims[1] && key->dims[2] == value->dims[2];
}

/* The three are read, and an output like the query, of the value's depth, is
 * written; backward that is read with its gradient, and those of the three are
 * written. */
static void set_bytes(const struct op_input *const tensors[3], uint64_t outputs,
	bool backward, struct flops_work *work)
{
	uint64_t sum = saturate_product(outputs, tensors[0]->element.bytes);
	uint64_t bytes;

	if (backward)
		sum = saturate_product(sum, 2);
	for (int i = 0; i < 3; i++) {
		if (!op_input_bytes(tensors[i], &bytes))
			return;
		sum = saturate_sum(
			sum, backward ? saturate_product(bytes, 2) : bytes);
	}
	work->bytes = sum;
	work->has_bytes = true;
}

static void attention(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *tensors[3] = {
		flops_tensor(formula, QUERY, inputs, 4),
		flops_tensor(formula, KEY, inputs, 4),
		flops_tensor(formula, VALUE, inputs, 4)};
	const struct op_input *lengths =
		op_inputs_at(inputs, formula->at[CUMULATIVE]);
	bool backward = formula->at[DIRECTION] == BACKWARD;
	int length = formula->at[LAYOUT] == HEADS_LAST ? 1 : 2;
	uint64_t rows;
	uint64_t depth;
	uint64_t depth_v;

	if (!shapes_agree(tensors[0], tensors[1], tensors[2]) ||
		(lengths != NULL && lengths->rank > 0))
		return;
	depth = (uint64_t)tensors[0]->dims[3];
	depth_v = (uint64_t)tensors[2]->dims[3];
	/* Of all heads. */
	rows = saturate_product(saturate_product((uint64_t)tensors[0]->dims[0],
					(uint64_t)tensors[0]->dims[1]),
		(uint64_t)tensors[0]->dims[2]);
	set_bytes(tensors, saturate_product(rows, depth_v), backward, work);
	if (backward) {
		depth = saturate_product(depth, 3);
		depth_v = saturate_product(depth_v, 2);
	}
	work->flops = saturate_product(
		saturate_product(rows, (uint64_t)tensors[1]->dims[length]),
		saturate_product(2, saturate_sum(depth, depth_v)));
	work->has_flops = true;
}

#define SDPA "_scaled_dot_product_"

/* clang-format off */
const struct flops_formula flops_attentions[] = {
	{SDPA "flash_attention", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{SDPA "flash_attention_for_cpu", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{SDPA "efficient_attention", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{SDPA "cudnn_attention", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{SDPA "fused_attention_overrideable", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{"_cudnn_attention_forward", attention,
		{0, 1, 2, NONE, HEADS_FIRST, FORWARD}},
	{"_flash_attention_forward", attention,
		{0, 1, 2, NONE, HEADS_LAST, FORWARD}},
	{"_efficient_attention_forward", attention,
		{0, 1, 2, 4, HEADS_LAST, FORWARD}},
	{"flash_attn::_flash_attn_forward", attention,
		{0, 1, 2, NONE, HEADS_LAST, FORWARD}},
	{SDPA "flash_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{SDPA "flash_attention_for_cpu_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{SDPA "efficient_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{SDPA "cudnn_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{SDPA "fused_attention_overrideable_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{"_flash_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_LAST, BACKWARD}},
	{"_efficient_attention_backward", attention,
		{1, 2, 3, 6, HEADS_LAST, BACKWARD}},
	{"_cudnn_attention_backward", attention,
		{1, 2, 3, NONE, HEADS_FIRST, BACKWARD}},
	{"flash_attn::_flash_attn_backward", attention,
		{1, 2, 3, NONE, HEADS_LAST, BACKWARD}},
	{NULL, NULL, {0}},
};
/* clang-format on */
