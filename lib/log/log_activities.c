/* SPDX-License-Identifier: MIT */
#include "log/log_activities.h"

#include "log/msgpack_out.h"

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

/* Are the values of this column differences to the one before? */
static bool is_delta(enum column column)
{
	return column == STARTS || column == CORRELATIONS || column == NODES;
}

/* Adds a column, whose differences count from `base`. */
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

		/* Modulo 2^64, as the reader adds it up. */
		at = msgpack_out_int(
			at, (int64_t)(delta ? value - last : value));
		last = value;
	}
	bytes->used = (size_t)(at - bytes->bytes);
}

/* The same of a column that is left out where it has nothing but zeros. */
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

enum ctp_status log_activities_write(const struct log_activities *activities,
	struct buffer *bytes, struct log_writer *writer, struct ctp_error *err)
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
