/* SPDX-License-Identifier: MIT */
/* What tensors are made of: the types that devices have peaks for, and the
 * names that traces give them. */
#ifndef DTYPE_H
#define DTYPE_H

#include <stddef.h>
#include <stdint.h>

enum dtype {
	DTYPE_UNKNOWN,
	DTYPE_FP64,
	DTYPE_FP32,
	DTYPE_TF32, /* of kernels: fp32 tensors, multiplied with less */
	DTYPE_BF16,
	DTYPE_FP16,
	DTYPE_FP8,
	DTYPE_INT8,
	DTYPE_OTHER, /* known, but no device has a peak for it */
	DTYPES
};

struct dtype_element {
	enum dtype dtype;
	uint32_t bytes; /* of one element; 0: not known */
};

/* "bf16"; "unknown" and "other" are no names that dtype_find() knows. */
const char *dtype_name(enum dtype dtype);

/* What people call a type: "bf16", "bfloat16", "c10::BFloat16", ... without
 * regard to case; DTYPE_UNKNOWN if it is none of them. */
enum dtype dtype_find(const char *name);

/*
 * What PyTorch calls the type of an input.
 * Source: c10::ScalarType and caffe2::TypeMeta's names, as "Input type" of
 * Kineto's traces has them.
 */
struct dtype_element dtype_of_type(const char *text, size_t size);

/* What the name of a kernel says about the type that it computes with. */
enum dtype dtype_of_kernel(const char *name);

#endif
