/* SPDX-License-Identifier: MIT */
/*
 * Convolutions: each output position takes one product for each element of the
 * weight; of a transposed one, each input position does. The weight has the
 * groups in its shape. Backward, each gradient that is asked for takes as many
 * as forward.
 * Source: ATen's native_functions.yaml for the order of the inputs; the shape of
 * outputs is that of conv_output_size() and conv_input_size() in
 * aten/src/ATen/native/ConvUtils.h.
 */
#include "roofline/flops_private.h"
#include "base/saturate.h"

#define NONE FLOPS_NO_INPUT

/* Of the positions' place: it is never transposed, or always. */
#define NEVER FLOPS_NO_INPUT
#define ALWAYS (FLOPS_NO_INPUT - 1)

#define SPATIAL_MAX 3

/* GRADIENT is of the output, MASK tells which gradients are asked for. */
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

/* One of the numbers that there are for each dimension, or one for all; at most
 * INT32_MAX, so that what is computed of them does not overflow. */
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

struct geometry {
	struct shape in;
	struct shape weight;
	struct shape stride;
	struct shape padding;
	struct shape dilation;
	struct shape extra; /* output_padding */
};

static bool read_geometry(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct geometry *geometry)
{
	uint32_t rank = geometry->in.rank;

	geometry->stride.rank = rank;
	geometry->padding.rank = rank;
	geometry->dilation.rank = rank;
	geometry->extra.rank = rank;
	return read_numbers(formula, STRIDE, inputs, 1, &geometry->stride) &&
	       read_numbers(formula, PADDING, inputs, 0, &geometry->padding) &&
	       read_numbers(
		       formula, DILATION, inputs, 1, &geometry->dilation) &&
	       read_numbers(formula, EXTRA, inputs, 0, &geometry->extra);
}

static bool find_output(
	const struct geometry *geometry, bool transposed, struct shape *out)
{
	out->rank = geometry->in.rank;
	for (uint32_t i = 0; i < out->rank; i++) {
		int64_t in = geometry->in.sizes[i];
		int64_t weight = geometry->weight.sizes[i];
		int64_t stride = geometry->stride.sizes[i];
		int64_t padding = 2 * geometry->padding.sizes[i];
		int64_t reach = geometry->dilation.sizes[i] * (weight - 1);

		if (transposed)
			out->sizes[i] = (in - 1) * stride - padding + reach +
					geometry->extra.sizes[i] + 1;
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
	const struct op_input *weight, struct geometry *geometry)
{
	if (!spatial(input, &geometry->in) ||
		!spatial(weight, &geometry->weight) ||
		geometry->in.rank != geometry->weight.rank)
		return false;
	for (uint32_t i = 0; i < geometry->in.rank; i++)
		if (geometry->in.sizes[i] > INT32_MAX ||
			geometry->weight.sizes[i] > INT32_MAX)
			return false;
	return true;
}

static void set_flops(struct flops_work *work, int64_t batch,
	uint64_t positions, uint64_t weight, uint64_t times)
{
	work->flops = saturate_product(saturate_product(2 * times, weight),
		saturate_product((uint64_t)batch, positions));
	work->has_flops = true;
}

/* Channels of the output: the first dimension of the weight; transposed it is
 * the second, for each group. */
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
	struct geometry geometry;
	struct shape out;
	bool transposed;
	uint64_t written;
	uint64_t read;
	uint64_t read_once;

	if (!read_shapes(input, weight, &geometry) ||
		!find_transposed(formula, inputs, &transposed) ||
		!read_geometry(formula, inputs, &geometry) ||
		!find_output(&geometry, transposed, &out))
		return;
	set_flops(work, input->dims[0],
		positions_of(transposed ? &geometry.in : &out),
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

/* Which gradients are asked for, "[True, True, False]", of which the first
 * letters tell; false if it does not say. */
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
	struct geometry geometry;
	struct shape out;
	bool transposed;
	bool mask[2];
	uint64_t bytes[3];

	if (!read_shapes(input, weight, &geometry) ||
		!spatial(gradient, &out) || out.rank != geometry.in.rank ||
		!find_transposed(formula, inputs, &transposed) ||
		!read_mask(op_inputs_at(inputs, formula->at[MASK]), mask))
		return;
	set_flops(work, input->dims[0],
		positions_of(transposed ? &geometry.in : &out),
		weight->elements, (uint64_t)mask[0] + mask[1]);
	if (!op_input_bytes(input, &bytes[0]) ||
		!op_input_bytes(weight, &bytes[1]) ||
		!op_input_bytes(gradient, &bytes[2]))
		return;
	/* Each gradient takes that of the output and the other input, and has
	 * the size of its own. */
	work->bytes = saturate_product(
		saturate_sum(bytes[0], bytes[1]), (uint64_t)mask[0] + mask[1]);
	work->bytes = saturate_sum(work->bytes,
		saturate_product(bytes[2], (uint64_t)mask[0] + mask[1]));
	work->has_bytes = true;
}

/* One of the gradients alone, as before convolution_backward. */
static void backward_input(const struct flops_formula *formula,
	const struct op_inputs *inputs, struct flops_work *work)
{
	const struct op_input *weight =
		op_inputs_at(inputs, formula->at[WEIGHT]);
	const struct op_input *gradient =
		op_inputs_at(inputs, formula->at[GRADIENT]);
	struct geometry geometry;

	if (!read_shapes(gradient, weight, &geometry))
		return;
	set_flops(work, gradient->dims[0], positions_of(&geometry.in),
		weight->elements, 1);
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
	set_flops(work, gradient->dims[0], positions_of(&out), elements, 1);
}

/* The kernel's X, W and output: the tensors of a rank, of which the last is
 * what is written. */
static void template(const struct flops_formula *formula,
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
	set_flops(work, found[0]->dims[0], positions_of(&out),
		found[1]->elements, 1);
}

#define SLOW \
	{ \
		0, 1, 4, 5, NONE, NEVER, NONE, NONE \
	}
#define SLOW_DILATED \
	{ \
		0, 1, 4, 5, 6, NEVER, NONE, NONE \
	}
#define SLOW_TRANSPOSED \
	{ \
		0, 1, 4, 5, 7, ALWAYS, 6, NONE \
	}
#define PLAIN \
	{ \
		0, 1, 3, 4, 5, 6, 7, 8 \
	}
#define BIASED \
	{ \
		0, 1, 4, 3, 5, NEVER, NONE, NONE \
	}

const struct flops_formula flops_convolutions[] = {
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

const struct flops_formula flops_convolution_template = {"", template, {0}};
