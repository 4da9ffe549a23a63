/* SPDX-License-Identifier: MIT */
#include "pack/pack_row.h"

#include <string.h>

#include "log/log_row.h"
#include "log/msgpack_out.h"

/* Words of an event's record before its arguments. */
#define PLAIN_WORDS 3

/* An event that has a row; its bytes are to be added to this. */
static struct buffer *add_extra(struct log_column *column, int64_t time_ns)
{
	log_column_add(column, LOG_COLUMN_EXTRA, time_ns);
	column->extra_count++;
	return &column->extras;
}

static double to_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

bool pack_row_text(struct chunk_head head, const uint64_t *record,
	uint32_t skip, const char **text, size_t *size)
{
	uint32_t words = head.words;
	uint32_t last = head.detail;

	if (words < skip || last > 8)
		return false;
	*text = (const char *)(record + 1 + skip);
	*size = words == skip ? 0 : ((size_t)words - skip - 1) * 8 + last;
	return true;
}

static void add_arg(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns)
{
	enum chunk_long kind = head.kind;
	msgpack_packer packer = msgpack_out(&column->extras);
	const char *text;
	size_t size;
	size_t key_size;

	if (!pack_row_text(head, record, 2, &text, &size))
		return;
	key_size = size;
	if (kind == CHUNK_ARG_TEXT)
		key_size = record[2] > size ? size : (size_t)record[2];
	log_row_begin(add_extra(column, time_ns), LOG_ROW_ARG, 3);
	msgpack_out_text(&packer, text, key_size);
	if (kind == CHUNK_ARG_INT)
		(void)msgpack_pack_int64(&packer, (int64_t)record[2]);
	else if (kind == CHUNK_ARG_FLOAT)
		(void)msgpack_pack_double(&packer, to_double(record[2]));
	else
		msgpack_out_text(&packer, text + key_size, size - key_size);
}

/* An argument of an event, as it lies in a chunk. */
struct packed_arg {
	enum chunk_long kind;
	uint64_t number;
	const char *key;
	size_t key_size;
	size_t text_size;
};

/* Reads the argument at the beginning of `left` words. Returns the number of
 * words that it takes; 0 if there is none. */
static uint32_t read_packed(
	const uint64_t *words, uint32_t count, struct packed_arg *out)
{
	size_t all;

	if (count < CHUNK_ARG_WORDS)
		return 0;
	out->kind = (enum chunk_long)(words[0] & 0xff);
	out->key_size = words[0] >> 8 & 0xffffff;
	out->text_size = words[0] >> 32;
	out->number = words[1];
	out->key = (const char *)(words + CHUNK_ARG_WORDS);
	all = CHUNK_ARG_WORDS +
	      chunk_text_words(out->key_size + out->text_size);
	return all > count ? 0 : (uint32_t)all;
}

static void pack_value(msgpack_packer *packer, const struct packed_arg *arg)
{
	if (arg->kind == CHUNK_ARG_INT)
		(void)msgpack_pack_int64(packer, (int64_t)arg->number);
	else if (arg->kind == CHUNK_ARG_FLOAT)
		(void)msgpack_pack_double(packer, to_double(arg->number));
	else
		msgpack_out_text(
			packer, arg->key + arg->key_size, arg->text_size);
}

/* The arguments of the event that was added last, if it has any. */
static void add_more(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns)
{
	const uint64_t *first = record + 1 + PLAIN_WORDS;
	const uint32_t words = head.words - PLAIN_WORDS;
	struct packed_arg arg;
	msgpack_packer packer = msgpack_out(&column->extras);
	uint32_t count = 0;
	uint32_t used;

	for (uint32_t at = 0;
		(used = read_packed(first + at, words - at, &arg)) != 0;
		at += used)
		count++;
	if (count == 0)
		return;
	log_row_begin(add_extra(column, time_ns), LOG_ROW_MORE_ARGS, 2);
	(void)msgpack_pack_map(&packer, count);
	for (uint32_t at = 0; count > 0; count--) {
		at += read_packed(first + at, words - at, &arg);
		msgpack_out_text(&packer, arg.key, arg.key_size);
		pack_value(&packer, &arg);
	}
}

static void add_counter(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns)
{
	msgpack_packer packer = msgpack_out(&column->extras);

	log_row_begin(add_extra(column, time_ns), LOG_ROW_COUNTER, 3);
	(void)msgpack_pack_uint64(&packer, record[2]);
	if (head.detail == 1)
		(void)msgpack_pack_double(&packer, to_double(record[3]));
	else
		(void)msgpack_pack_int64(&packer, (int64_t)record[3]);
}

/* The row that a record becomes, by its kind; 0: it becomes no row, or one of
 * arguments. */
#define ROW(name, row, kind, ...) [kind] = row,
static const uint8_t rows[] = {LOG_ROWS_RECORDED(ROW)};
#undef ROW

static enum log_row row_of(enum chunk_long kind)
{
	return kind < sizeof(rows) ? (enum log_row)rows[kind] : 0;
}

static bool has_args(enum chunk_long kind)
{
	return kind == CHUNK_INSTANT || kind == CHUNK_ASYNC_BEGIN ||
	       kind == CHUNK_ASYNC_END;
}

/* Words of a record that becomes a row; UINT32_MAX if it becomes none. */
static uint32_t row_words(enum chunk_long kind)
{
	const enum log_row row = row_of(kind);
	uint32_t words = 1;

	if (row == 0)
		return UINT32_MAX;
	while (log_row_fields[row][words - 1] != LOG_FIELD_END)
		words++;
	return has_args(kind) && words < PLAIN_WORDS ? PLAIN_WORDS : words;
}

uint32_t pack_row_least_words(enum chunk_long kind)
{
	switch (kind) {
	case CHUNK_BEGIN:
	case CHUNK_ARG_INT:
	case CHUNK_ARG_FLOAT:
	case CHUNK_ARG_TEXT:
	case CHUNK_DEVICE_SYNC:
	case CHUNK_BLOCK:
		return 2;
	case CHUNK_BEGIN_AT:
	case CHUNK_END_AT:
	case CHUNK_SITE:
	case CHUNK_TRACK:
	case CHUNK_LOSSES:
	case CHUNK_UNWOUND:
	case CHUNK_FUNCTION:
		return 3;
	case CHUNK_MODULE_CLOSED:
		return 1;
	case CHUNK_MODULE:
	case CHUNK_SITE_INFO:
	case CHUNK_ACTIVITY:
	case CHUNK_STREAM:
		return 4;
	default:
		return row_words(kind);
	}
}

void pack_row_add(struct log_column *column, struct chunk_head head,
	const uint64_t *record, int64_t time_ns)
{
	const enum log_row row = row_of(head.kind);

	if (row == 0) {
		add_arg(column, head, record, time_ns);
	} else if (row == LOG_ROW_COUNTER) {
		add_counter(column, head, record, time_ns);
	} else {
		log_row_add(add_extra(column, time_ns), row, record + 2);
		if (has_args(head.kind))
			add_more(column, head, record, time_ns);
	}
}
