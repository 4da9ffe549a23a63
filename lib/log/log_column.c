/* SPDX-License-Identifier: MIT */
#include "log/log_column.h"

#include "base/memory.h"
#include "log/msgpack_out.h"

/* The value for an id that is new in this block. */
static uint64_t add_local(struct log_column_sites *sites, uint32_t id)
{
	uint64_t value = id;

	if (id > LOG_COLUMN_EXTRA) {
		value = sites->count + LOG_ID_SITES;
		sites->list[sites->count++] = id - LOG_COLUMN_SITES;
	}
	sites->local[id] = sites->block << 32 | value;
	return sites->local[id];
}

/* Replaces site numbers by the log's values of `ids`. Ends and extras have
 * entries, too, so that only rare branches remain: the next id is practically
 * random. */
static bool make_local(
	struct log_column *column, struct log_column_sites *sites)
{
	uint64_t block = ++sites->block;
	uint32_t *ids = column->ids;
	uint32_t count = column->count;
	uint32_t most = 0;

	for (uint32_t i = 0; i < count; i++)
		most = ids[i] > most ? ids[i] : most;
	if (!array_ensure_index(
		    &sites->local, most, &sites->room, sizeof(*sites->local)))
		return false;
	sites->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t value = sites->local[ids[i]];

		if (value >> 32 != block)
			value = add_local(sites, ids[i]);
		ids[i] = (uint32_t)value;
	}
	return true;
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
	for (uint32_t i = 0; i < count; i++) {
		if (numbers[i] <= 127)
			*at++ = (uint8_t)numbers[i];
		else
			at = msgpack_out_int(at, numbers[i]);
	}
	bytes->used = (size_t)(at - bytes->bytes);
}

static void add_times(struct buffer *bytes, const struct log_column *column)
{
	msgpack_packer packer = msgpack_out(bytes);
	const int64_t *times = column->times;
	uint32_t count = column->count;
	uint64_t last = (uint64_t)times[0];
	uint8_t *at;

	(void)msgpack_pack_array(&packer, count);
	if (!buffer_reserve(bytes, (size_t)column->count * MSGPACK_OUT_INT_MAX))
		return;
	at = bytes->bytes + bytes->used;
	for (uint32_t i = 0; i < count; i++) {
		/* Modulo 2^64, like the reader's sum. */
		uint64_t delta = (uint64_t)times[i] - last;

		last = (uint64_t)times[i];
		at = delta <= UINT16_MAX
			     ? msgpack_out_short(at, (uint32_t)delta)
			     : msgpack_out_int(at, (int64_t)delta);
	}
	bytes->used = (size_t)(at - bytes->bytes);
}

void log_column_clear(struct log_column *column)
{
	buffer_clear(&column->extras);
}

void log_column_sites_clear(struct log_column_sites *sites)
{
	memory_free(sites->local);
}

enum ctp_status log_column_write(struct log_column *column,
	struct log_column_sites *sites, struct buffer *bytes,
	struct log_writer *writer, struct ctp_error *err)
{
	msgpack_packer packer = msgpack_out(bytes);
	size_t times;

	if (column->count == 0)
		return CTP_OK;
	bytes->used = 0;
	if (!make_local(column, sites))
		return ctp_no_memory(err);
	(void)msgpack_pack_array(&packer, 9);
	(void)msgpack_pack_int(&packer, LOG_EVENTS);
	(void)msgpack_pack_uint32(&packer, column->track);
	(void)msgpack_pack_uint64(&packer, column->seq);
	(void)msgpack_pack_int64(&packer, column->times[0]);
	add_times(bytes, column);
	times = bytes->used;
	if (column->open_known)
		add_numbers(bytes, column->open, column->open_count);
	else
		(void)msgpack_pack_nil(&packer);
	add_numbers(bytes, sites->list, sites->count);
	add_numbers(bytes, column->ids, column->count);
	(void)msgpack_pack_array(&packer, column->extra_count);
	buffer_add(bytes, column->extras.bytes, column->extras.used);
	if (bytes->failed || column->extras.failed)
		return ctp_no_memory(err);
	return log_writer_add(writer, LOG_EVENTS,
		(struct deflate_part[]){{bytes->bytes, times, true},
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
