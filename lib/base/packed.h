/* SPDX-License-Identifier: MIT */
/* Numbers in as few bytes as possible, lowest first. The number of bytes is
 * kept elsewhere. */
#ifndef PACKED_H
#define PACKED_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Most bytes of a number. */
#define PACKED_MAX 8

/* None for 0. */
static inline unsigned packed_size(uint64_t number)
{
	return number == 0 ? 0 : 8 - (unsigned)__builtin_clzll(number) / 8;
}

/* Writes PACKED_MAX bytes, of which the number uses only the first ones. */
static inline void packed_write(uint8_t *to, uint64_t number)
{
	number = htole64(number);
	memcpy(to, &number, sizeof(number));
}

/* The number of `size` bytes that ends at `end`. Always reads the PACKED_MAX
 * bytes before `end`. */
static inline uint64_t packed_read(const uint8_t *end, unsigned size)
{
	uint64_t number;

	memcpy(&number, end - sizeof(number), sizeof(number));
	return size == 0 ? 0 : le64toh(number) >> (64 - 8 * size);
}

#endif
