/* SPDX-License-Identifier: MIT */
/*
 * Rows of an event block's `extras`: the table used by the recorder's packer,
 * formats/log and log_read. A row of only numbers needs just its line here.
 * Source: FORMAT.md, block 3.
 */
#ifndef LOG_ROW_H
#define LOG_ROW_H

#include "base/buffer.h"

/* Elements of a row after its number. */
enum log_field {
	LOG_FIELD_END = 0,
	LOG_FIELD_SITE,
	LOG_FIELD_ID, /* event.id: a number shared with other events, or an
		       * address */
	LOG_FIELD_BYTES,
	LOG_FIELD_DEVICE, /* -1: the host */
	LOG_FIELD_DURATION,
	LOG_FIELD_SHIFT,
	LOG_FIELD_FLOW,
	LOG_FIELD_ADVANCE, /* the value of an argument `advance` */
	LOG_FIELD_VALUE,   /* of an argument, whose key may follow */
	LOG_FIELD_ARG,     /* two elements: key and value of an argument */
};

/*
 * NAME, number in the log, number in a chunk, kind of event, fields. A record
 * in a chunk has the time and then a word for each field, in the same order;
 * those of instants and asynchronous ranges may have arguments after three
 * words.
 */
/* clang-format off */
#define LOG_ROWS_RECORDED(X) \
	X(INSTANT, 2, 4, EVENT_INSTANT, LOG_FIELD_SITE) \
	X(COUNTER, 3, 5, EVENT_COUNTER, LOG_FIELD_SITE, LOG_FIELD_VALUE) \
	X(ASYNC_BEGIN, 4, 6, EVENT_ASYNC_BEGIN, LOG_FIELD_SITE, LOG_FIELD_ID) \
	X(ASYNC_END, 5, 7, EVENT_ASYNC_END, LOG_FIELD_SITE, LOG_FIELD_ID) \
	X(ALLOC, 6, 8, EVENT_ALLOC, \
		LOG_FIELD_ID, LOG_FIELD_BYTES, LOG_FIELD_DEVICE) \
	X(FREE, 7, 9, EVENT_FREE, \
		LOG_FIELD_ID, LOG_FIELD_BYTES, LOG_FIELD_DEVICE) \
	X(STEP, 8, 10, EVENT_STEP, \
		LOG_FIELD_SITE, LOG_FIELD_ID, LOG_FIELD_ADVANCE) \
	X(CORRELATION, 9, 22, EVENT_CORRELATION, LOG_FIELD_ID)

/* The same without a number in a chunk: arguments are recorded in three ways,
 * and the others occur only in converted traces. */
#define LOG_ROWS_OTHERS(X) \
	X(ARG, 1, 0, EVENT_ARGS, LOG_FIELD_ARG) \
	X(COMPLETE, 10, 0, EVENT_COMPLETE, LOG_FIELD_SITE, LOG_FIELD_DURATION) \
	X(FLOW, 11, 0, EVENT_FLOW, \
		LOG_FIELD_SITE, LOG_FIELD_ID, LOG_FIELD_FLOW) \
	X(UNCLIPPED_CALL, 14, 0, EVENT_UNCLIPPED_CALL, LOG_FIELD_SITE, LOG_FIELD_DURATION)
/* clang-format on */

#define LOG_ROWS(X) LOG_ROWS_RECORDED(X) LOG_ROWS_OTHERS(X)

#define LOG_ROW_NUMBER(name, number, ...) LOG_ROW_##name = number,
enum log_row {
	LOG_ROWS(LOG_ROW_NUMBER)
	/* They belong to the previous event. */
	LOG_ROW_MORE_ARGS = 12,
	LOG_ROW_SHIFT = 13,
};
#undef LOG_ROW_NUMBER

#define LOG_ROWS_MAX 32 /* rows have numbers below this */
#define LOG_FIELDS_MAX 3

/* By row, up to LOG_FIELD_END; only that for unknown rows. */
extern const uint8_t log_row_fields[LOG_ROWS_MAX][LOG_FIELDS_MAX + 1];

/* Begins a row of at most 15 elements and writes the first, its number. */
void log_row_begin(struct buffer *extras, enum log_row row, unsigned elements);

/* Adds a row whose fields are all numbers, in their order. */
void log_row_add(
	struct buffer *extras, enum log_row row, const uint64_t *numbers);

#endif
