/* SPDX-License-Identifier: MIT */
/* Element types of tensors for which devices have peaks, and their names in
 * traces. */
#ifndef DTYPE_H
#define DTYPE_H

#include <stddef.h>
#include <stdint.h>

enum dtype {
	DTYPE_UNKNOWN,
	DTYPE_FP64,
	DTYPE_FP32,
	DTYPE_TF32, /* only kernels: fp32 tensors, multiplied with less
		     * precision */
	DTYPE_BF16,
	DTYPE_FP16,
	DTYPE_FP8,
	DTYPE_INT8,
	DTYPE_OTHER, /* known, but without a peak on any device */
	DTYPES
};

struct dtype_element {
	enum dtype dtype;
	uint32_t bytes; /* of one element; 0: unknown */
};

/* Finds a type by any common name: "bf16", "bfloat16", "c10::BFloat16", ...
 * ignoring case. DTYPE_UNKNOWN for other names, also "unknown" and "other". */
enum dtype dtype_find(const char *name);

/*
 * Finds PyTorch's type of an input.
 * Source: c10::ScalarType and caffe2::TypeMeta's names, as in "Input type" of
 * Kineto's traces.
 */
struct dtype_element dtype_of_type(const char *text, size_t size);

/* The type that a kernel computes with, from its name. */
enum dtype dtype_of_kernel(const char *name);

#endif
