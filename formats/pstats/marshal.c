/* SPDX-License-Identifier: MIT */
#include "pstats/marshal.h"

#include <assert.h>
#include <string.h>

static void put_le(FILE *out, uint64_t value, unsigned size)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < size; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	(void)fwrite(bytes, 1, size, out);
}

void marshal_begin_dict(FILE *out)
{
	(void)putc('{', out);
}

void marshal_end_dict(FILE *out)
{
	(void)putc('0', out);
}

void marshal_tuple(FILE *out, uint32_t count)
{
	(void)putc('(', out);
	put_le(out, count, 4);
}

void marshal_text(FILE *out, const char *bytes, size_t size)
{
	assert(size <= MARSHAL_TEXT_MAX);
	(void)putc('u', out);
	put_le(out, size, 4);
	(void)fwrite(bytes, 1, size, out);
}

/* Digits of base 2^15; readers reject a most significant zero. */
static void put_long(FILE *out, uint64_t value)
{
	unsigned digits = 0;

	while (digits < 5 && value >> 15 * digits != 0)
		digits++;
	(void)putc('l', out);
	put_le(out, digits, 4);
	for (unsigned i = 0; i < digits; i++)
		put_le(out, value >> 15 * i & 0x7fff, 2);
}

void marshal_int(FILE *out, uint64_t value)
{
	if (value > INT32_MAX) {
		put_long(out, value);
		return;
	}
	(void)putc('i', out);
	put_le(out, value, 4);
}

void marshal_float(FILE *out, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	(void)putc('g', out);
	put_le(out, bits, 8);
}
