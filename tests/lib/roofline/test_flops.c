/* SPDX-License-Identifier: MIT */
/* lib/flops*.c, lib/roofline/op_inputs.c: each case counted by hand, from the
 * operator's work: products times two, and elements times their size. */
#include <check.h>
#include <string.h>

#include "flops_case.h"
#include "base/memory.h"
#include "roofline/op_inputs.h"
#include "support/run_suite.h"

#define UNKNOWN UINT64_MAX
#define F "\"float\""
#define H "\"c10::Half\""
#define B "\"c10::BFloat16\""
#define D "\"double\""

static const struct {
	const char *name;
	const char *dims;
	const char *types;
	const char *concrete;
	uint64_t flops;
	uint64_t bytes;
	enum dtype dtype;
} cases[] = {
	/* Products of matrices. */
	{"aten::mm", "[[3, 5], [5, 7]]", "[" F "," F "]", "[\"\",\"\"]",
		2 * 3 * 5 * 7, 4 * (15 + 35 + 21), DTYPE_FP32},
	{"mm", "[[3, 5], [5, 7]]", "[" D "," D "]", NULL, 2 * 3 * 5 * 7,
		8 * (15 + 35 + 21), DTYPE_FP64},
	{"aten::addmm", "[[7], [3, 5], [5, 7], [], []]",
		"[" H "," H "," H ",\"Scalar\",\"Scalar\"]",
		"[\"\",\"\",\"\",\"1\",\"1\"]", 2 * 3 * 5 * 7,
		2 * (7 + 15 + 35 + 21), DTYPE_FP16},
	{"aten::bmm", "[[11, 3, 5], [11, 5, 7]]", "[" B "," B "]", NULL,
		11 * 2 * 3 * 5 * 7, 11 * 2 * (15 + 35 + 21), DTYPE_BF16},
	{"aten::baddbmm", "[[11, 3, 7], [11, 3, 5], [11, 5, 7], [], []]",
		"[" B "," B "," B ",\"Scalar\",\"Scalar\"]", NULL,
		11 * 2 * 3 * 5 * 7, 11 * 2 * (21 + 15 + 35 + 21), DTYPE_BF16},
	{"aten::linear", "[[2, 3, 5], [7, 5], [7]]", "[" F "," F "," F "]",
		NULL, 2 * 6 * 5 * 7, 4 * (30 + 35 + 7 + 42), DTYPE_FP32},
	/* With line breaks for readability. */
	{"aten::mm", "[\n [\n  3,\n  5\n ],\n [\n  5,\n  7\n ]\n]",
		"[\n " F ",\n " F "\n]", "[\n \"\",\n \"\"\n]", 2 * 3 * 5 * 7,
		4 * (15 + 35 + 21), DTYPE_FP32},
	{"aten::linear", "[[2, 3, 5], [7, 5], []]", "[" F "," F ",\"\"]", NULL,
		2 * 6 * 5 * 7, 4 * (30 + 35 + 42), DTYPE_FP32},
	{"aten::mv", "[[3, 5], [5]]", "[" F "," F "]", NULL, 2 * 3 * 5,
		4 * (15 + 5 + 3), DTYPE_FP32},
	{"aten::dot", "[[5], [5]]", "[" F "," F "]", NULL, 2 * 5,
		4 * (5 + 5 + 1), DTYPE_FP32},
	{"aten::_int_mm", "[[3, 5], [5, 7]]",
		"[\"signed char\",\"signed char\"]", NULL, 2 * 3 * 5 * 7,
		UNKNOWN, DTYPE_INT8},
	{"aten::_scaled_mm", "[[3, 5], [5, 7], [], []]",
		"[\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\",\"float\","
		"\"float\"]",
		NULL, 2 * 3 * 5 * 7, UNKNOWN, DTYPE_FP8},
	{"aten::mm", "[[0, 5], [5, 7]]", "[" F "," F "]", NULL, 0, 4 * 35,
		DTYPE_FP32},
	/* Impossible shapes. */
	{"aten::mm", "[[3, 5], [6, 7]]", "[" F "," F "]", NULL, UNKNOWN,
		UNKNOWN, DTYPE_FP32},
	{"aten::mm", "[[3, 5]]", "[" F "]", NULL, UNKNOWN, UNKNOWN, DTYPE_FP32},
	{"aten::mm", "[[3, -5], [-5, 7]]", "[" F "," F "]", NULL, UNKNOWN,
		UNKNOWN, DTYPE_UNKNOWN},
	{"aten::mm", "[[3, 1.5], [1.5, 7]]", "[" F "," F "]", NULL, UNKNOWN,
		UNKNOWN, DTYPE_UNKNOWN},
	{"aten::bmm", "[[11, 3, 5], [12, 5, 7]]", "[" B "," B "]", NULL,
		UNKNOWN, UNKNOWN, DTYPE_BF16},
	/* 2^66 products, and numbers beyond any integer. */
	{"aten::mm", "[[4294967296, 4], [4, 4294967296]]", "[" F "," F "]",
		NULL, UNKNOWN, UNKNOWN, DTYPE_FP32},
	{"aten::mm", "[[99999999999999999999, 4], [4, 1]]", "[" F "," F "]",
		NULL, UNKNOWN, UNKNOWN, DTYPE_UNKNOWN},
	/* The type is unknown, and so are the bytes. */
	{"aten::mm", "[[3, 5], [5, 7]]", NULL, NULL, 2 * 3 * 5 * 7, UNKNOWN,
		DTYPE_UNKNOWN},

	/* Convolutions: (8 + 2 * 1 - 2 * (3 - 1) - 1) / 2 + 1 is 3, and 5
	 * for the 11 of the other dimension: 4, which is not the 3 and 5 that
	 * (in - kernel) / stride + 1 would give. */
	{"aten::convolution",
		"[[2, 6, 8, 11], [4, 3, 3, 3], [4], [], [], [], [], [], []]",
		"[" F "," F "," F ",\"ScalarList\"]",
		"[\"\",\"\",\"\",\"[2, 2]\",\"[1, 1]\",\"[2, 2]\",\"False\","
		"\"[0, 0]\",\"2\"]",
		2 * 2 * (3 * 5) * (4 * 3 * 3 * 3),
		4 * (2 * 6 * 88 + 108 + 2 * 4 * 15), DTYPE_FP32},
	/* The same, in cuDNN's order: padding, stride, dilation, groups. */
	{"aten::cudnn_convolution",
		"[[2, 6, 8, 11], [4, 3, 3, 3], [], [], [], [], [], [], []]",
		"[" H "," H ",\"ScalarList\"]",
		"[\"\",\"\",\"[1, 1]\",\"[2, 2]\",\"[2, 2]\",\"2\",\"False\","
		"\"False\",\"True\"]",
		2 * 2 * (3 * 5) * (4 * 3 * 3 * 3),
		2 * (2 * 6 * 88 + 108 + 2 * 4 * 15), DTYPE_FP16},
	/* In MIOpen's, with a bias before; one number for all dimensions. */
	{"aten::miopen_convolution",
		"[[2, 6, 8, 11], [4, 3, 3, 3], [], [], [], [], [], [], []]",
		"[" H "," H ",\"\",\"ScalarList\"]",
		"[\"\",\"\",\"\",\"[1]\",\"[2]\",\"[2]\",\"2\",\"False\","
		"\"False\"]",
		2 * 2 * (3 * 5) * (4 * 3 * 3 * 3),
		2 * (2 * 6 * 88 + 108 + 2 * 4 * 15), DTYPE_FP16},
	/* Lists as JSON, not as text. */
	{"aten::convolution",
		"[[1, 1, 5], [1, 1, 3], [], [], [], [], [], [], []]", NULL,
		"[\"\",\"\",\"\",[1],[0],[1],false,[0],1]", 2 * 3 * 3, UNKNOWN,
		DTYPE_UNKNOWN},
	/* In one dimension, and in three. */
	{"aten::_convolution", "[[1, 2, 10], [3, 2, 4], [3]]",
		"[" F "," F "," F "]", NULL, UNKNOWN, UNKNOWN, DTYPE_FP32},
	{"aten::mkldnn_convolution",
		"[[1, 2, 4, 5, 6], [3, 2, 2, 2, 2], [], [], [], [], []]",
		"[" F "," F ",\"\"]",
		"[\"\",\"\",\"\",\"[0, 0, 0]\",\"[1, 1, 1]\",\"[1, 1, 1]\","
		"\"1\"]",
		2 * (3 * 4 * 5) * (3 * 2 * 8), 4 * (240 + 48 + 3 * 60),
		DTYPE_FP32},
	{"aten::_slow_conv2d_forward", "[[1, 2, 5, 5], [3, 2, 3, 3], [], [3]]",
		"[" F "," F ",\"ScalarList\"," F "]", NULL, UNKNOWN, UNKNOWN,
		DTYPE_FP32},
	{"aten::_slow_conv2d_forward",
		"[[1, 2, 5, 5], [3, 2, 3, 3], [], [3], [], []]",
		"[" F "," F ",\"ScalarList\"," F "]",
		"[\"\",\"\",\"[3, 3]\",\"\",\"[2, 2]\",\"[1, 1]\"]", 2 * 9 * 54,
		4 * (50 + 54 + 27), DTYPE_FP32},
	/* Transposed: (5 - 1) * 2 - 2 * 1 + (3 - 1) + 1 + 1 is 10. */
	{"aten::convolution",
		"[[2, 6, 5], [6, 2, 3], [], [], [], [], [], [], []]",
		"[" F "," F ",\"\"]",
		"[\"\",\"\",\"\",\"[2]\",\"[1]\",\"[1]\",\"True\",\"[1]\","
		"\"3\"]",
		2 * 2 * 5 * (6 * 2 * 3), 4 * (60 + 36 + 2 * (2 * 3) * 10),
		DTYPE_FP32},
	{"aten::cudnn_convolution_transpose",
		"[[2, 6, 5], [6, 2, 3], [], [], [], [], []]",
		"[" F "," F ",\"\"]",
		"[\"\",\"\",\"[1]\",\"[1]\",\"[2]\",\"[1]\",\"3\"]",
		2 * 2 * 5 * (6 * 2 * 3), 4 * (60 + 36 + 2 * (2 * 3) * 10),
		DTYPE_FP32},
	/* No stride, no output; and strides without meaning. */
	{"aten::convolution", "[[1, 1, 5], [1, 1, 3]]", "[" F "," F "]", NULL,
		UNKNOWN, UNKNOWN, DTYPE_FP32},
	{"aten::convolution", "[[1, 1, 5], [1, 1, 3], [], [], [], [], []]",
		"[" F "," F "]",
		"[\"\",\"\",\"\",\"[0]\",\"[0]\",\"[1]\",\"False\"]", UNKNOWN,
		UNKNOWN, DTYPE_FP32},
	{"aten::convolution", "[[1, 1, 5], [1, 1, 7], [], [], [], [], []]",
		"[" F "," F "]",
		"[\"\",\"\",\"\",\"[1]\",\"[0]\",\"[1]\",\"False\"]", UNKNOWN,
		UNKNOWN, DTYPE_FP32},
	{"aten::convolution", "[[1, 1, 5], [1, 1, 3], [], [], [], [], []]",
		"[" F "," F "]",
		"[\"\",\"\",\"\",\"[1]\",\"[9223372036854775807]\",\"[1]\","
		"\"False\"]",
		UNKNOWN, UNKNOWN, DTYPE_FP32},
	/* Backward: both gradients, one of them, and the older operators. */
	{"aten::convolution_backward",
		"[[2, 4, 3, 5], [2, 6, 8, 11], [4, 3, 3, 3], [], [], [], [], "
		"[], [], [], []]",
		"[" F "," F "," F "]",
		"[\"\",\"\",\"\",\"[4]\",\"[2, 2]\",\"[1, 1]\",\"[2, 2]\","
		"\"False\",\"[0, 0]\",\"2\",\"[True, True, False]\"]",
		2 * 2 * 2 * 15 * 108, 4 * 2 * (2 * 4 * 15 + 2 * 6 * 88 + 108),
		DTYPE_FP32},
	{"aten::convolution_backward",
		"[[2, 4, 3, 5], [2, 6, 8, 11], [4, 3, 3, 3], [], [], [], [], "
		"[], [], [], []]",
		"[" F "," F "," F "]",
		"[\"\",\"\",\"\",\"[4]\",\"[2, 2]\",\"[1, 1]\",\"[2, 2]\","
		"\"False\",\"[0, 0]\",\"2\",\"[False, True, True]\"]",
		2 * 2 * 15 * 108, 4 * (2 * 4 * 15 + 2 * 6 * 88 + 108),
		DTYPE_FP32},
	/* For a transposed one, positions are the input's. */
	{"aten::convolution_backward",
		"[[2, 6, 10], [2, 6, 5], [6, 2, 3], [], [], [], [], [], [], "
		"[], []]",
		"[" F "," F "," F "]",
		"[\"\",\"\",\"\",\"[6]\",\"[2]\",\"[1]\",\"[1]\",\"True\","
		"\"[1]\",\"3\",\"[True, False, False]\"]",
		2 * 2 * 5 * 36, 4 * (120 + 60 + 36), DTYPE_FP32},
	{"aten::cudnn_convolution_backward_input",
		"[[], [32, 2048, 7, 7], [2048, 512, 1, 1], [], [], []]",
		"[\"GenericList\"," F "," F "]", NULL,
		2UL * 32 * 49 * 2048 * 512, UNKNOWN, DTYPE_FP32},
	{"aten::cudnn_convolution_backward_weight",
		"[[], [32, 2048, 7, 7], [32, 512, 7, 7], [], [], []]",
		"[\"GenericList\"," F "," F "]", "[\"[2048, 512, 1, 1]\"]",
		2UL * 32 * 49 * 2048 * 512, UNKNOWN, DTYPE_FP32},
	{"aten::cudnn_convolution_backward_weight",
		"[[], [32, 2048, 7, 7], [32, 512, 7, 7], [], [], []]",
		"[\"GenericList\"," F "," F "]", NULL, UNKNOWN, UNKNOWN,
		DTYPE_FP32},

	/* Attention: 2 batches, 3 heads, 5 queries, 7 keys, depth 11 and 13. */
	{"aten::_scaled_dot_product_flash_attention",
		"[[2, 3, 5, 11], [2, 3, 7, 11], [2, 3, 7, 13], [], []]",
		"[" H "," H "," H "]", NULL, 6 * 5 * 7 * (2 * 11 + 2 * 13),
		2 * 6 * (5 * 11 + 7 * 11 + 7 * 13 + 5 * 13), DTYPE_FP16},
	{"aten::_flash_attention_forward",
		"[[2, 5, 3, 11], [2, 7, 3, 11], [2, 7, 3, 13], [], []]",
		"[" H "," H "," H ",\"\",\"\"]", NULL,
		6 * 5 * 7 * (2 * 11 + 2 * 13),
		2 * 6 * (5 * 11 + 7 * 11 + 7 * 13 + 5 * 13), DTYPE_FP16},
	{"aten::_efficient_attention_forward",
		"[[2, 5, 3, 11], [2, 7, 3, 11], [2, 7, 3, 13], [], []]",
		"[" H "," H "," H ",\"\",\"\"]", NULL,
		6 * 5 * 7 * (2 * 11 + 2 * 13),
		2 * 6 * (5 * 11 + 7 * 11 + 7 * 13 + 5 * 13), DTYPE_FP16},
	/* Fewer heads of keys than of queries. */
	{"aten::_scaled_dot_product_cudnn_attention",
		"[[2, 6, 5, 8], [2, 3, 7, 8], [2, 3, 7, 8], [], []]",
		"[" B "," B "," B "]", NULL, 12 * 5 * 7 * (2 * 8 + 2 * 8),
		2 * 8 * (12 * 5 + 6 * 7 + 6 * 7 + 12 * 5), DTYPE_BF16},
	/* Sequences of unknown lengths. */
	{"aten::_efficient_attention_forward",
		"[[1, 50, 3, 8], [1, 50, 3, 8], [1, 50, 3, 8], [], [4], [4]]",
		"[" H "," H "," H ",\"\",\"int\",\"int\"]", NULL, UNKNOWN,
		UNKNOWN, DTYPE_FP16},
	{"aten::_flash_attention_forward",
		"[[50, 3, 8], [50, 3, 8], [50, 3, 8], [4], [4]]",
		"[" H "," H "," H ",\"int\",\"int\"]", NULL, UNKNOWN, UNKNOWN,
		DTYPE_FP16},
	/* Backward: five products, of which two are with the value. */
	{"aten::_scaled_dot_product_efficient_attention_backward",
		"[[2, 3, 5, 13], [2, 3, 5, 11], [2, 3, 7, 11], [2, 3, 7, 13]]",
		"[" H "," H "," H "," H "]", NULL,
		6 * 5 * 7 * (3 * 2 * 11 + 2 * 2 * 13),
		2 * 2 * 6 * (5 * 11 + 7 * 11 + 7 * 13 + 5 * 13), DTYPE_FP16},
	{"aten::_flash_attention_backward",
		"[[2, 5, 3, 8], [2, 5, 3, 8], [2, 7, 3, 8], [2, 7, 3, 8]]",
		"[" H "," H "," H "," H "]", NULL, 6 * 5 * 7 * 5 * 2 * 8,
		2 * 2 * 6 * 8 * (5 + 7 + 7 + 5), DTYPE_FP16},

	/* All others: the size of the inputs. */
	{"aten::add_", "[[4, 5], [5], []]", "[" F "," H ",\"Scalar\"]",
		"[\"\",\"\",\"1\"]", UNKNOWN, 4 * 20 + 2 * 5, DTYPE_FP32},
	{"aten::mul", "[[4, 5], []]", "[" B ",\"double\"]", NULL, UNKNOWN,
		2 * 20 + 8, DTYPE_BF16},
	/* Custom operators may touch a part of their inputs. */
	{"_C_cache_ops::reshape_and_cache_flash",
		"[[8, 4, 16], [8, 4, 16], [999, 16, 4, 16], [999, 16, 4, 16]]",
		"[" B "," B "," B "," B "]", NULL, UNKNOWN, UNKNOWN,
		DTYPE_BF16},
	{"vllm::moe_forward", "[[8, 16], [8, 4]]", "[" B "," B "]", NULL,
		UNKNOWN, UNKNOWN, DTYPE_BF16},
	{"fused_moe_kernel", "[[8, 16], [9, 32, 16], [8, 32]]",
		"[" B "," B "," B "]", NULL, UNKNOWN, UNKNOWN, DTYPE_BF16},
	{"aten::_grouped_mm", "[[8, 16], [9, 16, 32]]", "[" B "," B "]", NULL,
		UNKNOWN, UNKNOWN, DTYPE_BF16},
	{"aten::_unsafe_index", "[[4, 5], [7]]", "[" F ",\"long int\"]", NULL,
		UNKNOWN, UNKNOWN, DTYPE_FP32},
	{"aten::_sparse_mm", "[[4, 5], [5, 7]]", "[" F "," F "]", NULL, UNKNOWN,
		UNKNOWN, DTYPE_FP32},
	{"triton_poi_fused_add_0", "[[4, 5], [4, 5]]", "[" F "," F "]", NULL,
		UNKNOWN, 160, DTYPE_FP32},
	{"triton_red_fused_add_embedding_0", "[[4, 5], [999, 5]]",
		"[" F "," F "]", NULL, UNKNOWN, UNKNOWN, DTYPE_FP32},
	{"aten::index_select", "[[4, 5], [], [7]]",
		"[" B ",\"Scalar\",\"long int\"]", NULL, UNKNOWN, UNKNOWN,
		DTYPE_BF16},
	{"aten::cat", "[[[4, 5], [4, 6]], []]", "[\"TensorList\",\"Scalar\"]",
		NULL, UNKNOWN, UNKNOWN, DTYPE_UNKNOWN},
	{"triton_poi_fused_convolution_1", "[[4, 5], [5], [4, 5], []]",
		"[" H "," H "," H ",\"Scalar\"]", NULL, UNKNOWN, 2 * 45,
		DTYPE_FP16},
	/* Templates of Inductor: with a term added before or after. */
	{"triton_tem_fused_mm_3", "[[3, 5], [5, 7], [3, 7]]",
		"[" H "," H "," H "]", NULL, 2 * 3 * 5 * 7, 2 * (15 + 35 + 21),
		DTYPE_FP16},
	{"triton_tem_fused_addmm_3", "[[7], [3, 5], [5, 7], [3, 7], []]",
		"[" H "," H "," H "," H ",\"Scalar\"]", NULL, 2 * 3 * 5 * 7,
		2 * (7 + 15 + 35 + 21), DTYPE_FP16},
	{"triton_tem_fused_convolution_0",
		"[[2, 6, 8, 11], [4, 6, 3, 3], [4], [2, 4, 3, 5]]",
		"[" H "," H "," H "," H "]", NULL, 2 * 2 * 15 * (4 * 6 * 9),
		2 * (2 * 6 * 88 + 216 + 4 + 120), DTYPE_FP16},
	{"aten::copy_", "[]", "[]", "[]", UNKNOWN, UNKNOWN, DTYPE_UNKNOWN},
};

