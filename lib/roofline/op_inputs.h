/* SPDX-License-Identifier: MIT */
/*
 * What the profiler of PyTorch says about the inputs of an operator: "Input
 * Dims", "Input type" and "Concrete Inputs", lists in JSON with one element for
 * each input. They are from anywhere: numbers may be negative or of any size,
 * brackets nested to any depth.
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
	uint32_t rank; /* 0: a scalar, or no tensor */
	/* The first of them, none negative. */
	int64_t dims[OP_DIMS_MAX];
	uint64_t elements; /* of all tensors of a list; UINT64_MAX: or more */
	struct dtype_element element;
	bool is_list;
	bool is_tensor; /* by its type, if that is given, else its dims */
	/* "[1, 1]", "True", "0.5"; empty where it is a tensor, or not said.
	 * Borrowed from what was read. */
	const char *concrete;
	size_t concrete_size;
};

struct op_inputs {
	uint32_t count;
	struct op_input inputs[OP_INPUTS_MAX]; /* only so many are set */
};

/* What "Input type" says, which is the same few texts again and again. */
struct op_types {
	uint32_t count;
	struct dtype_element elements[OP_INPUTS_MAX]; /* only so many are set */
};

/* Reads "Input Dims". False, and none, if it is anything else, or there are
 * too many. */
bool op_inputs_read_dims(
	struct op_inputs *inputs, const char *text, size_t size);

/* Reads "Input type", up to what makes no sense. */
void op_types_read(struct op_types *types, const char *text, size_t size);

/* Then these, of the inputs that are there; what makes no sense is passed
 * over. The text is borrowed as long as the inputs are used. */
void op_inputs_set_types(
	struct op_inputs *inputs, const struct op_types *types);
void op_inputs_read_concrete(
	struct op_inputs *inputs, const char *text, size_t size);

/* The input of this number; NULL if there are fewer. */
const struct op_input *op_inputs_at(
	const struct op_inputs *inputs, uint32_t number);

/* The numbers of an input like "[1, 2]" or "1". Returns how many there are; 0
 * if it is not such a list, or longer. */
uint32_t op_input_numbers(
	const struct op_input *input, int64_t numbers[OP_DIMS_MAX]);

/* 1 for "True", 0 for "False", -1 for all else. */
int op_input_bool(const struct op_input *input);

/* Bytes of its elements; false if their size is not known. None, if it is no
 * tensor. UINT64_MAX: or more. */
bool op_input_bytes(const struct op_input *input, uint64_t *bytes);

#endif
