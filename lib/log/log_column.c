/* SPDX-License-Identifier: MIT */
#include "log/log_column.h"

#include "base/memory.h"
#include "log/msgpack_out.h"
#include "log/unpack.h"

void log_column_clear(struct log_column *column)
{
	buffer_clear(&column->extras);
	buffer_clear(&column->bytes);
	memory_free(column->local);
}

/* An integer below 2^16, as log_column_put() takes it. */
static uint32_t pack(uint32_t value)
{
	uint8_t bytes[sizeof(uint32_t)] = {0};
	uint32_t word;

	bytes[3] = (uint8_t)(msgpack_out_short(bytes, value) - bytes - 1);
	memcpy(&word, bytes, sizeof(word));
	return le32toh(word);
}

/* Makes room for the times and their table. */
static bool prepare(struct log_column *column)
{
	if (column->bytes.room > 0)
		return true;
	for (uint32_t i = 0; i < LOG_COLUMN_SHORT; i++)
		column->short_times[i] = pack(i);
	return buffer_reserve(&column->bytes,
		LOG_COLUMN_HEAD_MAX + LOG_COLUMN_MAX * MSGPACK_OUT_INT_MAX);
}

void log_column_begin(struct log_column *column, uint32_t track,
	const uint32_t *open, uint32_t depth)
{
	column->track = track;
	column->count = 0;
	column->open_known = depth <= LOG_OPEN_MAX;
	column->open_count = column->open_known ? depth : 0;
	if (column->open_count > 0)
		memcpy(column->open, open,
			column->open_count * sizeof(column->open[0]));
	if (++column->block == 0) { /* numbers repeat */
		memset(column->local, 0, column->room * sizeof(*column->local));
		column->block = 1;
	}
	column->site_count = 0;
	column->bytes.used = 0;
	column->failed = !prepare(column);
	column->times_end = column->bytes.bytes + LOG_COLUMN_HEAD_MAX;
	column->ids_end = column->ids;
}

uint32_t log_column_new_id(struct log_column *column, uint32_t id)
{
	uint32_t packed = LOG_ID_END;

	if (!array_ensure_index(&column->local, id, &column->room,
		    sizeof(*column->local))) {
		column->failed = true;
		return 0;
	}
	if (id != LOG_COLUMN_END) {
		packed = pack(column->site_count + LOG_ID_SITES);
		column->list[column->site_count++] = id;
	}
	column->local[id] = (uint64_t)column->block << 32 | packed;
	return packed;
}

static void add_numbers(
	struct buffer *bytes, const uint32_t *numbers, uint32_t count)
{
	msgpack_packer packer = msgpack_out(bytes);
	uint8_t *at;

	(void)msgpack_pack_array(&packer, count);
	if (!buffer_reserve(bytes, (size_t)count * MSGPACK_OUT_INT_MAX))
		return;
	at = bytes->bytes + bytes->used;
	for (uint32_t i = 0; i < count; i++)
		at = msgpack_out_int(at, numbers[i]);
	bytes->used = (size_t)(at - bytes->bytes);
}

/* Packs the elements before the times right before these. Returns the first
 * byte's position. */
static size_t add_head(struct log_column *column)
{
	uint8_t bytes[LOG_COLUMN_HEAD_MAX];
	struct buffer head = {.bytes = bytes, .room = sizeof(bytes)};
	msgpack_packer packer = msgpack_out(&head);
	size_t first;

	(void)msgpack_pack_array(&packer, 9);
	(void)msgpack_pack_int(&packer, LOG_EVENTS);
	(void)msgpack_pack_uint32(&packer, column->track);
	(void)msgpack_pack_uint64(&packer, column->seq);
	(void)msgpack_pack_int64(&packer, column->first_ns);
	(void)msgpack_pack_array(&packer, column->count);
	first = LOG_COLUMN_HEAD_MAX - head.used;
	memcpy(column->bytes.bytes + first, bytes, head.used);
	return first;
}

enum ctp_status log_column_write(struct log_column *column,
	struct log_writer *writer, struct ctp_error *err)
{
	struct buffer *bytes = &column->bytes;
	msgpack_packer packer = msgpack_out(bytes);
	size_t first;
	size_t times;