START_TEST(work_follows_from_shapes)
{
	struct flops_work work = flops_ask(cases[_i].name, cases[_i].dims,
		cases[_i].types, cases[_i].concrete);

	ck_assert_msg(work.has_flops == (cases[_i].flops != UNKNOWN),
		"%s %s: known: %d", cases[_i].name, cases[_i].dims,
		work.has_flops);
	if (work.has_flops)
		ck_assert_msg(work.flops == cases[_i].flops,
			"%s %s: %lu, not %lu", cases[_i].name, cases[_i].dims,
			(unsigned long)work.flops,
			(unsigned long)cases[_i].flops);
	ck_assert_msg(work.has_bytes == (cases[_i].bytes != UNKNOWN),
		"%s %s: bytes known: %d", cases[_i].name, cases[_i].dims,
		work.has_bytes);
	if (work.has_bytes)
		ck_assert_msg(work.bytes == cases[_i].bytes,
			"%s %s: %lu bytes, not %lu", cases[_i].name,
			cases[_i].dims, (unsigned long)work.bytes,
			(unsigned long)cases[_i].bytes);
	ck_assert_int_eq(work.dtype, cases[_i].dtype);
}
END_TEST

START_TEST(figures_of_the_trace_take_precedence)
{
	struct event_arg args[3] = {
		flops_json_arg("Input Dims", "[[3, 5], [5, 7]]"),
		{.kind = ARG_INT,
			.key = flops_number_of("kernel_flop"),
			.value.integer = 12345},
		{.kind = ARG_FLOAT,
			.key = flops_number_of("kernel_num_gb"),
			.value.real = 0.000000123}};
	struct event event = {.arg_count = 3, .args = args};
	uint32_t site = flops_add_op("aten::mm", "cpu_op");
	struct flops_work work;

	flops_of_op(flops_case, site, &event, &work);
	ck_assert(work.own_flops && work.own_bytes);
	ck_assert_uint_eq(work.flops, 12345);
	ck_assert_uint_eq(work.bytes, 123);
	/* Missing arguments, and arguments that are not numbers. */
	args[1].value.integer = 0;
	args[2] = flops_json_arg("kernel_num_gb", "-1e400");
	flops_of_op(flops_case, site, &event, &work);
	ck_assert(!work.own_flops && !work.own_bytes);
	ck_assert_uint_eq(work.flops, 210);
	args[1] = flops_json_arg("kernel_flop", "3e3");
	work = (struct flops_work){.has_flops = false};
	flops_of_kernel(flops_case, &event, &work);
	ck_assert_uint_eq(work.flops, 3000);
}
END_TEST

