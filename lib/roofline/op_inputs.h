/* SPDX-License-Identifier: MIT */
/*
 * Parses the inputs of an operator in PyTorch's traces: "Input Dims", "Input
 * type" and "Concrete Inputs", JSON lists with one element per input. The texts
 * are untrusted: numbers may be negative or of any size, brackets nested to any
 * depth.
 */
#ifndef OP_INPUTS_H
#define OP_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roofline/dtype.h"

#define OP_INPUTS_MAX 64
#define OP_DIMS_MAX 8

struct op_input {
	uint32_t rank; /* 0: a scalar, or not a tensor */
	/* The first dimensions; not negative. */
	int64_t dims[OP_DIMS_MAX];
	uint64_t elements; /* of all tensors of a list; saturated */
	struct dtype_element element;
	bool is_list;
	bool is_tensor; /* by its type if given, else by its dims */
	/* "[1, 1]", "True", "0.5"; empty for tensors or if missing. Borrowed
	 * from the parsed text. */
	const char *concrete;
	size_t concrete_size;
};

struct op_inputs {
	uint32_t count;
	struct op_input inputs[OP_INPUTS_MAX]; /* only `count` are set */
};

/* A parsed "Input type"; traces have only few different texts. */
struct op_types {
	uint32_t count;
	struct dtype_element elements[OP_INPUTS_MAX]; /* only `count` are set */
};

/* Reads "Input Dims". False, without inputs, if it is malformed or there are
 * too many. */
bool op_inputs_read_dims(
	struct op_inputs *inputs, const char *text, size_t size);

/* Reads "Input type", up to the first malformed item. */
void op_types_read(struct op_types *types, const char *text, size_t size);

/* Call these afterwards; they set the members of the inputs read and skip
 * malformed values. The text is borrowed while the inputs are used. */
void op_inputs_set_types(
	struct op_inputs *inputs, const struct op_types *types);
void op_inputs_read_concrete(
	struct op_inputs *inputs, const char *text, size_t size);

/* The input with this index; NULL if there are fewer. */
const struct op_input *op_inputs_at(
	const struct op_inputs *inputs, uint32_t number);

/* Reads the numbers of an input like "[1, 2]" or "1". Returns their count; 0 if
 * it is not such a list or too long. */
uint32_t op_input_numbers(
	const struct op_input *input, int64_t numbers[OP_DIMS_MAX]);

/* 1 for "True", 0 for "False", else -1. */
int op_input_bool(const struct op_input *input);

/* Bytes of its elements, saturated; 0 if it is not a tensor. False if their
 * size is unknown. */
bool op_input_bytes(const struct op_input *input, uint64_t *bytes);

#endif