	if (column->failed)
		return ctp_no_memory(err);
	if (column->count == 0)
		return CTP_OK;
	first = add_head(column);
	times = (size_t)(column->times_end - bytes->bytes);
	bytes->used = times;
	if (column->open_known)
		add_numbers(bytes, column->open, column->open_count);
	else
		(void)msgpack_pack_nil(&packer);
	add_numbers(bytes, column->list, column->site_count);
	(void)msgpack_pack_array(&packer, column->count);
	buffer_add(bytes, column->ids, (size_t)(column->ids_end - column->ids));
	(void)msgpack_pack_array(&packer, column->extra_count);
	buffer_add(bytes, column->extras.bytes, column->extras.used);
	if (bytes->failed || column->extras.failed)
		return ctp_no_memory(err);
	return log_writer_add(writer, LOG_EVENTS,
		(struct deflate_part[]){
			{bytes->bytes + first, times - first, true},
			{bytes->bytes + times, bytes->used - times, false}},
		2, err);
}

/* The columns of a block of activities. */

enum column {
	STARTS,
	DURATIONS,
	TRACKS,
	DESCRIPTIONS,
	CORRELATIONS,
	BYTES,
	NODES
};

static uint64_t value_of(const struct log_activity_row *row, enum column column)
{
	switch (column) {
	case STARTS:
		return (uint64_t)row->start_ns;
	case DURATIONS:
		return row->dur_ns;
	case TRACKS:
		return row->track;
	case DESCRIPTIONS:
		return row->description;
	case CORRELATIONS:
		return row->correlation;
	case BYTES:
		return row->bytes;
	case NODES:
		return row->node;
	}
	return 0;
}

/* Whether the values of this column are differences to the previous one. */
static bool is_delta(enum column column)
{
	return column == STARTS || column == CORRELATIONS || column == NODES;
}

/* Adds a column, whose differences start from `base`. */
static void add_column(struct buffer *bytes,
	const struct log_activities *activities, enum column column,
	uint64_t base)
{
	msgpack_packer out = msgpack_out(bytes);
	bool delta = is_delta(column);
	uint64_t last = base;
	uint8_t *at;

	(void)msgpack_pack_array(&out, activities->count);
	if (!buffer_reserve(
		    bytes, (size_t)activities->count * MSGPACK_OUT_INT_MAX))
		return;
	at = bytes->bytes + bytes->used;
	for (uint32_t i = 0; i < activities->count; i++) {
		uint64_t value = value_of(&activities->rows[i], column);

		/* Modulo 2^64, like the reader's sum. */
		at = msgpack_out_int(
			at, (int64_t)(delta ? value - last : value));
		last = value;
	}
	bytes->used = (size_t)(at - bytes->bytes);
}

/* The same for a column that is omitted if all values are 0. */
static void add_optional(struct buffer *bytes,
	const struct log_activities *activities, enum column column)
{
	msgpack_packer out = msgpack_out(bytes);

	for (uint32_t i = 0; i < activities->count; i++) {
		if (value_of(&activities->rows[i], column) == 0)
			continue;
		add_column(bytes, activities, column, 0);
		return;
	}
	(void)msgpack_pack_array(&out, 0);
}

enum ctp_status log_column_write_activities(
	const struct log_activities *activities, struct buffer *bytes,
	struct log_writer *writer, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(bytes);
	uint64_t base = (uint64_t)activities->rows[0].start_ns;
	size_t times;

	if (activities->count == 0)
		return CTP_OK;
	bytes->used = 0;
	(void)msgpack_pack_array(&out, activities->has_args ? 10 : 9);
	(void)msgpack_pack_int(&out, LOG_ACTIVITIES);
	(void)msgpack_pack_int64(&out, (int64_t)base);
	add_column(bytes, activities, STARTS, base);
	add_column(bytes, activities, DURATIONS, 0);
	times = bytes->used;
	add_column(bytes, activities, TRACKS, 0);
	add_column(bytes, activities, DESCRIPTIONS, 0);
	add_column(bytes, activities, CORRELATIONS, 0);
	add_optional(bytes, activities, BYTES);
	add_optional(bytes, activities, NODES);
	if (activities->has_args) {
		(void)msgpack_pack_array(&out, activities->count);
		buffer_add(
			bytes, activities->args.bytes, activities->args.used);
	}
	if (bytes->failed || activities->args.failed)
		return ctp_no_memory(err);
	return log_writer_add(writer, LOG_ACTIVITIES,
		(struct deflate_part[]){{bytes->bytes, times, true},
			{bytes->bytes + times, bytes->used - times, false}},
		2, err);
}

size_t log_column_times_bytes(struct cursor block)
{
	const size_t size = block.left;
	uint32_t elements;
	uint32_t kind;

	if (!unpack_array(&block, &elements) ||
		!unpack_u32(&block, UINT32_MAX, &kind))
		return 0;
	/* Track, number, base, times; or base, starts, durations. */
	if (kind == LOG_EVENTS && unpack_skip_values(&block, 4))
		return size - block.left;
	if (kind == LOG_ACTIVITIES && unpack_skip_values(&block, 3))
		return size - block.left;
	return 0;
}