START_TEST(only_operators_are_looked_at)
{
	struct event_arg arg = flops_json_arg("Input Dims", "[[3, 5], [5, 7]]");
	struct event event = {.arg_count = 1, .args = &arg};
	struct flops_work work;
	uint32_t site = flops_add_op("aten::mm", "user_annotation");

	ck_assert(!flops_is_op(flops_case, site));
	flops_of_op(flops_case, site, &event, &work);
	ck_assert(!work.has_flops && !work.has_bytes);
	ck_assert(flops_is_op(flops_case, flops_add_op("aten::mm", "cpu_op")));
}
END_TEST

START_TEST(brackets_may_nest_to_any_depth)
{
	size_t depth = 1000000;
	char *text = memory_new(2 * depth + 1);
	struct flops_work work;

	ck_assert_ptr_nonnull(text);
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	text[2 * depth] = '\0';
	work = flops_ask("aten::mm", text, text, text);
	ck_assert(!work.has_flops && !work.has_bytes);
	work = flops_ask("aten::mm", "[[3, 5], [5, 7]]", text, text);
	ck_assert(work.has_flops && !work.has_bytes);
	text[depth] = '\0';
	work = flops_ask("aten::mm", text, NULL, NULL);
	ck_assert(!work.has_flops);
	memory_free(text);
}
END_TEST

