/* SPDX-License-Identifier: MIT */
#include "roofline/flops_formula.h"

#include <stdlib.h>
#include <string.h>

#include "base/saturate.h"

/* Position of an input that the formula lacks. */
#define NONE UINT8_MAX

/* The formula's input, if it is a tensor of this rank; else NULL. */
static const struct op_input *tensor_at(const struct flops_formula *formula,
	int position, const struct op_inputs *inputs, uint32_t rank)
{
	const struct op_input *input =
		op_inputs_at(inputs, formula->at[position]);

	return input != NULL && !input->is_list && input->rank == rank ? input
								       : NULL;
}

/* ---- products of matrices and vectors ---- */

/* The factors, and the addend. */
enum { LEFT, RIGHT, ADDED };

/* Inputs plus output, which has the left input's element size. */
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

/* (M, K) by (K, N), optionally batched by a first dimension. */
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

/* The type of the result is not in the trace. */
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
	const struct op_input *right = tensor_at(formula, RIGHT, inputs, 1);
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
	const struct op_input *right = tensor_at(formula, RIGHT, inputs, 2);
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

/* Whether a tensor of the product's shape follows both. */
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

static void gemm_kernel(const struct flops_formula *formula,
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

static const struct flops_formula gemms[] = {
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

static const struct flops_formula gemm_template = {"", gemm_kernel, {0}};

/* ---- convolutions ---- */

/*
 * Each output position (input position if transposed) takes one product per
 * element of the weight, whose shape accounts for groups. Backward, each
 * requested gradient takes as many as forward.
 * Source: ATen's native_functions.yaml for the order of the inputs; output
 * shapes are from conv_output_size() and conv_input_size() in
 * aten/src/ATen/native/ConvUtils.h.
 */

/* Values of TRANSPOSED: never or always transposed. */
#define NEVER UINT8_MAX
#define ALWAYS (UINT8_MAX - 1)

#define SPATIAL_MAX 3

/* GRADIENT is that of the output, MASK selects the requested gradients. */
enum { INPUT, WEIGHT, STRIDE, PADDING, DILATION, TRANSPOSED, EXTRA, GROUPS };
enum { GRADIENT = STRIDE, MASK = PADDING };

struct shape {
	uint32_t rank; /* without batch and channels */
	int64_t sizes[SPATIAL_MAX];
};

static bool find_transposed(const struct flops_formula *formula,
	const struct op_inputs *inputs, bool *transposed)
{
	const struct op_input *input;
	int value;

	*transposed = formula->at[TRANSPOSED] == ALWAYS;
	if (*transposed || formula->at[TRANSPOSED] == NEVER)
		return true;
	input = op_inputs_at(inputs, formula->at[TRANSPOSED]);
	value = input == NULL ? -1 : op_input_bool(input);
	*transposed = value == 1;
	return value >= 0;
}

static bool spatial(const struct op_input *input, struct shape *shape)
{
	if (input == NULL || input->is_list || input->rank < 3 ||
		input->rank > 2 + SPATIAL_MAX)
		return false;
	shape->rank = input->rank - 2;
	for (uint32_t i = 0; i < shape->rank; i++)
		shape->sizes[i] = input->dims[i + 2];
	return true;
}

static uint64_t positions_of(const struct shape *shape)
{
	uint64_t positions = 1;

	for (uint32_t i = 0; i < shape->rank; i++)
		positions =
			saturate_product(positions, (uint64_t)shape->sizes[i]);
	return positions;
}

/* Reads one number per dimension, or one for all; at most INT32_MAX, so that
 * computations do not overflow. */
static bool read_numbers(const struct flops_formula *formula, int position,
	const struct op_inputs *inputs, int64_t usual, struct shape *shape)
{
	const struct op_input *input =
		op_inputs_at(inputs, formula->at[position]);
	int64_t numbers[OP_DIMS_MAX] = {usual};
	uint32_t count = 1;

	if (formula->at[position] != NONE)
		count = input == NULL ? 0 : op_input_numbers(input, numbers);
	if (count != 1 && count != shape->rank)
		return false;
	for (uint32_t i = 0; i < shape->rank; i++) {
		shape->sizes[i] = numbers[count == 1 ? 0 : i];
		if (shape->sizes[i] < 0 || shape->sizes[i] > INT32_MAX)
			return false;
	}
	return true;
}

struct convolution {
	struct shape in;
	struct shape weight;
	struct shape stride;
	struct shape padding;
	struct shape dilation;
	struct shape extra; /* output_padding */
};

static bool read_convolution(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct convolution *convolution)
{
	uint32_t rank = convolution->in.rank;

	convolution->stride.rank = rank;
	convolution->padding.rank = rank;
	convolution->dilation.rank = rank;
	convolution->extra.rank = rank;
	return read_numbers(formula, STRIDE, inputs, 1, &convolution->stride) &&
	       read_numbers(
		       formula, PADDING, inputs, 0, &convolution->padding) &&
	       read_numbers(
		       formula, DILATION, inputs, 1, &convolution->dilation) &&
	       read_numbers(formula, EXTRA, inputs, 0, &convolution->extra);
}

static bool find_output(const struct convolution *convolution, bool transposed,
	struct shape *out)
{
	out->rank = convolution->in.rank;
	for (uint32_t i = 0; i < out->rank; i++) {
		int64_t in = convolution->in.sizes[i];
		int64_t weight = convolution->weight.sizes[i];
		int64_t stride = convolution->stride.sizes[i];
		int64_t padding = 2 * convolution->padding.sizes[i];
		int64_t reach = convolution->dilation.sizes[i] * (weight - 1);

		if (transposed)
			out->sizes[i] = (in - 1) * stride - padding + reach +
					convolution->extra.sizes[i] + 1;
		else if (stride > 0 && in + padding > reach)
			out->sizes[i] = (in + padding - reach - 1) / stride + 1;
		else
			return false;
		if (out->sizes[i] < 0)
			return false;
	}
	return true;
}

static bool read_shapes(const struct op_input *input,
	const struct op_input *weight, struct convolution *convolution)
{
	if (!spatial(input, &convolution->in) ||
		!spatial(weight, &convolution->weight) ||
		convolution->in.rank != convolution->weight.rank)
		return false;
	for (uint32_t i = 0; i < convolution->in.rank; i++)
		if (convolution->in.sizes[i] > INT32_MAX ||
			convolution->weight.sizes[i] > INT32_MAX)
			return false;
	return true;
}

static void set_convolution_flops(struct flops_work *work, int64_t batch,
	uint64_t positions, uint64_t weight, uint64_t times)
{
	work->flops = saturate_product(saturate_product(2 * times, weight),
		saturate_product((uint64_t)batch, positions));
	work->has_flops = true;
}

/* Output channels: the first dimension of the weight; if transposed, the second
 * times the groups. */
static bool find_channels(const struct flops_formula *formula,
	const struct op_inputs *inputs, const struct op_input *weight,
	bool transposed, uint64_t *channels)
{
	const struct op_input *groups =
		op_inputs_at(inputs, formula->at[GROUPS]);
	int64_t numbers[OP_DIMS_MAX] = {1};

	*channels = (uint64_t)weight->dims[transposed];
	if (!transposed || formula->at[GROUPS] == NONE)
		return true;
	if (groups == NULL || op_input_numbers(groups, numbers) != 1 ||
		numbers[0] < 1)
		return false;
	*channels = saturate_product(*channels, (uint64_t)numbers[0]);
	return true;
}

static void forward(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *input = op_inputs_at(inputs, formula->at[INPUT]);
	const struct op_input *weight =
		op_inputs_at(inputs, formula->at[WEIGHT]);
	struct convolution convolution;
	struct shape out;
	bool transposed;
	uint64_t written;
	uint64_t read;
	uint64_t read_once;

	if (!read_shapes(input, weight, &convolution) ||
		!find_transposed(formula, inputs, &transposed) ||
		!read_convolution(formula, inputs, &convolution) ||
		!find_output(&convolution, transposed, &out))
		return;
	set_convolution_flops(work, input->dims[0],
		positions_of(transposed ? &convolution.in : &out),
		weight->elements, 1);
	if (!find_channels(formula, inputs, weight, transposed, &written) ||
		!op_input_bytes(input, &read) ||
		!op_input_bytes(weight, &read_once))
		return;
	written =
		saturate_product(saturate_product(written, positions_of(&out)),
			saturate_product((uint64_t)input->dims[0],
				input->element.bytes));
	work->bytes = saturate_sum(saturate_sum(read, read_once), written);
	work->has_bytes = true;
}

/* Reads the requested gradients, "[True, True, False]", by their first letters;
 * false if missing. */
static bool read_mask(const struct op_input *input, bool mask[2])
{
	const char *at = input == NULL ? "" : input->concrete;
	size_t left = input == NULL ? 0 : input->concrete_size;
	int count = 0;

	for (; left > 0 && count < 2; at++, left--)
		if (*at == 'T' || *at == 't' || *at == 'F' || *at == 'f')
			mask[count++] = *at == 'T' || *at == 't';
	return count == 2;
}

static void backward(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *input = op_inputs_at(inputs, formula->at[INPUT]);
	const struct op_input *weight =
		op_inputs_at(inputs, formula->at[WEIGHT]);
	const struct op_input *gradient =
		op_inputs_at(inputs, formula->at[GRADIENT]);
	struct convolution convolution;
	struct shape out;
	bool transposed;
	bool mask[2];
	uint64_t bytes[3];

	if (!read_shapes(input, weight, &convolution) ||
		!spatial(gradient, &out) || out.rank != convolution.in.rank ||
		!find_transposed(formula, inputs, &transposed) ||
		!read_mask(op_inputs_at(inputs, formula->at[MASK]), mask))
		return;
	set_convolution_flops(work, input->dims[0],
		positions_of(transposed ? &convolution.in : &out),
		weight->elements, (uint64_t)mask[0] + mask[1]);
	if (!op_input_bytes(input, &bytes[0]) ||
		!op_input_bytes(weight, &bytes[1]) ||
		!op_input_bytes(gradient, &bytes[2]))
		return;
	/* Each gradient reads the output's gradient and the other input, and
	 * writes the size of its own input. */
	work->bytes = saturate_product(
		saturate_sum(bytes[0], bytes[1]), (uint64_t)mask[0] + mask[1]);
	work->bytes = saturate_sum(work->bytes,
		saturate_product(bytes[2], (uint64_t)mask[0] + mask[1]));
	work->has_bytes = true;
}

/* A single gradient, as before convolution_backward. */
static void backward_input(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *weight =
		op_inputs_at(inputs, formula->at[WEIGHT]);
	const struct op_input *gradient =
		op_inputs_at(inputs, formula->at[GRADIENT]);
	struct convolution convolution;

	if (!read_shapes(gradient, weight, &convolution))
		return;
	set_convolution_flops(work, gradient->dims[0],
		positions_of(&convolution.in), weight->elements, 1);
}

static void backward_weight(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *sizes =
		op_inputs_at(inputs, formula->at[WEIGHT]);
	const struct op_input *gradient =
		op_inputs_at(inputs, formula->at[GRADIENT]);
	int64_t numbers[OP_DIMS_MAX];
	uint32_t count = sizes == NULL ? 0 : op_input_numbers(sizes, numbers);
	uint64_t elements = 1;
	struct shape out;

	if (!spatial(gradient, &out) || count != gradient->rank)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (numbers[i] < 0)
			return;
		elements = saturate_product(elements, (uint64_t)numbers[i]);
	}
	set_convolution_flops(
		work, gradient->dims[0], positions_of(&out), elements, 1);
}

/* X, W and output of the kernel: the tensors of equal rank, of which the last
 * is the output. */
static void convolution_kernel(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *found[3] = {NULL, NULL, NULL};
	uint32_t count = 0;
	struct shape out;

	(void)formula;
	for (uint32_t i = 0; i < inputs->count; i++) {
		const struct op_input *input = &inputs->inputs[i];

		if (spatial(input, &out))
			found[count < 2 ? count++ : 2] = input;
	}
	if (found[2] == NULL || !spatial(found[2], &out) ||
		found[0]->rank != found[1]->rank ||
		found[0]->rank != found[2]->rank ||
		found[0]->dims[0] != found[2]->dims[0] ||
		found[1]->dims[0] != found[2]->dims[1])
		return;
	set_convolution_flops(work, found[0]->dims[0], positions_of(&out),
		found[1]->elements, 1);
}

/* clang-format off */
#define SLOW {0, 1, 4, 5, NONE, NEVER, NONE, NONE}
#define SLOW_DILATED {0, 1, 4, 5, 6, NEVER, NONE, NONE}
#define SLOW_TRANSPOSED {0, 1, 4, 5, 7, ALWAYS, 6, NONE}
#define PLAIN {0, 1, 3, 4, 5, 6, 7, 8}
#define BIASED {0, 1, 4, 3, 5, NEVER, NONE, NONE}
/* clang-format on */

static const struct flops_formula convolutions[] = {
	{"convolution", forward, PLAIN},
	{"_convolution", forward, PLAIN},
	{"convolution_overrideable", forward, PLAIN},
	{"cudnn_convolution", forward, {0, 1, 3, 2, 4, NEVER, NONE, NONE}},
	{"cudnn_convolution_relu", forward, {0, 1, 3, 4, 5, NEVER, NONE, NONE}},
	{"cudnn_convolution_add_relu", forward,
		{0, 1, 5, 6, 7, NEVER, NONE, NONE}},
	{"cudnn_convolution_transpose", forward, {0, 1, 4, 2, 5, ALWAYS, 3, 6}},
	{"miopen_convolution", forward, BIASED},
	{"miopen_depthwise_convolution", forward, BIASED},
	{"miopen_convolution_relu", forward,
		{0, 1, 3, 4, 5, NEVER, NONE, NONE}},
	{"miopen_convolution_add_relu", forward,
		{0, 1, 5, 6, 7, NEVER, NONE, NONE}},
	{"miopen_convolution_transpose", forward,
		{0, 1, 5, 3, 6, ALWAYS, 4, 7}},
	{"mkldnn_convolution", forward, BIASED},
	{"_slow_conv2d_forward", forward, SLOW},
	{"thnn_conv2d", forward, SLOW},
	{"slow_conv3d", forward, SLOW},
	{"slow_conv3d_forward", forward, SLOW},
	{"slow_conv_dilated2d", forward, SLOW_DILATED},
	{"slow_conv_dilated3d", forward, SLOW_DILATED},
	{"_conv_depthwise2d", forward, SLOW_DILATED},
	{"conv_depthwise3d", forward, SLOW_DILATED},
	{"slow_conv_transpose2d", forward, SLOW_TRANSPOSED},
	{"slow_conv_transpose3d", forward, SLOW_TRANSPOSED},
	{"convolution_backward", backward, {1, 2, 0, 10, NONE, 7}},
	{"convolution_backward_overrideable", backward, {1, 2, 0, 9, NONE, 6}},
	{"_slow_conv2d_backward", backward, {1, 2, 0, 6, NONE, NEVER}},
	{"cudnn_convolution_backward_input", backward_input, {NONE, 2, 1}},
	{"miopen_convolution_backward_input", backward_input, {NONE, 2, 1}},
	{"cudnn_convolution_backward_weight", backward_weight, {NONE, 0, 1}},
	{"miopen_convolution_backward_weight", backward_weight, {NONE, 0, 1}},
	{NULL, NULL, {0}},
};

static const struct flops_formula convolution_template = {
	"", convolution_kernel, {0}};

/* ---- attention ---- */

/*
 * Scaled dot product attention has two products per head, (S_q, D) by (D, S_k)
 * and (S_q, S_k) by (S_k, D_v). Backward repeats the first, and each has
 * gradients for both factors. Savings of a causal mask are not subtracted.
 * Source: sdpa_flop_count() and sdpa_backward_flop_count() of
 * torch/utils/flop_counter.py.
 */

/* CUMULATIVE is the input with the ends of packed sequences, whose lengths are
 * not in the trace. Packed inputs with four dimensions are recognized by it;
 * others have three dimensions and do not match anyway. */
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

/* Forward reads the three inputs and writes an output like the query with the
 * value's depth. Backward also reads the output and its gradient, and writes
 * the gradients of the three. */
static void set_attention_bytes(const struct op_input *const tensors[3],
	uint64_t outputs, bool backward, struct flops_work *work)
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
		tensor_at(formula, QUERY, inputs, 4),
		tensor_at(formula, KEY, inputs, 4),
		tensor_at(formula, VALUE, inputs, 4)};
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
	/* Over all heads. */
	rows = saturate_product(saturate_product((uint64_t)tensors[0]->dims[0],
					(uint64_t)tensors[0]->dims[1]),
		(uint64_t)tensors[0]->dims[2]);
	set_attention_bytes(
		tensors, saturate_product(rows, depth_v), backward, work);
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
#define FIRST {0, 1, 2, NONE, HEADS_FIRST, FORWARD}
#define LAST {0, 1, 2, NONE, HEADS_LAST, FORWARD}
#define FIRST_BACKWARD {1, 2, 3, NONE, HEADS_FIRST, BACKWARD}
#define LAST_BACKWARD {1, 2, 3, NONE, HEADS_LAST, BACKWARD}

