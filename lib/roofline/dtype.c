/* SPDX-License-Identifier: MIT */
#include "roofline/dtype.h"

#include <string.h>
#include <strings.h>

#include "names/name_parts.h"

static const char *const names[DTYPES] = {
	[DTYPE_UNKNOWN] = "unknown",
	[DTYPE_FP64] = "fp64",
	[DTYPE_FP32] = "fp32",
	[DTYPE_TF32] = "tf32",
	[DTYPE_BF16] = "bf16",
	[DTYPE_FP16] = "fp16",
	[DTYPE_FP8] = "fp8",
	[DTYPE_INT8] = "int8",
	[DTYPE_OTHER] = "other",
};

static const struct {
	const char *name;
	struct dtype_element element;
} types[] = {
	{"float", {DTYPE_FP32, 4}},
	{"double", {DTYPE_FP64, 8}},
	{"c10::Half", {DTYPE_FP16, 2}},
	{"c10::BFloat16", {DTYPE_BF16, 2}},
	{"c10::Float8_e4m3fn", {DTYPE_FP8, 1}},
	{"c10::Float8_e4m3fnuz", {DTYPE_FP8, 1}},
	{"c10::Float8_e5m2", {DTYPE_FP8, 1}},
	{"c10::Float8_e5m2fnuz", {DTYPE_FP8, 1}},
	{"c10::Float8_e8m0fnu", {DTYPE_OTHER, 1}},
	{"c10::Float4_e2m1fn_x2", {DTYPE_OTHER, 1}},
	{"signed char", {DTYPE_INT8, 1}},
	{"unsigned char", {DTYPE_INT8, 1}},
	{"char", {DTYPE_INT8, 1}},
	{"c10::qint8", {DTYPE_INT8, 1}},
	{"c10::quint8", {DTYPE_INT8, 1}},
	{"c10::qint32", {DTYPE_OTHER, 4}},
	{"bool", {DTYPE_OTHER, 1}},
	{"short", {DTYPE_OTHER, 2}},
	{"short int", {DTYPE_OTHER, 2}},
	{"unsigned short", {DTYPE_OTHER, 2}},
	{"unsigned short int", {DTYPE_OTHER, 2}},
	{"int", {DTYPE_OTHER, 4}},
	{"unsigned int", {DTYPE_OTHER, 4}},
	{"long", {DTYPE_OTHER, 8}},
	{"long int", {DTYPE_OTHER, 8}},
	{"long long", {DTYPE_OTHER, 8}},
	{"unsigned long", {DTYPE_OTHER, 8}},
	{"unsigned long int", {DTYPE_OTHER, 8}},
	{"c10::complex<c10::Half>", {DTYPE_OTHER, 4}},
	{"c10::complex<float>", {DTYPE_OTHER, 8}},
	{"c10::complex<double>", {DTYPE_OTHER, 16}},
	{"float64", {DTYPE_FP64, 8}},
	{"float32", {DTYPE_FP32, 4}},
	{"bfloat16", {DTYPE_BF16, 2}},
	{"float16", {DTYPE_FP16, 2}},
	{"float8_e4m3fn", {DTYPE_FP8, 1}},
	{"float8_e5m2", {DTYPE_FP8, 1}},
	{"int8", {DTYPE_INT8, 1}},
	{"uint8", {DTYPE_INT8, 1}},
	{"int16", {DTYPE_OTHER, 2}},
	{"int32", {DTYPE_OTHER, 4}},
	{"int64", {DTYPE_OTHER, 8}},
};

/* Other common names. */
static const struct {
	const char *name;
	enum dtype dtype;
} words[] = {
	{"half", DTYPE_FP16},
	{"tfloat32", DTYPE_TF32},
	{"float8", DTYPE_FP8},
};

/*
 * Parts of kernel names; the first match wins, so more specific ones come
 * first: cuBLAS has "bf16bf16_bf16f32" and "f32f32_tf32f32", whose last part is
 * the type of the sum.
 */
static const struct {
	const char *part;
	enum dtype dtype;
} parts[] = {
	{"tf32", DTYPE_TF32},
	{"e4m3", DTYPE_FP8},
	{"e5m2", DTYPE_FP8},
	{"fp8", DTYPE_FP8},
	{"float8", DTYPE_FP8},
	{"bfloat16", DTYPE_BF16},
	{"bf16", DTYPE_BF16},
	{"float16", DTYPE_FP16},
	{"fp16", DTYPE_FP16},
	{"f16f16", DTYPE_FP16},
	{"half", DTYPE_FP16},
	{"hgemm", DTYPE_FP16},
	{"h884", DTYPE_FP16},
	{"h1688", DTYPE_FP16},
	{"h16816", DTYPE_FP16},
	{"gemm_f16", DTYPE_FP16},
	{"tensorop_s1688gemm", DTYPE_TF32}, /* CUTLASS, for fp32 */
	{"int8", DTYPE_INT8},
	{"i8i8", DTYPE_INT8},
	{"igemm", DTYPE_INT8},
	{"dgemm", DTYPE_FP64},
	{"d884", DTYPE_FP64},
	{"f64f64", DTYPE_FP64},
	{"double", DTYPE_FP64},
	{"sgemm", DTYPE_FP32},
	{"scudnn", DTYPE_FP32},
	{"f32f32", DTYPE_FP32},
	{"float32", DTYPE_FP32},
	/* rocBLAS: types of A, B and C, and of the sum. */
	{"_bbs_b", DTYPE_BF16},
	{"_hhs_b", DTYPE_FP16},
	{"_hb_", DTYPE_FP16},
	{"_sb_", DTYPE_FP32},
	{"_db_", DTYPE_FP64},
	{"_i8i", DTYPE_INT8},
};

struct dtype_element dtype_of_type(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (size > 0 && types[i].name[0] == text[0] &&
			strlen(types[i].name) == size &&
			memcmp(types[i].name, text, size) == 0)
			return types[i].element;
	return (struct dtype_element){DTYPE_UNKNOWN, 0};
}

enum dtype dtype_find(const char *name)
{
	for (int i = DTYPE_UNKNOWN + 1; i < DTYPE_OTHER; i++)
		if (strcasecmp(names[i], name) == 0)
			return (enum dtype)i;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(words[i].name, name) == 0)
			return words[i].dtype;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcasecmp(types[i].name, name) == 0 &&
			types[i].element.dtype != DTYPE_OTHER)
			return types[i].element.dtype;
	return DTYPE_UNKNOWN;
}

enum dtype dtype_of_kernel(const char *name)
{
	struct name_parts found;

	name_parts_init(&found, name);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (name_parts_has(&found, parts[i].part))
			return parts[i].dtype;
	return DTYPE_UNKNOWN;
}