/* Every beginning of a text, and every byte of it replaced. */
START_TEST(damaged_shapes_do_no_harm)
{
	static const char bytes[] = "[],\"\\-9 \1T";
	char dims[] = "[[2, 6, 5], [6, 2, 3], [[1], [2]], [], []]";
	char concrete[] = "[\"\",\"\",\"\",\"[2]\",\"[1]\",[1],\"True\"]";
	char *texts[] = {dims, concrete};

	for (size_t i = 0; i < 2; i++)
		for (size_t at = 0; texts[i][at] != '\0'; at++) {
			char saved = texts[i][at];

			for (size_t j = 0; j < sizeof(bytes); j++) {
				struct flops_work work;

				texts[i][at] = bytes[j];
				work = flops_ask("aten::convolution", dims,
					concrete, concrete);
				ck_assert(work.has_flops || work.flops == 0);
			}
			texts[i][at] = saved;
		}
}
END_TEST

START_TEST(many_inputs_are_too_many)
{
	static struct op_inputs inputs;
	char text[8 * OP_INPUTS_MAX] = "[[1]";

	for (int i = 1; i < OP_INPUTS_MAX; i++)
		strncat(text, ",[1]", 5);
	strncat(text, "]", 2);
	ck_assert(op_inputs_read_dims(&inputs, text, strlen(text)));
	ck_assert_uint_eq(inputs.count, OP_INPUTS_MAX);
	text[strlen(text) - 1] = '\0';
	strncat(text, ",[1]]", 6);
	ck_assert(!op_inputs_read_dims(&inputs, text, strlen(text)));
	ck_assert_uint_eq(inputs.count, 0);
}
END_TEST