static const struct flops_formula attentions[] = {
	{SDPA "flash_attention", attention, FIRST},
	{SDPA "flash_attention_for_cpu", attention, FIRST},
	{SDPA "efficient_attention", attention, FIRST},
	{SDPA "cudnn_attention", attention, FIRST},
	{SDPA "fused_attention_overrideable", attention, FIRST},
	{"_cudnn_attention_forward", attention, FIRST},
	{"_flash_attention_forward", attention, LAST},
	{"_efficient_attention_forward", attention,
		{0, 1, 2, 4, HEADS_LAST, FORWARD}},
	{"flash_attn::_flash_attn_forward", attention, LAST},
	{SDPA "flash_attention_backward", attention, FIRST_BACKWARD},
	{SDPA "flash_attention_for_cpu_backward", attention, FIRST_BACKWARD},
	{SDPA "efficient_attention_backward", attention, FIRST_BACKWARD},
	{SDPA "cudnn_attention_backward", attention, FIRST_BACKWARD},
	{SDPA "fused_attention_overrideable_backward", attention,
		FIRST_BACKWARD},
	{"_flash_attention_backward", attention, LAST_BACKWARD},
	{"_efficient_attention_backward", attention,
		{1, 2, 3, 6, HEADS_LAST, BACKWARD}},
	{"_cudnn_attention_backward", attention, FIRST_BACKWARD},
	{"flash_attn::_flash_attn_backward", attention, LAST_BACKWARD},
	{NULL, NULL, {0}},
};
/* clang-format on */

