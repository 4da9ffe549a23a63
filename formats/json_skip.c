/* SPDX-License-Identifier: MIT */
#include "json_skip.h"

#include "json_value.h"

/* Brackets that are open are the bits of a word. */
#define DEPTH_MAX 64

/* The number of the token that begins at a bit of the block. */
static size_t token_of(const struct json_window *window,
	const struct json_block *block, uint64_t bit)
{
	return (size_t)(block->first - window->dropped) +
	       (size_t)__builtin_popcountll(block->tokens & (bit - 1));
}

/* Are the numbers and words right that begin at these bits? */
static bool check_odd(const struct json_window *window,
	const struct json_block *block, uint64_t bits)
{
	for (; bits != 0; bits &= bits - 1) {
		size_t token = token_of(window, block, bits & -bits);
		enum json_kind kind;
		uint32_t at;

		if (token + 1 >= window->token_count)
			return false;
		at = window->tokens[token];
		if (!json_value_kind((const char *)window->bytes + at,
			    json_window_scalar(
				    window, at, window->tokens[token + 1]),
			    &kind))
			return false;
	}
	return true;
}

/* Is what lies in these bits right in an array, or in an object? */
static inline bool check(const struct json_window *window,
	const struct json_block *block, uint64_t bits, bool square)
{
	uint64_t wrong = square ? block->in_object : block->in_array;

	if (__builtin_expect(((wrong | block->odd) & bits) == 0, 1))
		return true;
	return (wrong & bits) == 0 &&
	       check_odd(window, block, block->odd & bits);
}

bool json_skip(struct json_window *window, bool square)
{
	const struct json_block *block;
	const struct json_block *end;
	uint64_t open = square; /* the lowest bit is the innermost */
	unsigned depth = 1;
	uint64_t left;

	if (window->token_at == window->token_count)
		return false;
	block = json_window_block(window, window->tokens[window->token_at]);
	end = json_window_block(window, window->indexed);
	left = UINT64_MAX << window->tokens[window->token_at] % JSON_INDEX_STEP;
	for (; block < end; block++, left = UINT64_MAX) {
		uint64_t brackets = (block->opening | block->closing) & left;

		for (; brackets != 0; brackets &= brackets - 1) {
			uint64_t bit = brackets & -brackets;
			uint64_t square_bit = (block->square & bit) != 0;

			if (!check(window, block, left & (bit | (bit - 1)),
				    open & 1))
				return false;
			left &= -bit << 1;
			if ((block->opening & bit) != 0) {
				open = open << 1 | square_bit;
				if (depth++ == DEPTH_MAX)
					return false;
				continue;
			}
			if ((open & 1) != square_bit)
				return false;
			open >>= 1;
			if (--depth == 0) {
				window->token_at =
					token_of(window, block, bit) + 1;
				return true;
			}
		}
		if (!check(window, block, left, open & 1))
			return false;
	}
	return false;
}