START_TEST(types_have_many_names)
{
	ck_assert_int_eq(dtype_find("bf16"), DTYPE_BF16);
	ck_assert_int_eq(dtype_find("BFloat16"), DTYPE_BF16);
	ck_assert_int_eq(dtype_find("float"), DTYPE_FP32);
	ck_assert_int_eq(dtype_find("half"), DTYPE_FP16);
	ck_assert_int_eq(dtype_find("int64"), DTYPE_UNKNOWN);
	ck_assert_int_eq(dtype_find("other"), DTYPE_UNKNOWN);
	ck_assert_int_eq(dtype_of_kernel("ampere_sgemm_128x64_nn"), DTYPE_FP32);
	ck_assert_int_eq(
		dtype_of_kernel("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n"),
		DTYPE_BF16);
	ck_assert_int_eq(
		dtype_of_kernel(
			"sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32"),
		DTYPE_TF32);
	ck_assert_int_eq(
		dtype_of_kernel("ampere_fp16_s16816gemm_fp16"), DTYPE_FP16);
	ck_assert_int_eq(dtype_of_kernel("cutlass_80_tensorop_s1688gemm_64x64"
					 "_16x6_nt_align4"),
		DTYPE_TF32);
	ck_assert_int_eq(
		dtype_of_kernel("cutlass_75_tensorop_bf16_s1688gemm_bf16"),
		DTYPE_BF16);
	ck_assert_int_eq(
		dtype_of_kernel("cutlass_tensorop_s1688gemm_f16_64x64"),
		DTYPE_FP16);
	ck_assert_int_eq(
		dtype_of_kernel("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S"), DTYPE_BF16);
	ck_assert_int_eq(dtype_of_kernel("reduce_segments"), DTYPE_UNKNOWN);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flops");
	TCase *tests = tcase_create("flops");

	tcase_add_checked_fixture(tests, flops_set_up, flops_tear_down);
	tcase_add_loop_test(tests, work_follows_from_shapes, 0,
		(int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tests, figures_of_the_trace_take_precedence);
	tcase_add_test(tests, only_operators_are_looked_at);
	tcase_add_test(tests, brackets_may_nest_to_any_depth);
	tcase_add_test(tests, damaged_shapes_do_no_harm);
	tcase_add_test(tests, many_inputs_are_too_many);
	tcase_add_test(tests, types_have_many_names);
	suite_add_tcase(suite, tests);
	return run_suite(suite);
}
