/* SPDX-License-Identifier: MIT */
#include "log/log_row.h"

#include "log/msgpack_out.h"

#define FIELDS(name, number, chunk, event, ...) [number] = {__VA_ARGS__},
const uint8_t log_row_fields[LOG_ROWS_MAX][LOG_FIELDS_MAX + 1] = {
	[LOG_ROW_SHIFT] = {LOG_FIELD_SHIFT}, LOG_ROWS(FIELDS)};
#undef FIELDS

/* A byte for the number of elements, and one for the row number. */
#define HEAD_BYTES 2
#define ROW_BYTES (HEAD_BYTES + LOG_FIELDS_MAX * MSGPACK_OUT_INT_MAX)

static uint8_t *put_head(uint8_t *at, enum log_row row, unsigned elements)
{
	at[0] = (uint8_t)(0x90 + elements);
	at[1] = (uint8_t)row;
	return at + HEAD_BYTES;
}

void log_row_begin(struct buffer *extras, enum log_row row, unsigned elements)
{
	uint8_t head[HEAD_BYTES];

	(void)put_head(head, row, elements);
	buffer_add(extras, head, sizeof(head));
}

void log_row_add(
	struct buffer *extras, enum log_row row, const uint64_t *numbers)
{
	const uint8_t *fields = log_row_fields[row];
	unsigned count = 0;
	uint8_t *head;
	uint8_t *at;

	if (!buffer_reserve(extras, ROW_BYTES))
		return;
	head = extras->bytes + extras->used;
	at = head + HEAD_BYTES;
	for (; fields[count] != LOG_FIELD_END; count++)
		at = fields[count] == LOG_FIELD_DEVICE
			     ? msgpack_out_int(at, (int64_t)numbers[count])
			     : msgpack_out_uint(at, numbers[count]);
	(void)put_head(head, row, 1 + count);
	extras->used = (size_t)(at - extras->bytes);
}
