/* SPDX-License-Identifier: MIT */
#include "roofline/op_inputs.h"

#include <string.h>
#include <strings.h>

#include "base/saturate.h"

/* Inlining keeps the parsed text in registers: each operator has three texts,
 * and parsing them is most of the work. */
#define INLINE static inline __attribute__((always_inline))

struct text {
	const char *at;
	const char *end;
};

static bool is_space(char byte)
{
	return byte <= ' ' &&
	       (byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r');
}

/* Skips spaces and returns the next byte without consuming it; NUL at the
 * end. */
INLINE char peek(struct text *text)
{
	while (text->at < text->end && is_space(*text->at))
		text->at++;
	return text->at < text->end ? *text->at : '\0';
}

INLINE bool accept(struct text *text, char byte)
{
	if (peek(text) != byte || text->at == text->end)
		return false;
	text->at++;
	return true;
}

/* Parses a number that is at least `least`. */
INLINE bool parse_number(struct text *text, int64_t least, int64_t *number)
{
	bool negative = accept(text, '-');
	int64_t sum = 0;
	bool some = false;

	for (; text->at < text->end && *text->at >= '0' && *text->at <= '9';
		text->at++) {
		if (__builtin_mul_overflow(sum, 10, &sum) ||
			__builtin_add_overflow(sum, *text->at - '0', &sum))
			return false;
		some = true;
	}
	*number = negative ? -sum : sum;
	return some && *number >= least;
}

/* Skips the string whose quote is next. */
INLINE bool skip_string(struct text *text)
{
	for (text->at++; text->at < text->end; text->at++) {
		if (*text->at == '\\')
			text->at++;
		else if (*text->at == '"')
			break;
	}
	if (text->at >= text->end) {
		text->at = text->end;
		return false;
	}
	text->at++;
	return true;
}

/* Skips any value and returns it in `value`. */
INLINE bool parse_value(struct text *text, struct text *value)
{
	uint64_t depth = 0;
	char byte = peek(text);

	value->at = text->at;
	while (text->at < text->end) {
		byte = *text->at;
		if (byte == '"') {
			if (!skip_string(text))
				return false;
			continue;
		}
		if (depth == 0 && (byte == ',' || byte == ']'))
			break;
		if (byte == '[' || byte == '{')
			depth++;
		else if (byte == ']' || byte == '}')
			depth--;
		text->at++;
	}
	value->end = text->at;
	return depth == 0 && value->at < value->end;
}

/* Parses the rest of a shape, after its bracket. */
INLINE bool parse_shape(struct text *text, struct op_input *input)
{
	uint64_t elements = 1;
	uint32_t rank = 0;
	int64_t dim;

	if (!accept(text, ']')) {
		do {
			if (!parse_number(text, 0, &dim))
				return false;
			if (rank < OP_DIMS_MAX)
				input->dims[rank] = dim;
			rank++;
			elements = saturate_product(elements, (uint64_t)dim);
		} while (accept(text, ','));
		if (!accept(text, ']'))
			return false;
	}
	input->rank = rank;
	input->elements = saturate_sum(input->elements, elements);
	return true;
}

/* Parses a list of tensors, after its bracket. */
INLINE bool parse_shapes(struct text *text, struct op_input *input)
{
	input->is_list = true;
	do {
		if (!accept(text, '[') || !parse_shape(text, input))
			return false;
	} while (accept(text, ','));
	input->rank = 0;
	return accept(text, ']');
}

INLINE bool parse_dims(struct text *text, struct op_input *input)
{
	struct text value;

	input->rank = 0;
	input->elements = 0;
	input->element = (struct dtype_element){DTYPE_UNKNOWN, 0};
	input->is_list = false;
	input->is_tensor = false;
	input->concrete = "";
	input->concrete_size = 0;
	if (!accept(text, '['))
		return parse_value(text, &value);
	if (!(peek(text) == '[' ? parse_shapes(text, input)
				: parse_shape(text, input)))
		return false;
	input->is_tensor = input->rank > 0 || input->is_list;
	return true;
}

bool op_inputs_read_dims(
	struct op_inputs *inputs, const char *text, size_t size)
{
	struct text left = {text, text + size};
	uint32_t count = 0;

	inputs->count = 0;
	if (!accept(&left, '['))
		return false;
	if (!accept(&left, ']')) {
		do {
			if (count == OP_INPUTS_MAX ||
				!parse_dims(&left, &inputs->inputs[count++]))
				return false;
		} while (accept(&left, ','));
		if (!accept(&left, ']'))
			return false;
	}
	inputs->count = count;
	return peek(&left) == '\0';
}

/* Removes the quotes of a string; other values are unchanged. */
static struct text without_quotes(struct text value)
{
	while (value.end > value.at && is_space(value.end[-1]))
		value.end--;
	if (value.end - value.at >= 2 && *value.at == '"') {
		value.at++;
		value.end--;
	}
	return value;
}

/* Inputs that are not tensors also have a type if they have a value: "Scalar",
 * "Int", "ScalarList"; otherwise it is empty. */
void op_types_read(struct op_types *types, const char *text, size_t size)
{
	struct text left = {text, text + size};
	struct text value;

	types->count = 0;
	if (!accept(&left, '['))
		return;
	while (types->count < OP_INPUTS_MAX && parse_value(&left, &value)) {
		value = without_quotes(value);
		types->elements[types->count++] =
			dtype_of_type(value.at, (size_t)(value.end - value.at));
		if (!accept(&left, ','))
			return;
	}
}

void op_inputs_set_types(struct op_inputs *inputs, const struct op_types *types)
{
	for (uint32_t i = 0; i < inputs->count && i < types->count; i++) {
		struct op_input *input = &inputs->inputs[i];

		input->element = types->elements[i];
		input->is_tensor = input->element.bytes > 0 ||
				   input->rank > 0 || input->is_list;
	}
}

void op_inputs_read_concrete(
	struct op_inputs *inputs, const char *text, size_t size)
{
	struct text left = {text, text + size};
	struct text value;

	if (!accept(&left, '['))
		return;
	for (uint32_t i = 0; i < inputs->count; i++) {
		if (!parse_value(&left, &value))
			return;
		value = without_quotes(value);
		inputs->inputs[i].concrete = value.at;
		inputs->inputs[i].concrete_size =
			(size_t)(value.end - value.at);
		if (!accept(&left, ','))
			return;
	}
}

const struct op_input *op_inputs_at(
	const struct op_inputs *inputs, uint32_t number)
{
	return number < inputs->count ? &inputs->inputs[number] : NULL;
}

uint32_t op_input_numbers(
	const struct op_input *input, int64_t numbers[OP_DIMS_MAX])
{
	struct text text = {
		input->concrete, input->concrete + input->concrete_size};
	bool is_list = accept(&text, '[');
	uint32_t count = 0;

	do {
		if (count == OP_DIMS_MAX ||
			!parse_number(&text, INT64_MIN, &numbers[count++]))
			return 0;
	} while (is_list && accept(&text, ','));
	if (is_list && !accept(&text, ']'))
		return 0;
	return peek(&text) == '\0' ? count : 0;
}

static bool is_word(const struct op_input *input, const char *word)
{
	return input->concrete_size == strlen(word) &&
	       strncasecmp(input->concrete, word, strlen(word)) == 0;
}

int op_input_bool(const struct op_input *input)
{
	if (is_word(input, "true") || is_word(input, "1"))
		return 1;
	return is_word(input, "false") || is_word(input, "0") ? 0 : -1;
}

bool op_input_bytes(const struct op_input *input, uint64_t *bytes)
{
	*bytes = 0;
	if (!input->is_tensor || input->elements == 0)
		return true;
	*bytes = saturate_product(input->elements, input->element.bytes);
	return input->element.bytes > 0;
}
