/* SPDX-License-Identifier: MIT */
/* Rows of an event block's `extras`. Source: LOG-FORMAT.md, block 3. */
#ifndef LOG_ROW_H
#define LOG_ROW_H

#include "log/log.h"
#include "log/msgpack_out.h"

/* Begins a row with so many elements, whose first this writes. */
static inline msgpack_packer log_row_begin(
	struct buffer *extras, enum log_row row, size_t elements)
{
	msgpack_packer packer = msgpack_out(extras);

	(void)msgpack_pack_array(&packer, elements);
	(void)msgpack_pack_int(&packer, (int)row);
	return packer;
}

/* A row of so many unsigned numbers. */
static inline void log_row_add_numbers(struct buffer *extras, enum log_row row,
	const uint64_t *numbers, size_t count)
{
	msgpack_packer packer = log_row_begin(extras, row, 1 + count);

	for (size_t i = 0; i < count; i++)
		(void)msgpack_pack_uint64(&packer, numbers[i]);
}

/* [6 or 7, address, bytes, device] */
static inline void log_row_add_memory(struct buffer *extras, enum log_row row,
	const uint64_t block[2], int64_t device)
{
	msgpack_packer packer = log_row_begin(extras, row, 4);

	(void)msgpack_pack_uint64(&packer, block[0]);
	(void)msgpack_pack_uint64(&packer, block[1]);
	(void)msgpack_pack_int64(&packer, device);
}

#endif
