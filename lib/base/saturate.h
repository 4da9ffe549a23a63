/* SPDX-License-Identifier: MIT */
/* Saturating sums and products. */
#ifndef SATURATE_H
#define SATURATE_H

#include <stdint.h>

static inline uint64_t saturate_sum(uint64_t left, uint64_t right)
{
	uint64_t sum;

	return __builtin_add_overflow(left, right, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t saturate_product(uint64_t left, uint64_t right)
{
	uint64_t product;

	return __builtin_mul_overflow(left, right, &product) ? UINT64_MAX
							     : product;
}

#endif