/* ---- the tables ---- */

static const struct flops_formula *find_in(
	const struct flops_formula *table, const char *name)
{
	for (; table->name != NULL; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

/* Only kernels that Inductor made from a template do the named work; others run
 * before or after it. */
static const struct flops_formula *find_template(
	const char *name, enum flops_family *family)
{
	if (strstr(name, "_mm") != NULL || strstr(name, "bmm") != NULL ||
		strstr(name, "addmm") != NULL) {
		*family = FLOPS_GEMM;
		return &gemm_template;
	}
	if (strstr(name, "conv") != NULL) {
		*family = FLOPS_CONVOLUTION;
		return &convolution_template;
	}
	return NULL;
}

const struct flops_formula *flops_formula_find(
	const char *name, enum flops_family *family)
{
	static const struct {
		enum flops_family family;
		const struct flops_formula *table;
	} tables[] = {
		{FLOPS_GEMM, gemms},
		{FLOPS_CONVOLUTION, convolutions},
		{FLOPS_ATTENTION, attentions},
	};

	*family = FLOPS_NONE;
	if (strncmp(name, "triton_tem_", strlen("triton_tem_")) == 0)
		return find_template(name, family);
	if (strncmp(name, "aten::", strlen("aten::")) == 0)
		name += strlen("aten::");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct flops_formula *formula =
			find_in(tables[i].table, name);

		if (formula != NULL) {
			*family = tables[i].family;
			return formula;
		}
	}
	return NULL;
}

bool flops_formula_is_template(const struct flops_formula *formula)
{
	return formula == &gemm_template || formula == &convolution_template;
}
